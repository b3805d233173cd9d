package cairnbeam

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
)

// A Box is a part of an array: the items from Start up to, not including, Stop in each dimension.
type Box struct {
	Path        string
	Start, Stop []int64
}

// Len returns the number of items of the box.
func (b Box) Len() int64 { return slab.Box{Start: b.Start, Stop: b.Stop}.Items() }

// defaultBoxBytes are the bytes of a box if the caller does not say how many.
const defaultBoxBytes = 16 << 20

// Read returns a PCollection of [Box]: those of the arrays at a PCollection of paths. A box is of
// whole chunks, or as wide as the array, and its items have at most so many bytes, unless one chunk
// has more; 0 bytes mean 16 MiB. A DoFn gets the items by [Items].
func Read(s beam.Scope, paths beam.PCollection, bytes int64) beam.PCollection {
	s = s.Scope("cairnbeam.Read")
	return beam.Reshuffle(s, beam.ParDo(s, &readFn{Bytes: cmp.Or(bytes, defaultBoxBytes)}, paths))
}

func init() {
	beam.RegisterType(reflect.TypeFor[Box]())
	register.DoFn3x1[context.Context, string, func(Box), error](&readFn{})
	register.Emitter1[Box]()
}

// readFn cuts arrays into boxes.
type readFn struct {
	Bytes   int64
	sources Sources
}

func (f *readFn) ProcessElement(ctx context.Context, path string, emit func(Box)) error {
	src, err := f.sources.Source(ctx, path)
	if err != nil {
		return err
	}
	shape := src.Shape()
	chunks, _ := src.Grid()
	if chunks == nil {
		chunks = slices.Repeat(ndarray.Shape{1}, len(shape))
	}
	edge := slab.Chunked(shape, chunks, int64(src.DType().Size()), f.Bytes)
	for b := range slab.Walk(make([]int64, len(shape)), shape, edge) {
		emit(Box{path, slices.Clone(b.Start), slices.Clone(b.Stop)})
	}
	return nil
}

func (f *readFn) Teardown() error { return f.sources.Close() }
