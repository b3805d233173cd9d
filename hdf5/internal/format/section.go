package format

import (
	"context"
	"io"
	"slices"

	"github.com/cairn-go/cairn/storage"
)

// Section returns n bytes of the file from an address on, which it must have. What is read by
// requests stays so.
func (f *File) Section(at, n int64) io.ReaderAt {
	s := section{io.NewSectionReader(f.r, f.base+at, n)}
	if far, ok := f.r.(Ranged); ok {
		return farSection{s, far, f.base + at}
	}
	return s
}

// section hides that there is more than ReadAt.
type section struct{ io.ReaderAt }

// farSection is a section of a file that is read by requests.
type farSection struct {
	section
	far  Ranged
	from int64
}

// ReadRanges implements [Ranged].
func (s farSection) ReadRanges(ctx context.Context, ranges []storage.Range) error {
	ranges = slices.Clone(ranges)
	for i := range ranges {
		ranges[i].Off += s.from
	}
	return s.far.ReadRanges(ctx, ranges)
}

// Requests implements [Ranged].
func (s farSection) Requests() int { return s.far.Requests() }

// Load implements [Ranged].
func (s farSection) Load(ctx context.Context, off, n int64) (release func(), err error) {
	return s.far.Load(ctx, s.from+off, n)
}
