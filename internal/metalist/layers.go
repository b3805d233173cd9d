// Package metalist encodes and decodes the lists of metalayers in the header and in the trailer of
// a frame.
package metalist

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
)

// The list of layers, in a frame header at 0x57 and in a trailer at 2 (docs/format/metalayers.md):
//
//	93                              array of 3
//	cd  idx_size  u16               size of the index; not needed: the map ends by its count
//	de  n         u16               map of n
//	    a0|len name  d2 offset i32      n times: where the content's c6 is,
//	                                from the start of the header or trailer
//	dc  n         u16               array of n
//	    c6 len u32  content             n times
//
// All integers are big-endian. idx_size counts its own 93 marker in a header, and does not in a
// trailer.
const (
	layerIndexFixed = 7  // 93 cd xx xx de xx xx
	layerKeyFixed   = 6  // a0|len d2 xx xx xx xx
	layerArrayFixed = 3  // dc xx xx
	layerValueFixed = 5  // c6 xx xx xx xx
	maxNameLen      = 31 // bytes of the name of a metalayer: what a fixstr marker can say
)

// Limits of C-Blosc2 on the number of layers.
const (
	// MaxLayers is how many fixed metalayers a frame header may have.
	MaxLayers = 16
	// MaxVLLayers is how many variable-length metalayers a trailer may have when it is read.
	MaxVLLayers = 8192
	// MaxVLLayersPortable is how many of them C-Blosc2 is able to write: a frame that has more can
	// be read by it, but not changed.
	MaxVLLayersPortable = 16
)

// Validate returns an error, which names the layer, if layers cannot be stored: if there are more
// than limit, if a name is longer than 31 bytes, contains a NUL or occurs twice, or if the contents
// exceed 32-bit offsets.
func Validate(layers []meta.Layer, limit int) error {
	if len(layers) > limit {
		return fmt.Errorf("meta: %d metalayers, at most %d are possible", len(layers), limit)
	}

	var size int64
	for i, l := range layers {
		if err := checkName(l.Name); err != nil {
			return fmt.Errorf("meta: metalayer %q: %w", l.Name, err)
		}
		for _, other := range layers[:i] {
			if other.Name == l.Name {
				return fmt.Errorf("meta: metalayer %q given twice", l.Name)
			}
		}

		size += layerKeyFixed + int64(len(l.Name)) + layerValueFixed + int64(len(l.Content))
	}

	if size > math.MaxInt32-1<<16 {
		return fmt.Errorf("meta: metalayers of %d bytes together do not fit in a frame", size)
	}
	return nil
}

func checkName(name string) error {
	if len(name) > maxNameLen {
		return fmt.Errorf("name of %d bytes, at most %d are possible", len(name), maxNameLen)
	}
	if strings.IndexByte(name, 0) >= 0 {
		return fmt.Errorf("name with a NUL in it")
	}
	return nil
}

// Size returns the number of bytes that [AppendHeader] appends.
func Size(layers []meta.Layer) int64 {
	return indexSize(layers) + arraySize(layers)
}

func indexSize(layers []meta.Layer) int64 {
	size := int64(layerIndexFixed)
	for _, l := range layers {
		size += layerKeyFixed + int64(len(l.Name))
	}
	return size
}

func arraySize(layers []meta.Layer) int64 {
	size := int64(layerArrayFixed)
	for _, l := range layers {
		size += layerValueFixed + int64(len(l.Content))
	}
	return size
}

// AppendHeader appends the layers as in a frame header. base is the offset in the frame of the
// first byte appended, 0x57 in current frames. The layers must satisfy [Validate] with [MaxLayers].
func AppendHeader(dst []byte, base int64, layers []meta.Layer) []byte {
	return appendLayers(dst, base, indexSize(layers), layers)
}

func appendLayers(dst []byte, base, statedIndexSize int64, layers []meta.Layer) []byte {
	dst = append(dst, wire.TagFixArray|3)
	// With very many layers the field overflows, but readers ignore it.
	dst = wire.AppendUint16(dst, uint16(statedIndexSize))
	dst = binary.BigEndian.AppendUint16(append(dst, wire.TagMap16), uint16(len(layers)))

	offset := base + indexSize(layers) + layerArrayFixed
	for _, l := range layers {
		dst = append(dst, wire.TagFixStr|byte(len(l.Name)))
		dst = append(dst, l.Name...)
		dst = wire.AppendInt32(dst, int32(offset))
		offset += layerValueFixed + int64(len(l.Content))
	}

	dst = binary.BigEndian.AppendUint16(append(dst, wire.TagArray16), uint16(len(layers)))
	for _, l := range layers {
		dst = wire.AppendBin32(dst, l.Content)
	}
	return dst
}

// ParseHeader parses the layers of a frame header. header is the whole header of the frame; at is
// the offset of the list: 0x57, or 0x52 and 0x40 in frames from before C-Blosc2 2.0. Contents alias
// header. Errors are [cairn.CorruptError]s of layer "frame header" with offsets from the start of
// the frame.
func ParseHeader(header []byte, at int) ([]meta.Layer, error) {
	return parseLayers("frame header", header, at, MaxLayers)
}

// parseLayers parses a list of layers whose offsets are relative to b. Contents alias b and may
// overlap, so that hostile offsets cause no allocations.
func parseLayers(layer string, b []byte, at, limit int) ([]meta.Layer, error) {
	r := wire.NewReader(layer, b, at)
	r.Expect(wire.TagFixArray|3, "marker of the metalayers")
	r.Expect(wire.TagUint16, "marker of the metalayer index size")
	r.Uint16BE()
	r.Expect(wire.TagMap16, "marker of the metalayer index")
	countAt := r.Pos()
	count := int(r.Uint16BE())
	if count > limit {
		r.Failf(countAt, "%d metalayers, at most %d are possible", count, limit)
	}

	// Each entry takes at least 6 bytes, which bounds the allocation.
	if int64(count)*layerKeyFixed > int64(r.Len()) {
		r.Failf(countAt, "%d metalayers in %d bytes", count, r.Len())
	}

	if err := r.Err(); err != nil {
		return nil, err
	}

	layers := make([]meta.Layer, 0, count)
	seen := make(map[string]struct{}, count)
	for range count {
		entryAt := r.Pos()
		l := parseLayer(&r, layer, b)
		if _, twice := seen[l.Name]; twice {
			r.Failf(entryAt, "metalayer %q occurs twice", l.Name)
		}
		if err := r.Err(); err != nil {
			return nil, err
		}

		seen[l.Name] = struct{}{}
		layers = append(layers, l)
	}
	return layers, nil
}

func parseLayer(index *wire.Reader, layer string, b []byte) meta.Layer {
	at := index.Pos()
	marker := index.Uint8()
	if marker&0xe0 != wire.TagFixStr {
		index.Failf(at, "marker of a metalayer name is 0x%02x, want 0xa0 to 0xbf", marker)
	}
	name := string(index.Bytes(int64(marker & 0x1f)))
	if err := checkName(name); err != nil {
		index.Failf(at, "metalayer %q: %v", name, err)
	}

	index.Expect(wire.TagInt32, "marker of a metalayer offset")
	at = index.Pos()
	offset := index.Int32BE()
	if index.Err() != nil {
		return meta.Layer{}
	}

	value := wire.NewReader(layer, b, int(offset))
	value.Expect(wire.TagBin32, fmt.Sprintf("marker of metalayer %q", name))
	content := value.Bytes(int64(value.Int32BE()))
	if err := value.Err(); err != nil {
		index.Failf(at, "metalayer %q at offset %d: %v", name, offset, err)
	}
	return meta.Layer{Name: name, Content: content}
}
