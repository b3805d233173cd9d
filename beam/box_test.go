package cairnbeam

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/cairn-go/cairn"
)

func init() {
	register.DoFn3x1[context.Context, Box, func(int64), error](&sumFn{})
	register.Emitter1[int64]()
}

// sumFn adds up the items of boxes.
type sumFn struct {
	in Sources
}

func (f *sumFn) ProcessElement(ctx context.Context, b Box, emit func(int64)) error {
	items, err := Items[float32](ctx, &f.in, b)
	sum := int64(0)
	for _, x := range items {
		sum += int64(x)
	}
	emit(sum)
	return err
}

func (f *sumFn) Teardown() error { return f.in.Close() }

func TestBoxesCoverArrays(t *testing.T) {
	f := newFolder(t)
	want := int64(0)
	for i := range int64(90 * 110) {
		want += i - min(i, 4000)
	}
	for _, bytes := range []int64{0, 1, 5000} {
		f.ok(run(t, func(s beam.Scope) {
			boxes := Read(s, beam.Create(s, f.at("b.b2nd"), f.at("none.b2nd")), bytes)
			count := map[int64]int{0: 1, 1: 20, 5000: 10}[bytes]
			passert.Count(s, boxes, "boxes", count)
			passert.Equals(s, stats.Sum(s, beam.ParDo(s, &sumFn{}, boxes)), want)
		}))
	}
}

func TestItemsOfWrongBoxes(t *testing.T) {
	f := newFolder(t)
	in := Sources{}
	defer in.Close()
	at := f.at("a.b2nd")
	for _, b := range []Box{{at, nil, nil}, {at, []int64{0, 0}, []int64{91, 1}}, {at, []int64{5, 0}, []int64{4, 1}},
		{at, []int64{-1, 0}, []int64{4, 1}}} {
		if _, err := Items[float32](t.Context(), &in, b); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%v: %v", b, err)
		}
	}
	if _, err := Items[int16](t.Context(), &in, Box{at, []int64{0, 0}, []int64{1, 1}}); !errors.Is(err, cairn.ErrType) {
		t.Errorf("another type: %v", err)
	}
	if _, err := Items[int16](t.Context(), &in, Box{Path: f.at("nothing")}); err == nil {
		t.Error("items of nothing")
	}
}
