package diskcache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/storage"
)

// Ranges returns src through the cache, for [storage.OpenRanges]. origin tells src from all other
// sources, such as a URL without credentials; only its hash is stored. Sources whose version is
// empty are not kept. Stat always asks src, whose version decides which ranges are valid. Closing
// the result closes src if it is an [io.Closer].
func (c *Cache) Ranges(src storage.RangeReader, origin string) storage.RangeReader {
	return &reader{c: c, src: src, origin: origin}
}

// A reader reads a source through the cache. It implements storage.EndReader.
type reader struct {
	c      *Cache
	src    storage.RangeReader
	origin string

	mu sync.Mutex
	of *version // nil until it is known
}

// A version is a version of a source.
type version struct {
	key   key
	index *index // nil if it is not kept
}

// hashOf returns the hash of texts and a number.
func hashOf(n int64, texts ...string) (k [32]byte) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(n))
	for _, s := range texts {
		b = append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
	}
	return sha256.Sum256(b)
}

func (r *reader) source() [16]byte {
	sum := hashOf(0, r.origin)
	return [16]byte(sum[:16])
}

// pin takes the version that Stat returned.
func (r *reader) pin(at storage.Object) *version {
	v := &version{}
	if at.Version != "" {
		v.key = hashOf(at.Size, r.origin, at.Version)
		v.index = &index{c: r.c, place: place{source: r.source(), version: [16]byte(v.key[:16])}}
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if r.of == nil || r.of.key != v.key {
		r.of = v
	}
	return r.of
}

// Stat asks the source.
func (r *reader) Stat(ctx context.Context) (storage.Object, error) {
	at, err := r.src.Stat(ctx)
	if err != nil {
		return at, err
	}

	r.pin(at)
	return at, nil
}

// ReadEnds reads both ends at once if nothing of the source is kept, as the source does. Otherwise
// it asks for the version first, which is all that has to be asked if both ends are kept.
func (r *reader) ReadEnds(ctx context.Context, head, tail int) (at storage.Object, first, last []byte, err error) {
	if ends, ok := r.src.(storage.EndReader); ok && !r.c.knows(r.source()) {
		at, first, last, err = ends.ReadEnds(ctx, head, tail)
		if err != nil {
			return at, first, last, err
		}

		v := r.pin(at)
		r.keep(ctx, v, storage.Range{Data: first})
		if at.Size > int64(len(first)) {
			r.keep(ctx, v, storage.Range{Off: at.Size - int64(len(last)), Data: last})
		}
		return at, first, last, nil
	}

	if at, err = r.Stat(ctx); err != nil || at.Size < 0 {
		return at, nil, nil, err
	}

	n := min(int64(head), at.Size)
	m := min(int64(tail), at.Size)
	if n+m >= at.Size {
		all := make([]byte, at.Size)
		err = r.ReadRanges(ctx, []storage.Range{{Data: all}})
		return at, all[:n], all[at.Size-m:], err
	}

	first = make([]byte, n)
	last = make([]byte, m)
	err = r.ReadRanges(ctx, []storage.Range{{Data: first}, {Off: at.Size - m, Data: last}})
	return at, first, last, err
}

// ReadRanges fills ranges from the cache, and all others from the source at once.
func (r *reader) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	r.mu.Lock()
	v := r.of
	r.mu.Unlock()

	if v == nil {
		at, err := r.Stat(ctx)
		if err != nil {
			return err
		}
		v = r.pin(at)
	}

	// Read what the cache has, and fetch the rest in one request.
	missing := ranges
	if v.index != nil {
		missing = nil
		for _, one := range ranges {
			for len(one.Data) > 0 {
				n := min(len(one.Data), maxExtent)
				if rest := r.fill(v, storage.Range{Off: one.Off, Data: one.Data[:n]}); len(rest.Data) > 0 {
					missing = append(missing, rest)
				}
				one = storage.Range{Off: one.Off + int64(n), Data: one.Data[n:]}
			}
		}
	}

	if len(missing) == 0 {
		return ctx.Err()
	}

	if err := r.src.ReadRanges(ctx, missing); err != nil {
		return err
	}

	for _, one := range missing {
		r.keep(ctx, v, one)
	}
	return nil
}

// fill reads what is kept of a range, and returns the rest.
func (r *reader) fill(v *version, want storage.Range) (rest storage.Range) {
	end := want.Off + int64(len(want.Data))
next:
	for {
		have, missing := v.index.cover(want.Off, end)
		var read int64

		for _, e := range have {
			from := max(e.off, want.Off)
			to := min(e.end(), end)
			if to <= missing.end() && from >= missing.off && missing.n > 0 {
				continue // it will be fetched with what is around it
			}

			if err := r.c.readExtent(v, e, want.Data[from-want.Off:to-want.Off], from); err != nil {
				v.index.drop(e)
				continue next
			}

			read += to - from
		}

		r.c.read.Add(read)
		return storage.Range{Off: missing.off, Data: want.Data[max(0, missing.off-want.Off):][:missing.n]}
	}
}

// readExtent reads a part of an extent. It removes a damaged one.
func (c *Cache) readExtent(v *version, e extent, p []byte, off int64) error {
	path := v.index.path(e)
	f, err := osfile.Open(path, osfile.ReadOnly)
	if err != nil {
		if errors.Is(err, osfile.ErrIrregular) {
			c.discard(path)
		}
		return err
	}

	info, err := f.Stat()
	if err != nil {
		return cmp.Or(err, f.Close())
	}

	err = cmp.Or(e.readFrom(f, info.Size(), v.key, p, off), f.Close())
	switch {
	case errors.Is(err, errDamaged) || errors.Is(err, io.ErrUnexpectedEOF):
		c.discard(path)
	case err == nil:
		// The time of the last change is that of the last use.
		if now := time.Now(); now.Sub(info.ModTime()) > useStep || info.ModTime().After(now) {
			_ = os.Chtimes(path, now, now) // then it is removed earlier
		}
	}
	return err
}

// useStep is the accuracy of the time of the last use.
const useStep = time.Second

// discard removes a damaged file.
func (c *Cache) discard(path string) {
	if os.Remove(path) == nil {
		c.damaged.Add(1)
	}
}

// keep stores what was fetched, cut into extents.
func (r *reader) keep(ctx context.Context, v *version, fetched storage.Range) {
	r.c.fetched.Add(int64(len(fetched.Data)))
	if v.index == nil {
		return
	}

	for data := fetched.Data; len(data) > 0; {
		n := min(len(data), maxExtent)
		e := extent{off: fetched.Off + int64(len(fetched.Data)-len(data)), n: int64(n)}
		if r.c.store(ctx, v, e, data[:n]) {
			v.index.add(e)
		}
		data = data[n:]
	}
}

// Close closes the source if it is an io.Closer.
func (r *reader) Close() error {
	if c, ok := r.src.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
