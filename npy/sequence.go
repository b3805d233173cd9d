package npy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile/fresh"
	"github.com/cairn-go/cairn/internal/strided"
)

// windowBytes is how much of a compressed member is kept to be read again.
const windowBytes = 32 << 20

// A sequence has the items of something that is read from front to back: a stream, or a compressed
// member. Offsets include the header of base bytes.
type sequence struct {
	base, end int64

	mu   sync.Mutex
	r    io.Reader
	at   int64 // of r
	open func() (io.ReadCloser, error)
	// The last bytes before at, of a member: byte i of it is at i modulo the size of the window.
	window []byte
	most   int64 // size of the window
	kept   int64
}

func (s *sequence) readBox(ctx context.Context, dst []byte, l strided.Layout, start, stop []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	return l.Walk(start, stop, func(r strided.Rows) error {
		for k := range r.Count {
			if err := s.readAt(ctx, dst[:r.Run], s.base+r.Off+k*r.Stride); err != nil {
				return err
			}
			dst = dst[r.Run:]
		}
		return nil
	})
}

// readAt reads the bytes at an offset. It takes them from the window, and goes on or begins again
// for those that are not there.
func (s *sequence) readAt(ctx context.Context, dst []byte, off int64) error {
	if off < s.at-s.kept {
		if s.open == nil {
			return fmt.Errorf("the stream is at byte %d of the items, and cannot go back to %d: %w",
				s.at-s.base, off-s.base, cairn.ErrBounds)
		}
		if err := s.restart(); err != nil {
			return err
		}
	}

	for off < s.at && len(dst) > 0 {
		from := off % int64(len(s.window))
		n := copy(dst, s.window[from:min(int64(len(s.window)), from+s.at-off)])
		dst = dst[n:]
		off += int64(n)
	}

	if len(dst) == 0 {
		return nil
	}
	if err := s.skip(ctx, off); err != nil {
		return err
	}
	return s.next(ctx, dst)
}

// restart begins again at the start of the member.
func (s *sequence) restart() error {
	if c, ok := s.r.(io.Closer); ok {
		c.Close()
	}

	r, err := s.open()
	if err != nil {
		return err
	}

	s.r = r
	s.at = 0
	s.kept = 0
	return nil
}

// stepBytes is how much is read between looks at the context.
const stepBytes = 1 << 20

// skip reads up to an offset.
func (s *sequence) skip(ctx context.Context, off int64) error {
	if s.at == off {
		return nil
	}
	scratch := make([]byte, min(off-s.at, 64<<10))
	for s.at < off {
		if err := s.next(ctx, scratch[:min(off-s.at, int64(len(scratch)))]); err != nil {
			return err
		}
	}
	return nil
}

// next reads the next bytes. After the last one it looks for the end, where the checksum of a
// member is compared.
func (s *sequence) next(ctx context.Context, dst []byte) error {
	for len(dst) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(s.r, dst[:min(len(dst), stepBytes)])
		s.keep(dst[:n])
		dst = dst[n:]
		if err != nil {
			return strided.Ended(layerFile, s.at-s.base, err)
		}
	}

	if s.at < s.end || s.open == nil {
		return nil
	}
	if n, err := s.r.Read(make([]byte, 1)); n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return strided.Ended(layerFile, s.at-s.base, err)
	}
	return nil
}

// keep puts bytes that were read into the window, and moves on behind them.
func (s *sequence) keep(b []byte) {
	n := int64(len(b))

	// Make room in the window for the bytes up to an offset, as far as it may. Until it
	// has its full size, it begins with the first byte.
	end := s.at + n
	if have := int64(len(s.window)); end > have && have < s.most {
		window := fresh.Make[byte](min(max(end, 2*have), s.most))
		copy(window, s.window)
		s.window = window
	}

	size := int64(len(s.window))
	for from := max(0, n-size); from < n && size > 0; {
		from += int64(copy(s.window[(s.at+from)%size:], b[from:]))
	}
	s.at += n
	s.kept = min(s.kept+n, size)
}
