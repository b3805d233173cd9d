// Package remains searches a file with a damaged header or index for the parts of a frame: chunks,
// indexes, trailers, metalayers, and gaps where chunks may have been.
package remains

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/wire"
)

// A Chunk is a chunk that the search found.
type Chunk struct {
	At     int64
	Header chunk.Header
	// nil if the chunk is intact; otherwise only its header and what follows it are valid
	Err error
}

func (c *Chunk) end() int64 { return c.At + int64(c.Header.CBytes) }

// A Gap is a range of the file in which no valid chunk begins.
type Gap struct {
	Before   int // number of chunks found before it
	From, To int64
	// the gap may have no lost chunk but the rest of the header, the index, or bytes behind the
	// frame
	Maybe bool
}

// A Search searches a file for chunks.
type Search struct {
	File     io.ReaderAt
	Size     int64
	Decoder  *chunk.Decoder
	MaxChunk int64 // bytes of a chunk, decoded

	// What is known of the frame; 0 means unknown.
	HeaderLen int64
	TypeSize  int32
	Exact     int64 // decoded bytes of every chunk

	Chunks   []Chunk
	Indexes  []Chunk // chunks like an index that are followed by a trailer
	Gaps     []Gap
	Trailers []int64 // offsets of trailers

	window []byte // buffered bytes of the file from start on
	start  int64
	buf    []byte
	effort int64 // decoded bytes that guesses may still take
}

// TrailerBegins is the beginning of a trailer. Trailers of older states may be between chunks
// (docs/format/frame.md).
var TrailerBegins = []byte{0x94, 0x01, 0x93, 0xcd}

const (
	searchWindow = 1 << 20
	// searchEffort limits the decoded bytes of guesses that turn out not to be chunks, per byte of
	// the file.
	searchEffort = 64
	minEffort    = 64 << 20
)

// at returns n bytes at an offset, or fewer at the end of the file.
func (q *Search) at(off int64, n int) []byte {
	if off >= q.Size {
		return nil
	}
	if off < q.start || min(q.Size, off+int64(n)) > q.start+int64(len(q.window)) {
		size := min(max(searchWindow, int64(n)), q.Size-off)
		w, err := wire.ReadFull(q.File, q.window, off, size)
		if err != nil {
			q.window = q.window[:0]
			return nil
		}
		q.window = w
		q.start = off
	}
	b := q.window[off-q.start:]
	return b[:min(n, len(b))]
}

// Run searches the file from an offset on.
func (q *Search) Run(ctx context.Context, from int64) error {
	q.effort = minEffort + searchEffort*q.Size
	gapAt := int64(-1)
	flush := func(to int64, maybe bool) {
		if gapAt >= 0 && gapAt < to {
			maybe = maybe || gapAt == from && q.HeaderLen == 0
			q.Gaps = append(q.Gaps, Gap{len(q.Chunks), gapAt, to, maybe})
		}
		gapAt = -1
	}
	for p := from; p < q.Size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if n := q.dead(p); n > 0 {
			flush(p, bytes.HasPrefix(q.at(p, 4), TrailerBegins))
			p += n
			continue
		}

		c, ok := q.chunk(p, gapAt >= 0)
		if !ok {
			if gapAt < 0 {
				gapAt = p
			}
			p = q.next(p + 1)
			continue
		}

		flush(p, false)
		if q.trailerAt(c.end()) && IndexLike(c.Header) {
			q.Indexes = append(q.Indexes, c)
		} else {
			q.Chunks = append(q.Chunks, c)
		}
		p = c.end()
	}
	flush(q.Size, len(q.Trailers) > 0)
	return nil
}

// next returns the first offset from p on where a chunk or trailer may begin.
func (q *Search) next(p int64) int64 {
	for {
		b := q.at(p, searchWindow)
		if len(b) < chunk.HeaderSize {
			return q.Size
		}
		for i := range len(b) - chunk.HeaderSize + 1 {
			if mayBegin(b[i:]) {
				return p + int64(i)
			}
		}
		p += int64(len(b) - chunk.HeaderSize + 1)
	}
}

// mayBegin is a quick test whether a chunk or a trailer may begin with the bytes b.
func mayBegin(b []byte) bool {
	switch b[0] {
	case 3, 4, 5, 6:
		return b[1] <= 1 && b[2]&5 == 5 && b[3] != 0
	case TrailerBegins[0]:
		return bytes.HasPrefix(b, TrailerBegins)
	}
	return false
}

// dead returns the length of the footer or trailer at p, in which no chunk can be lost, or 0 if
// there is none.
func (q *Search) dead(p int64) int64 {
	b := q.at(p, chunk.HeaderSize)
	switch {
	case len(b) < format.FooterSize:
		return 0
	case q.footerAt(p):
		return format.FooterSize
	case bytes.HasPrefix(b, TrailerBegins):
		q.Trailers = append(q.Trailers, p)
		return q.trailerLen(p)
	}
	return 0
}

func (q *Search) footerAt(p int64) bool {
	return bytes.HasPrefix(q.at(p, format.FooterSize), []byte(format.FooterMagic))
}

func (q *Search) trailerAt(p int64) bool { return bytes.HasPrefix(q.at(p, 4), TrailerBegins) }

// trailerLen returns how many bytes of a trailer at p can be skipped.
func (q *Search) trailerLen(p int64) int64 {
	n := int(min(q.Size-p, searchWindow))
	b := q.at(p, n)
	for i := 4; i+format.MinTrailer-12 <= len(b); i++ {
		size := i + format.PointerSize + 7 // the length to find here if the trailer ends here
		if b[i] == wire.TagUint32 && int(binary.BigEndian.Uint32(b[i+1:])) == size && b[i+5] == wire.TagFixExt16 {
			return int64(size)
		}
	}
	return int64(len(TrailerBegins))
}

// IndexLike reports whether a chunk with header h may be an index.
func IndexLike(h chunk.Header) bool {
	return h.TypeSize == index.EntrySize && h.NBytes > 0 && h.NBytes%index.EntrySize == 0 && !h.VLBlocks()
}

// header returns the header of the chunk that may begin at p, or zero if none can.
func (q *Search) header(p int64) chunk.Header {
	b := q.at(p, chunk.HeaderSize)
	if len(b) < chunk.HeaderSize || !mayBegin(b) {
		return chunk.Header{}
	}
	h, err := chunk.ParseHeader(b)
	switch {
	case err != nil || h.NBytes == 0 || int64(h.NBytes) > q.MaxChunk:
	case int64(h.CBytes) > q.Size-p:
	case h.Memcpyed() && int64(h.CBytes) != int64(h.Size())+int64(h.NBytes) && h.NBytes >= chunk.HeaderSize:
	case IndexLike(h):
		return h
	case q.Exact > 0 && int64(h.NBytes) != q.Exact:
	default:
		return h
	}
	return chunk.Header{}
}

// chunk returns the chunk at p. guess means that p does not follow another part of the frame.
func (q *Search) chunk(p int64, guess bool) (Chunk, bool) {
	h := q.header(p)
	if h.NBytes == 0 || guess && (q.effort < 0 || q.TypeSize > 0 &&
		int32(h.TypeSize) != q.TypeSize && h.TypeSize != 1 && !IndexLike(h)) {
		return Chunk{}, false
	}
	c := Chunk{At: p, Header: h}
	c.Err = q.decode(c)
	if c.Err == nil {
		return c, true
	}
	q.effort -= int64(h.NBytes) + chunk.HeaderSize
	if guess && !errors.Is(c.Err, cairn.ErrUnsupported) {
		return c, false
	}
	return c, q.boundary(c.end())
}

// boundary reports whether p is the end of the file or a part of the frame begins at p.
func (q *Search) boundary(p int64) bool {
	return p == q.Size || q.footerAt(p) || q.trailerAt(p) || q.header(p).NBytes > 0
}

// decode returns nil if a chunk is intact: it matches its footer or, without one, decodes.
func (q *Search) decode(c Chunk) error {
	var err error
	if q.buf, err = wire.ReadFull(q.File, q.buf, c.At, int64(c.Header.CBytes)); err != nil {
		return err
	}
	if own, ok := format.ParseFooter(q.at(c.end(), format.FooterSize)); ok {
		if sum := format.Checksum(q.buf); sum != own {
			return format.Mismatch("chunk", 0, sum, own)
		}
		return nil
	}
	if c.Header.Special() != chunk.SpecialNone {
		return nil
	}
	return q.Decoder.DecodeBlocks(c.Header, q.buf, nil, nil)
}
