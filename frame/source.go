package frame

import (
	"context"
	"errors"
	"io"
	"math"
	"sync/atomic"

	"github.com/cairn-go/cairn"
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
