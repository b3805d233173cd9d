package advise_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/advise"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
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
	if err != nil || len(a.Trials) == 0 || len(a.Own) == 0 {
		t.Errorf("without time: %v, %+v", err, a)
	}
}

// waves returns a smooth field of floats.
func waves(t *testing.T, shape ndarray.Shape, digits float64) *ndarray.Untyped {
	t.Helper()
	a, err := ndarray.New[float32](shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	items := make([]float32, a.Len())
	random := rand.New(rand.NewPCG(4, 4))
	for i := range items {
		v := 280 + 20*math.Sin(float64(i)/300) + random.NormFloat64()
		if digits != 0 {
			v = math.Round(v*digits) / digits
		}
		items[i] = float32(v)
	}
	if err := a.Write(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	return a.Untyped
}

// TestOwnSettingsAreApart looks for settings that only cairn reads, which are never among those
// that everybody reads, though they are smaller.
func TestOwnSettingsAreApart(t *testing.T) {
	src := waves(t, ndarray.Shape{40, 50, 60}, 10)
	own := advise.Setting{Codec: codecs.Numeric, Level: 3, Filters: []shuffle.Spec{shuffle.None},
		Chunks: ndarray.Shape{40, 50, 30}, Blocks: ndarray.Shape{10, 50, 30}}
	for _, o := range []advise.Options{{}, {Also: &own}, {Only: []advise.Setting{own, {Codec: codecs.LZ4, Level: 1,
		Chunks: own.Chunks, Blocks: own.Blocks}}}} {
		o.Goal = advise.Size
		o.Time = 2 * time.Second
		a, err := advise.Run(t.Context(), src, &o)
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range a.Trials {
			if trial.Own() || trial.Codec == codecs.Numeric {
				t.Errorf("for everybody: %v", trial.Setting)
			}
		}
		for _, trial := range a.Own {
			if trial.Codec != codecs.Numeric || trial.Exact != 0 {
				t.Errorf("for cairn only: %+v", trial)
			}
		}
		if len(a.Trials) == 0 || len(a.Own) == 0 || a.Own[0].Stored >= a.Trials[0].Stored || a.Own[0].Behind(&a.Trials[0]) >= 0 {
			t.Errorf("for everybody %+v, for cairn only %+v", a.Trials, a.Own)
		}
		if o.Also != nil && !slices.ContainsFunc(a.Own, func(t advise.Trial) bool { return fmt.Sprint(t.Setting) == fmt.Sprint(own) }) {
			t.Error("the present setting was not measured")
		}
	}
}

// TestExactIsCompared measures the best settings with rounded items and with those before.
func TestExactIsCompared(t *testing.T) {
	shape := ndarray.Shape{40, 50, 60}
	rounded := waves(t, shape, 10)
	exact := waves(t, shape, 0)
	a, err := advise.Run(t.Context(), rounded, &advise.Options{Goal: advise.Size, Time: 2 * time.Second, Exact: exact})
	if err != nil {
		t.Fatal(err)
	}
	for _, trials := range [][]advise.Trial{a.Trials, a.Own} {
		best := trials[0]
		made, err := ndarray.Copy(t.Context(), exact, &ndarray.CopyOptions{Codec: best.Codec, Level: best.Level,
			Filters: best.Filters, ChunkShape: best.Chunks, BlockShape: best.Blocks})
		if err != nil {
			t.Fatal(err)
		}
		if size := made.Info().CBytes; best.Exact != size || best.ExactRatio() >= best.Ratio() {
			t.Errorf("%+v takes %d bytes exactly, and %d rounded; a copy takes %d", best.Setting, best.Exact, best.Stored, size)
		}
		made.Close()
	}
	if second := a.Trials[1]; second.Exact != 0 || second.ExactRatio() != 0 {
		t.Errorf("%+v was measured exactly too", second)
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
