package frame

import (
	"bytes"
	"errors"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/wire"
)

// foundChunk is a chunk that the search came upon.
type foundChunk struct {
	at     int64
	header chunk.Header
	// nil if it is intact; else its header makes sense, and something that makes sense follows it
	err error
}

func (c *foundChunk) end() int64 { return c.at + int64(c.header.CBytes) }

// gap is a stretch in which no chunk begins that makes sense.
type gap struct {
	before   int // how many chunks were found in front of it
	from, to int64
	// there may be something else in there than a lost chunk: the rest of the header, the index,
	// what follows the frame
	maybe bool
}

// search is a walk through a file in search of chunks.
type search struct {
	s       *salvage
	window  []byte // bytes of the file from start on
	start   int64
	decoder *chunk.Decoder
	buf     []byte
	effort  int64 // decoded bytes that guesses may still cost

	chunks   []foundChunk
	indexes  []foundChunk // those that a trailer follows, as it does follow an index
	gaps     []gap
	trailers []int64 // where trailers begin
}

// trailerBegins is how a trailer begins. One stands between chunks where an older state left it
// (docs/format/frame.md).
var trailerBegins = []byte{0x94, 0x01, 0x93, 0xcd}

const (
	searchWindow = 1 << 20
	// searchEffort is how many decoded bytes it may cost to find out that something was no chunk,
	// for each byte of the file.
	searchEffort = 64
	leastEffort  = 64 << 20
)

// at returns n bytes at an offset, fewer at the end of the file.
func (q *search) at(off int64, n int) []byte {
	if off >= q.s.size {
		return nil
	}
	if off < q.start || min(q.s.size, off+int64(n)) > q.start+int64(len(q.window)) {
		size := min(max(searchWindow, int64(n)), q.s.size-off)
		w, err := wire.ReadFull(q.s.file, q.window, off, size)
		if err != nil {
			q.window = q.window[:0]
			return nil
		}
		q.window, q.start = w, off
	}
	b := q.window[off-q.start:]
	return b[:min(n, len(b))]
}

// run walks through the file from an offset on.
func (q *search) run(from int64) error {
	q.decoder = chunk.NewDecoder(q.s.env.decodeOptions())
	q.effort = leastEffort + searchEffort*q.s.size
	gapAt := int64(-1)
	flush := func(to int64, maybe bool) {
		if gapAt >= 0 && gapAt < to {
			maybe = maybe || gapAt == from && q.s.head.HeaderLen == 0
			q.gaps = append(q.gaps, gap{len(q.chunks), gapAt, to, maybe})
		}
		gapAt = -1
	}
	for p := from; p < q.s.size; {
		if err := q.s.ctx.Err(); err != nil {
			return err
		}
		if n := q.dead(p); n > 0 {
			flush(p, bytes.HasPrefix(q.at(p, 4), trailerBegins))
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
		if q.trailerAt(c.end()) && indexLike(c.header) {
			q.indexes = append(q.indexes, c)
		} else {
			q.chunks = append(q.chunks, c)
		}
		p = c.end()
	}
	flush(q.s.size, len(q.trailers) > 0)
	return nil
}

// next returns the first place from p on where something may begin.
func (q *search) next(p int64) int64 {
	for {
		b := q.at(p, searchWindow)
		if len(b) < chunk.HeaderSize {
			return q.s.size
		}
		for i := range len(b) - chunk.HeaderSize + 1 {
			if mayBegin(b[i:]) {
				return p + int64(i)
			}
		}
		p += int64(len(b) - chunk.HeaderSize + 1)
	}
}

// mayBegin is a first look at the bytes of what may be a chunk or a trailer.
func mayBegin(b []byte) bool {
	switch b[0] {
	case 3, 4, 5, 6:
		return b[1] <= 1 && b[2]&5 == 5 && b[3] != 0
	case trailerBegins[0]:
		return bytes.HasPrefix(b, trailerBegins)
	}
	return false
}

// dead returns the length of what begins at p if that is nothing that a chunk was lost in: a
// footer, a trailer.
func (q *search) dead(p int64) int64 {
	b := q.at(p, chunk.HeaderSize)
	switch {
	case len(b) < format.FooterSize:
		return 0
	case q.footerAt(p):
		return format.FooterSize
	case bytes.HasPrefix(b, trailerBegins):
		q.trailers = append(q.trailers, p)
		return q.trailerLen(p)
	}
	return 0
}

func (q *search) footerAt(p int64) bool {
	return bytes.HasPrefix(q.at(p, format.FooterSize), []byte(format.FooterMagic))
}

func (q *search) trailerAt(p int64) bool { return bytes.HasPrefix(q.at(p, 4), trailerBegins) }

// trailerLen returns how much of a trailer at p can be stepped over.
func (q *search) trailerLen(p int64) int64 {
	n := int(min(q.s.size-p, searchWindow))
	b := q.at(p, n)
	for i := 4; i+format.MinTrailer-12 <= len(b); i++ {
		if b[i] == 0xce && b[i+1] == byte((i+23)>>24) && b[i+2] == byte((i+23)>>16) && b[i+3] == byte((i+23)>>8) && b[i+4] == byte(i+23) && b[i+5] == 0xd8 {
			return int64(i + 23)
		}
	}
	return int64(len(trailerBegins))
}

// indexLike reports whether a chunk with header h may be an index.
func indexLike(h chunk.Header) bool {
	return h.TypeSize == index.EntrySize && h.NBytes > 0 && h.NBytes%index.EntrySize == 0 && !h.VLBlocks()
}

// header returns the header of the chunk that may begin at p, zero if there is none.
func (q *search) header(p int64) chunk.Header {
	b := q.at(p, chunk.HeaderSize)
	if len(b) < chunk.HeaderSize || !mayBegin(b) {
		return chunk.Header{}
	}
	h, err := chunk.ParseHeader(b)
	limit := q.s.env.engine.Limits.MaxChunk
	switch {
	case err != nil || h.NBytes == 0 || int64(h.NBytes) > limit:
	case int64(h.CBytes) > q.s.size-p:
	case h.Memcpyed() && int64(h.CBytes) != int64(h.Size())+int64(h.NBytes) && h.NBytes >= chunk.HeaderSize:
	case indexLike(h):
		return h
	case q.s.exact > 0 && int64(h.NBytes) != q.s.exact:
	default:
		return h
	}
	return chunk.Header{}
}

// chunk returns the chunk at p. guess tells that nothing speaks for one to begin just there.
func (q *search) chunk(p int64, guess bool) (foundChunk, bool) {
	h := q.header(p)
	if h.NBytes == 0 || guess && (q.effort < 0 || q.s.trusted &&
		int32(h.TypeSize) != q.s.head.TypeSize && h.TypeSize != 1 && !indexLike(h)) {
		return foundChunk{}, false
	}
	c := foundChunk{at: p, header: h}
	c.err = q.decode(c)
	if c.err == nil {
		return c, true
	}
	q.effort -= int64(h.NBytes) + chunk.HeaderSize
	if guess && !errors.Is(c.err, cairn.ErrUnsupported) {
		return c, false
	}
	return c, q.boundary(c.end())
}

// boundary reports whether something begins at p.
func (q *search) boundary(p int64) bool {
	return p == q.s.size || q.footerAt(p) || q.trailerAt(p) || q.header(p).NBytes > 0
}

// decode tells what is wrong with a chunk.
func (q *search) decode(c foundChunk) error {
	var err error
	if q.buf, err = wire.ReadFull(q.s.file, q.buf, c.at, int64(c.header.CBytes)); err != nil {
		return err
	}
	if own, ok := format.ParseFooter(q.at(c.end(), format.FooterSize)); ok {
		if sum := format.Checksum(q.buf); sum != own {
			return format.Mismatch("chunk", 0, sum, own)
		}
		return nil
	}
	if c.header.Special() != chunk.SpecialNone {
		return nil
	}
	return q.decoder.DecodeBlocks(c.header, q.buf, nil, nil)
}
