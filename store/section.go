package store

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// section returns n bytes of r from off on as [io.NewSectionReader] does, with a name for errors.
// Where r reads several ranges at once, so does the section.
func section(r io.ReaderAt, off, n int64, name string) io.ReaderAt {
	s := namedSection{io.NewSectionReader(r, off, n), name}
	if many, ok := r.(manyReader); ok {
		return manySection{s, many, off, n}
	}
	return s
}

type namedSection struct {
	*io.SectionReader
	name string
}

func (s namedSection) Name() string { return s.name }

// A manyReader reads several ranges at once, as a File of [storage.OpenRanges] does.
type manyReader interface {
	ReadRanges(ctx context.Context, ranges []storage.Range) error
	Requests() int
	Load(ctx context.Context, off, n int64) (release func(), err error)
}

type manySection struct {
	namedSection
	many   manyReader
	off, n int64
}

func (s manySection) Requests() int { return s.many.Requests() }

func (s manySection) Load(ctx context.Context, off, n int64) (release func(), err error) {
	if off < 0 || n < 0 || off > s.n-n {
		return nil, fmt.Errorf("%d bytes at %d of %d: %w", n, off, s.n, cairn.ErrBounds)
	}
	return s.many.Load(ctx, s.off+off, n)
}

func (s manySection) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	moved := slices.Clone(ranges)
	for i := range moved {
		if r := &moved[i]; r.Off < 0 || r.Off > s.n || int64(len(r.Data)) > s.n-r.Off {
			return fmt.Errorf("%d bytes at %d of %d: %w", len(r.Data), r.Off, s.n, cairn.ErrBounds)
		}
		moved[i].Off += s.off
	}
	return s.many.ReadRanges(ctx, moved)
}
