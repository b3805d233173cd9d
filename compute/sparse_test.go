package compute

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// vast is a source of more items than anybody can read: 2 everywhere but for item 0 of some boxes,
// which is 5.
type vast struct {
	edge int64
	at   []int64 // first items of the boxes
}

func (v *vast) Shape() ndarray.Shape { return ndarray.Shape{1 << 58} }

func (v *vast) DType() meta.DType {
	d, err := meta.ParseDType("<i4")
	if err != nil {
		panic(err)
	}
	return d
}

func (v *vast) Grid() (chunks, blocks ndarray.Shape) {
	return ndarray.Shape{v.edge}, ndarray.Shape{v.edge}
}

func (v *vast) ReadBytes(_ context.Context, dst []byte, start, _ []int64) error {
	for i := range len(dst) / 4 {
		n := uint32(2)
		for _, at := range v.at {
			if start[0]+int64(i) == at {
				n = 5
			}
		}
		binary.LittleEndian.PutUint32(dst[4*i:], n)
	}
	return nil
}

// vastSparse tells where the boxes are.
type vastSparse struct{ vast }

func (v *vastSparse) WrittenBoxes(context.Context) (starts [][]int64, shape []int64, ok bool, err error) {
	for _, at := range v.at {
		starts = append(starts, []int64{at})
	}
	return starts, []int64{v.edge}, true, nil
}

// TestSummaryOfVastSources holds that summaries take work in proportion to what is stored.
func TestSummaryOfVastSources(t *testing.T) {
	const items = 1 << 58
	for _, at := range [][]int64{nil, {0}, {1 << 40, 1<<58 - 1<<10}, {1 << 10, 2 << 10, 3 << 10, 1 << 57}} {
		src := &vastSparse{vast{1 << 10, at}}
		s, err := Summarize(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(len(at))
		wantMax := int32(2)
		if len(at) > 0 {
			wantMax = 5
		}
		if s.N != items || s.Min != int32(2) || s.Max != wantMax || math.Abs(s.Moments.Mean-2-3*n/items) > 1e-12 {
			t.Errorf("%v: %+v", at, s)
		}
		counts, err := Histogram(t.Context(), src, 2, 1, 6)
		if err != nil || counts[0] != items-int64(len(at)) || counts[1] != int64(len(at)) {
			t.Errorf("%v: %v, %v", at, counts, err)
		}
	}
}

// TestSummariesEnd holds that a summary of a source that cannot be finished ends with its context.
func TestSummariesEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Summarize(ctx, &vast{edge: 1 << 10}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Histogram(ctx, &vast{edge: 1 << 10}, 2, 1, 6); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
