// Package zstd decodes and encodes Zstandard frames (RFC 8878) in memory.
//
// The decoder is given the decoded size, which suffices for Blosc2 and simplifies it: the output is
// its own window, no allocation depends on a frame's contents, and a frame that does not fill the
// output exactly is corrupt. The layout of a frame, with the file that decodes each part:
//
//	magic number, descriptor, window, dictionary id, content size   frame.go
//	block: 3-byte header: last, type, size                          block.go
//	    literals: header, Huffman tree, 1 or 4 bit streams          literals.go, huffman.go
//	    sequences: count, modes, 3 tables, 1 bit stream             sequences.go, codes.go, fse.go
//	… more blocks
//	checksum: low half of XXH64 of the content                      checksum.go
package zstd

import (
	"encoding/binary"
	"fmt"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/zstdhuff"
	"github.com/cairn-go/cairn/internal/asm/zstdseq"
)

// A Decoder decodes frames. It contains the tables and the literals of a block, about 30 KiB and up
// to 128 KiB, and must not be used concurrently.
type Decoder struct {
	dict   *dictionary // or nil
	own    *dictionary // memory of the dictionary
	placed placed

	seq         zstdseq.State
	logs        [3]uint8 // accuracy of the tables in seq
	have        [3]tableSource
	codes       zstdhuff.Single
	codeBuilder zstdhuff.Builder
	pairs       zstdhuff.Double
	haveHuff    tableSource
	huffPairs   bool // pairs contains the same table
	streams     zstdhuff.Streams
	build       tableBuilder
	scratch     []byte // literals, with zstdseq.Slack bytes behind them

	// Whether only the bytes [lo, hi) of the frame's content are wanted, see DecodeRange.
	partly bool
	lo, hi int
	cut    bool // the block may be longer than the room for it; the rest is not wanted
}

// NewDecoder returns a decoder. If dict is not nil, it is the dictionary of the frames: see
// [Decoder.SetDict]. The decoder refers to dict and never changes it. Errors match
// cairn.ErrCorrupt.
func NewDecoder(dict []byte) (*Decoder, error) {
	d := &Decoder{}
	if err := d.SetDict(dict); err != nil {
		return nil, err
	}
	return d, nil
}

// Decode fills dst exactly from the frames in src, which may include skippable frames. Errors match
// cairn.ErrCorrupt, and also cairn.ErrChecksum if only the checksum is wrong; for frames of
// Zstandard before 0.8 they match cairn.ErrUnsupported. After an error the contents of dst are
// undefined.
func (d *Decoder) Decode(dst, src []byte) error {
	d.partly = false
	out, err := d.frames(dst, src, 0, len(dst))
	if err == nil && out != len(dst) {
		err = cairn.Corruptf(layer, -1, "zstd stream decodes to %d bytes, want %d", out, len(dst))
	}
	return err
}

// DecodeRange is Decode for the bytes [lo, hi) of the content. The rest of dst is undefined
// afterwards; the content may be longer than dst. What follows byte hi is not decoded, so damage
// there goes unnoticed, as it does in literals that are not needed. No checksum is compared.
func (d *Decoder) DecodeRange(dst, src []byte, lo, hi int) error {
	d.partly = true
	// A loop over sequences needs some room behind what it decodes.
	out, err := d.frames(dst[:min(len(dst), hi+zstdseq.Slack)], src, lo, hi)
	if err == nil && out < hi {
		err = cairn.Corruptf(layer, -1, "zstd stream decodes to %d bytes, want at least %d", out, hi)
	}
	return err
}

// frames decodes frames until the end of src or, if d.partly is set, until byte hi of dst. It
// returns the number of bytes written.
func (d *Decoder) frames(dst, src []byte, lo, hi int) (out int, err error) {
	in := 0
	for in < len(src) && !(d.partly && out >= hi) {
		if n, ok := skippable(src[in:]); ok {
			if n > uint64(len(src)-in) {
				return out, corrupt(in, errTruncated)
			}
			in += int(n)
			continue
		}

		d.lo = lo - out
		d.hi = hi - out
		written, read, err := d.frame(dst[out:], src[in:])
		if err != nil {
			return out, corrupt(in+read, err)
		}
		out += written
		in += read
	}
	return out, nil
}

// skippable reports whether src begins with a skippable frame (RFC 8878 §3.1.2), and returns its
// length.
func skippable(src []byte) (size uint64, ok bool) {
	if len(src) < 8 || binary.LittleEndian.Uint32(src)&^0xf != 0x184d2a50 {
		return 0, false
	}
	return 8 + uint64(binary.LittleEndian.Uint32(src[4:])), true
}

const layer = "codec stream"

// A reason is an error in a stream, to which a location is added later.
type reason string

// Error returns the reason.
func (r reason) Error() string { return string(r) }

const (
	errTruncated reason = "stream ends early"
	errRoom      reason = "content is longer than wanted"
)

func corrupt(at int, err error) error {
	if err == errOld {
		return fmt.Errorf("zstd: %v, in the part that begins at byte %d of the stream: %w", err, at, cairn.ErrUnsupported)
	}

	e := cairn.Corruptf(layer, -1, "zstd: %v, in the part that begins at byte %d of the stream", err, at)
	if err == errChecksum {
		e.Err = cairn.ErrChecksum
	}
	return e
}
