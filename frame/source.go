package frame

import (
	"errors"
	"math"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/storage"
)

// span is a stretch of a file, and the right to what that lends of it until Release.
type span struct {
	inside.Lease
	at    int64
	limit int64 // bytes that may be read
	brief bool  // whether what is lent is used only until Release
}

// lends reports whether a file lends memory; nil does not.
func lends(file storage.File) bool {
	_, ok := file.(storage.Lender)
	return ok
}

// discardFile empties a file that nobody else has.
func discardFile(file storage.File) {
	if l, ok := file.(storage.Lender); ok {
		l.Discard()
	}
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
func (s span) read(buf []byte, n int64) ([]byte, error) { return wire.ReadFull(s.File, buf, s.at, n) }

// Lease is EncodedChunk for bytes that are needed only until l is released, and returns their
// header.
func (d *door) Lease(l *inside.Lease, buf []byte, i int) ([]byte, chunk.Header, error) {
	v := d.state()
	entry, err := v.entry(i)
	if err != nil {
		return nil, chunk.Header{}, err
	}
	c, err := v.lease(l, buf, i, entry)
	return c.bytes, c.header, v.inChunk(i, entry, err)
}

// lease is Lease for an entry of the index.
func (v *state) lease(l *inside.Lease, buf []byte, i int, entry int64) (fetched, error) {
	sp := span{brief: true}
	c, err := v.fetchFrom(&sp, buf, i, entry)
	*l = sp.Lease
	if err != nil {
		err = errors.Join(err, l.Release())
	}
	return c, err
}

// leaseFresh is lease for bytes that get another checksum, which it returns: they are compared with
// the one that they have even if they were before, or damage since would look sound for good.
func (v *state) leaseFresh(l *inside.Lease, buf []byte, i int, entry int64) (fetched, uint32, error) {
	sp := span{brief: true}
	var sum uint32
	c, err := v.fetchUnchecked(&sp, buf, nil, i, entry)
	*l = sp.Lease
	if err == nil {
		if sum = format.Checksum(c.bytes); v.mayHaveFooter() && v.env.verify != VerifyOff {
			_, err = v.compare(entry, sum, c.behind)
		}
	}
	if err != nil {
		err = errors.Join(err, l.Release())
	}
	return c, sum, err
}
