package frame

import (
	"context"
	"errors"
	"io"
	"math"
	"sync/atomic"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/asm/crc32c"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// span is a range of a file. Memory that the file lends for it is valid until Release.
type span struct {
	inside.Lease
	at    int64
	limit int64 // bytes that may be read
	brief bool  // lent memory is not used after Release
	// ends requests of a file that is read by requests; may be nil
	ctx   context.Context
	total *atomic.Int64 // of bytes that are read or used in place; belongs to the handle
}

// from returns what the span is read from.
func (s *span) from() io.ReaderAt {
	if many, ok := s.File.(manyReader); ok && s.ctx != nil {
		return untilReader{s.File, many, s.ctx}
	}
	return s.File
}

// An untilReader is a file that is read by requests, which end with a context.
type untilReader struct {
	storage.File
	many manyReader
	ctx  context.Context
}

func (r untilReader) ReadAt(b []byte, off int64) (int, error) {
	err := r.many.ReadRanges(r.ctx, []storage.Range{{Off: off, Data: b}})
	if errors.Is(err, cairn.ErrBounds) {
		return r.File.ReadAt(b, off) // up to the end
	}
	if err != nil {
		return 0, err
	}
	return len(b), nil
}

// lends reports whether a file lends its memory. A nil file does not.
func lends(file storage.File) bool {
	_, ok := file.(storage.Lender)
	return ok
}

// lend returns the first n bytes as a view of memory, or nil if the file has none to lend.
func (s *span) lend(n int64) []byte {
	l, ok := s.File.(storage.Lender)
	switch {
	case !ok || n > math.MaxInt32:
		return nil
	case s.brief:
		b := l.Lease(s.at, int(n))
		if b != nil {
			s.Count++
		}
		return b
	case s.Owned:
		return nil
	}
	return l.Slice(s.at, int(n))
}

// read returns the first n bytes in buf's memory, which grows as needed.
func (s span) read(buf []byte, n int64) ([]byte, error) { return s.more(buf[:0], 0, n) }

// more reads the bytes at an offset of the span that follow those in b, up to n, and appends them.
func (s span) more(b []byte, at, n int64) ([]byte, error) {
	s.total.Add(max(0, n-int64(len(b))))
	return wire.ReadMore(s.from(), b, s.at+at, n)
}

// A manyReader reads several ranges with one call, as a file of [storage.OpenRanges] does.
type manyReader interface {
	ReadRanges(ctx context.Context, ranges []storage.Range) error
}

// A loader is a manyReader that bounds its requests and keeps bytes that will be read.
type loader interface {
	manyReader
	Requests() int
	Load(ctx context.Context, off, n int64) (release func(), err error)
}

// An encoded chunk may be in several pieces of memory, the first of which begins with its header:
// those that it has in common with another chunk need not be copied.

// sizeOf returns the number of bytes of pieces.
func sizeOf(pieces [][]byte) int64 {
	size := int64(0)
	for _, p := range pieces {
		size += int64(len(p))
	}
	return size
}

// checksum returns the checksum of a chunk in pieces.
func checksum(c [][]byte) uint32 {
	sum := uint32(0)
	for _, p := range c {
		sum = crc32c.Update(sum, p)
	}
	return sum
}

// gathering is memory for writing pieces. Nothing in it outlasts a write.
type gathering struct {
	sealed [][]byte
	footer [format.FooterSize]byte
	small  []byte // what is written with one call to a file that takes no pieces
}

// seal returns the pieces of a chunk with the given checksum and its footer, for one write.
func (g *gathering) seal(c [][]byte, sum uint32) [][]byte {
	g.sealed = append(append(g.sealed[:0], c...), format.AppendFooter(g.footer[:0], sum))
	return g.sealed
}

// write writes pieces to a file.
func (g *gathering) write(file storage.File, pieces [][]byte, at int64) error {
	defer func() { clear(g.sealed) }()
	if many, ok := file.(storage.Gatherer); ok {
		_, err := many.WritePieces(pieces, at)
		return err
	}

	put := func(p []byte) error {
		if len(p) == 0 {
			return nil
		}
		_, err := file.WriteAt(p, at)
		at += int64(len(p))
		return err
	}
	g.small = g.small[:0]
	for _, p := range pieces {
		if len(g.small)+len(p) > separateFrom {
			if err := put(g.small); err != nil {
				return err
			}
			g.small = g.small[:0]
		}
		if len(p) <= separateFrom {
			g.small = append(g.small, p...)
		} else if err := put(p); err != nil {
			return err
		}
	}
	return put(g.small)
}

// separateFrom is the longest piece that is copied to be written together with others. For longer
// ones the copy would take longer than a second system call.
const separateFrom = 32 << 10
