package advise_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/advise"
	"github.com/cairn-go/cairn/ndarray"
)

// ramp returns an array of bytes that grow slowly along the last dimension.
func ramp(t *testing.T, shape ndarray.Shape) *ndarray.Untyped {
	t.Helper()
	a, err := ndarray.New[int8](shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	items := make([]int8, a.Len())
	for i := range items {
		items[i] = int8(i / 100 % 100)
	}
	if err := a.Write(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	return a.Untyped
}

// TestFirstChoiceIsSmall checks that the first choice for size is about as small as the best of all
// combinations.
func TestFirstChoiceIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	src := ramp(t, ndarray.Shape{20, 25, 60})
	told := 0
	o := advise.Options{Goal: advise.Size, Time: time.Minute, Workers: 1, Progress: func(done, _ int) { told = done }}
	quick, err := advise.Run(t.Context(), src, &o)
	if err != nil {
		t.Fatal(err)
	}
	if quick.Sampled != 20*25*60 || quick.Places != 1 || quick.Tried < 50 || told < quick.Tried {
		t.Errorf("sampled %d bytes, %d places, tried %d, told of %d", quick.Sampled, quick.Places, quick.Tried, told)
	}
	o.Exhaustive = true
	all, err := advise.Run(t.Context(), src, &o)
	if err != nil {
		t.Fatal(err)
	}
	smallest := slices.MaxFunc(all.Trials, func(a, b advise.Trial) int { return int(b.Stored - a.Stored) })
	got := quick.Trials[0]
	if float64(got.Stored) > 1.1*float64(smallest.Stored) {
		t.Errorf("the first choice %v takes %d bytes, and %v %d", got.Setting, got.Stored,
			smallest.Setting, smallest.Stored)
	}
}

// TestShapesSuitTheAccess checks that reads along the first dimension get blocks that are long
// there.
func TestShapesSuitTheAccess(t *testing.T) {
	src := ramp(t, ndarray.Shape{200, 20, 20})
	also := advise.Setting{Level: 5, Chunks: ndarray.Shape{1, 20, 20}, Blocks: ndarray.Shape{1, 20, 20}}
	a, err := advise.Run(t.Context(), src, &advise.Options{Goal: advise.Read, Access: ndarray.Shape{200, 1, 1},
		Time: time.Minute, Workers: 1, Also: &also})
	if err != nil {
		t.Fatal(err)
	}
	if best := a.Trials[0]; best.Blocks[0] < 50 || best.ReadRate() <= 0 || best.WriteRate() <= 0 || best.Ratio() <= 1 {
		t.Errorf("the first choice is %+v", best)
	}
	if !slices.ContainsFunc(a.Trials, func(t advise.Trial) bool { return fmt.Sprint(t.Setting) == fmt.Sprint(also) }) {
		t.Error("the present setting was not measured")
	}
}

func TestTimeIsLimited(t *testing.T) {
	src := ramp(t, ndarray.Shape{100, 100, 100})
	a, err := advise.Run(t.Context(), src, &advise.Options{Goal: advise.Balanced, Time: time.Nanosecond})
	if err != nil || len(a.Trials) == 0 {
		t.Errorf("without time: %v", err)
	}
}

func TestOddArrays(t *testing.T) {
	for _, shape := range []ndarray.Shape{{}, {1}, {7}, {1, 1, 1}, {3, 10000}, {2, 3, 2, 3, 2}} {
		o := advise.Options{Goal: advise.Write, Time: 5 * time.Millisecond}
		for range 2 {
			if a, err := advise.Run(t.Context(), ramp(t, shape), &o); err != nil || len(a.Trials) == 0 {
				t.Errorf("shape %v: %v", shape, err)
			}
			o.Access = slices.Clone(shape)
		}
	}
	empty := ramp(t, ndarray.Shape{0, 3})
	if _, err := advise.Run(t.Context(), empty, &advise.Options{}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("no items: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := advise.Run(ctx, ramp(t, ndarray.Shape{9}), &advise.Options{Time: time.Minute})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
