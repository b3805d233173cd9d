package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"unicode"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
)

// salvageWindow is how much of a file whose header cannot be read is searched for metalayers.
const salvageWindow = 64 << 10

// readHeader reads as much of the header as can be read.
func (s *salvage) readHeader() error {
	b, err := wire.ReadFull(s.file, nil, 0, min(s.size, salvageWindow))
	if err != nil {
		return err
	}
	h, err := format.ParseHeader(b, math.MaxInt64)
	if err == nil && h.Generation != format.Current {
		return fmt.Errorf("a damaged frame of generation %v: %w", h.Generation, cairn.ErrUnsupported)
	}
	if s.trusted = err == nil && h.HeaderLen <= s.size && h.HeaderLen <= s.env.engine.Limits.MaxHeader; s.trusted {
		s.head = h
		if h.HeaderLen > int64(len(b)) {
			if b, err = wire.ReadFull(s.file, b, 0, h.HeaderLen); err != nil {
				return err
			}
		}
		b = b[:h.HeaderLen]
	} else {
		s.report.Rebuilt = true
		s.head = format.Header{LayersAt: format.AtLayers, Version: format.VersionFixed,
			Level: chunk.DefaultLevel, TypeSize: 1, ChunkSize: -1, Threads: [2]int16{1, 1}}
		s.report.fault(err)
	}
	s.readLayers(b)
	s.dropBroken()
	s.geometry()
	return nil
}

// readLayers reads the fixed metalayers from b, which begins with the frame.
func (s *salvage) readLayers(b []byte) {
	if len(b) < format.AtLayers {
		return
	}
	layers, err := metalist.ParseHeader(b, format.AtLayers)
	if err != nil {
		s.report.fault(err)
		var lost []LostLayer
		if !s.trusted {
			b = b[:firstChunk(b, format.AtLayers)]
		}
		layers, lost = looseLayers(b, format.AtLayers, metalist.MaxLayers)
		if s.report.Layers = append(s.report.Layers, lost...); len(layers)+len(lost) == 0 {
			s.report.Layers = append(s.report.Layers, LostLayer{Err: err})
		}
	}
	s.layers = cloneLayers(layers)
	if s.head.HeaderLen == 0 && err == nil {
		s.head.HeaderLen = format.HeaderSize(layers) // if the list is sound, so is its length
	}
}

// firstChunk returns where the first chunk in b may begin, the length of b if there is none.
func firstChunk(b []byte, from int) int {
	for p := from; p+chunk.HeaderSize <= len(b); p++ {
		if !mayBegin(b[p:]) {
			continue
		}
		if h, err := chunk.ParseHeader(b[p:]); err == nil && h.NBytes > 0 {
			return p
		}
	}
	return len(b)
}

// looseLayers reads the metalayers of a list that is broken somewhere: everything in b that looks
// like a key, a0|len name d2 offset, and whose offset leads to a content that is there. What looks
// like a key without a content is lost.
func looseLayers(b []byte, from, limit int) (layers []meta.Layer, lost []LostLayer) {
	for p := from; p+6 < len(b) && len(layers)+len(lost) < limit; p++ {
		n := int(b[p] & 0x1f)
		end := p + 1 + n + 5
		if b[p]&^0x1f != wire.TagFixStr || n == 0 || end > len(b) || b[end-5] != wire.TagInt32 || !printable(b[p+1:p+1+n]) {
			continue
		}
		name := string(b[p+1 : p+1+n])
		if layerNamed(layers, name) >= 0 {
			continue
		}
		at := int64(int32(binary.BigEndian.Uint32(b[end-4:])))
		content, ok := contentAt(b, at, int64(end))
		if ok {
			layers = append(layers, meta.Layer{Name: name, Content: content})
		} else {
			lost = append(lost, LostLayer{Name: name, Err: cairn.Corruptf("metalayer", int64(p), "its content is not at %d", at)})
		}
		p = end - 1
	}
	return layers, lost
}

// contentAt returns the content that is stored at a place in b not before least.
func contentAt(b []byte, at, least int64) ([]byte, bool) {
	if at < least || at > int64(len(b)-5) || b[at] != wire.TagBin32 {
		return nil, false
	}
	size := int64(binary.BigEndian.Uint32(b[at+1:]))
	if size > int64(len(b))-at-5 {
		return nil, false
	}
	return b[at+5 : at+5+size : at+5+size], true
}

// printable reports whether b can be a name that somebody gave.
func printable(b []byte) bool {
	for _, r := range string(b) {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// readTrailer looks for the trailer where the header says, at the end of the file, and from a place
// on where it may begin (if that is known).
func (s *salvage) readTrailer(from int64) []meta.Layer {
	limit := s.env.engine.Limits.MaxTrailer
	h := s.head
	if h.Generation == format.Current && s.trusted && h.FrameLen <= s.size {
		if _, _, vl, err := readTrailer(s.file, 0, &h, limit); err == nil {
			return vl
		}
	}
	h.FrameLen = s.size
	_, _, vl, err := readTrailer(s.file, 0, &h, limit)
	if err == nil {
		return vl
	}
	s.report.fault(err)
	if from <= 0 || from >= s.size {
		s.report.Layers = append(s.report.Layers, LostLayer{Variable: true,
			Err: cairn.Corruptf(format.LayerTrailer, -1, "is not to be found")})
		return nil
	}
	b, err := wire.ReadFull(s.file, nil, from, min(s.size-from, limit))
	if err != nil {
		s.report.fault(err)
		return nil
	}
	if i := bytes.Index(b, []byte(format.RecordMagic)); i >= 0 {
		b = b[:i] // which has a copy of the header, with the fixed metalayers in it
	}
	vl, lost := looseLayers(b, 2, metalist.MaxVLLayers)
	for i := range lost {
		lost[i].Variable = true
	}
	s.report.Layers = append(s.report.Layers, lost...)
	return vl
}

// soundVL returns the metalayers of variable length whose values decode.
func (s *salvage) soundVL(v *draft) []meta.Layer {
	sound := make([]meta.Layer, 0, len(v.vl))
	for _, l := range v.vl {
		if err := v.proveVL(l.Content); err != nil {
			s.report.Layers = append(s.report.Layers, LostLayer{Name: l.Name, Variable: true, Err: err})
			continue
		}
		sound = append(sound, l)
	}
	return sound
}
