package sampling

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// sample returns an array with some NaN and its items.
func sample(t *testing.T, shape ndarray.Shape, o *ndarray.Options) (ndarray.Array[float64], []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(len(shape))))
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(rng.IntN(1000))
		if rng.IntN(10) == 0 {
			values[i] = math.NaN()
		}
	}
	a, err := ndarray.FromSlice(values, shape, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a, values
}

func TestReduceEqualsMeansOfCells(t *testing.T) {
	for _, c := range []struct {
		shape         ndarray.Shape
		rows, columns int
	}{{ndarray.Shape{50, 70}, 7, 9}, {ndarray.Shape{5, 7}, 10, 10}, {ndarray.Shape{1, 1000}, 3, 10},
		{ndarray.Shape{900, 700}, 13, 400}} {
		a, values := sample(t, c.shape, &ndarray.Options{ChunkShape: ndarray.Shape{20, 30},
			BlockShape: ndarray.Shape{5, 8}})
		for _, workers := range []int{1, 3} {
			got, err := Reduce(t.Context(), Input{Source: a, Workers: workers}, c.rows, c.columns)
			if err != nil {
				t.Fatal(err)
			}
			rows, columns := min(c.rows, int(c.shape[0])), min(c.columns, int(c.shape[1]))
			sums, counts := make([]float64, rows*columns), make([]float64, rows*columns)
			low := make([]float64, rows*columns)
			for i := range low {
				low[i] = math.Inf(1)
			}
			for i, v := range values {
				y, x := i/int(c.shape[1]), i%int(c.shape[1])
				at := y*rows/int(c.shape[0])*columns + x*columns/int(c.shape[1])
				if v == v {
					sums[at] += v
					counts[at]++
					low[at] = min(low[at], v)
				}
			}
			if got.Rows != rows || got.Columns != columns {
				t.Fatalf("%v: %d × %d cells", c.shape, got.Rows, got.Columns)
			}
			for i := range sums {
				want := sums[i] / counts[i]
				if math.Abs(got.Means[i]-want) > 1e-9 || (want != want) != (got.Means[i] != got.Means[i]) {
					t.Fatalf("%v: cell %d is %v, want %v", c.shape, i, got.Means[i], want)
				}
				if counts[i] > 0 && got.Lows[i] != low[i] {
					t.Fatalf("%v: cell %d has the minimum %v, want %v", c.shape, i, got.Lows[i], low[i])
				}
			}
		}
	}
}

// TestReduceToItemsInTheMiddle compares cells with the items that they should be.
func TestReduceToItemsInTheMiddle(t *testing.T) {
	shape := ndarray.Shape{90, 701}
	a, values := sample(t, shape, &ndarray.Options{ChunkShape: ndarray.Shape{20, 30}, BlockShape: ndarray.Shape{5, 8}})
	for _, size := range [][2]int{{1, 1}, {7, 9}, {90, 100}, {90, 701}} {
		got, err := Reduce(t.Context(), Input{Source: a, Middle: true}, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got.Means {
			y, x := (2*(i/size[1])+1)*90/(2*size[0]), (2*(i%size[1])+1)*701/(2*size[1])
			if want := values[y*701+x]; v != want && (v == v || want == want) {
				t.Errorf("%v: cell %d is %v, want %v", size, i, v, want)
			}
		}
	}
}

// TestInfinitiesAreNoMeans holds that infinities are shown only where nothing is finite.
func TestInfinitiesAreNoMeans(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	a, err := ndarray.FromSlice([]float64{1, inf, -inf, 3, -inf, nan, inf, -inf, nan, nan}, ndarray.Shape{10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Reduce(t.Context(), Input{Source: a}, 1, 5)
	if want := "[1 3 -Inf +Inf NaN]"; err != nil || fmt.Sprint(got.Means) != want || fmt.Sprint(got.Lows) != want {
		t.Error(got, err)
	}
}

func TestSameForAnyNumberOfWorkers(t *testing.T) {
	a, _ := sample(t, ndarray.Shape{2000, 1000}, &ndarray.Options{ChunkShape: ndarray.Shape{300, 200}})
	one, err := Reduce(t.Context(), Input{Source: a, Workers: 1}, 40, 50)
	if err != nil {
		t.Fatal(err)
	}
	four, err := Reduce(t.Context(), Input{Source: a, Workers: 4}, 40, 50)
	if err != nil || fmt.Sprint(one) != fmt.Sprint(four) {
		t.Errorf("different results (%v)", err)
	}
}

func TestHistogram(t *testing.T) {
	a, values := sample(t, ndarray.Shape{3000}, &ndarray.Options{ChunkShape: ndarray.Shape{130}})
	low, high, err := Extent(t.Context(), Input{Source: a, Workers: 2})
	if err != nil || low != 0 || high < 990 {
		t.Fatalf("from %v to %v, %v", low, high, err)
	}
	h, err := Count(t.Context(), Input{Source: a, Workers: 2}, 10, 100, 900)
	if err != nil {
		t.Fatal(err)
	}
	want := &Histogram{Low: 100, High: 900, Counts: make([]float64, 10)}
	for _, v := range values {
		switch {
		case v != v:
			want.NaN++
		case v < 100 || v > 900:
			want.Outside++
		default:
			want.Counts[min(9, int((v-100)/80))]++
		}
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%v, want %v", h, want)
	}
	cube, err := ndarray.ViewOf(a).Slice().Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := ndarray.New[float64](ndarray.Shape{10, 20, 15}, &ndarray.Options{ChunkShape: ndarray.Shape{3, 7, 4}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Untyped.Write(t.Context(), cube); err != nil {
		t.Fatal(err)
	}
	if h, err = Count(t.Context(), Input{Source: b, Workers: 2}, 10, 100,
		900); err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("in three dimensions %v, want %v (%v)", h, want, err)
	}
	if h, err = Count(t.Context(), Input{Source: a, Workers: 1}, 4, 5, 5); err != nil || h.NaN != want.NaN {
		t.Errorf("a range of one value: %v, %v", h, err)
	}
	none, err := ndarray.FromSlice([]float64{math.NaN(), math.Inf(1)}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	if low, _, err = Extent(t.Context(), Input{Source: none, Workers: 1}); err != nil || low == low {
		t.Errorf("without finite items: %v, %v", low, err)
	}
}

// huge is an array of any size without items.
type huge struct {
	ndarray.Source
	shape, chunks ndarray.Shape
}

func (h huge) Shape() ndarray.Shape                 { return h.shape }
func (h huge) Grid() (chunks, blocks ndarray.Shape) { return h.chunks, h.chunks }
func (h huge) fits(w *walk) bool                    { return bytesOf(w.edge(h.shape), 8) <= boxBytes }

func TestBoxesAreBounded(t *testing.T) {
	a, _ := sample(t, ndarray.Shape{2, 2}, nil)
	for _, h := range []huge{
		{shape: ndarray.Shape{1 << 18, 1 << 20}}, {shape: ndarray.Shape{1 << 18, 1 << 20},
			chunks: ndarray.Shape{1 << 18, 1 << 20}},
		{shape: ndarray.Shape{1 << 38}, chunks: ndarray.Shape{1 << 38}}, {shape: ndarray.Shape{100, 100},
			chunks: ndarray.Shape{1, 1}},
	} {
		h.Source = a
		if !h.fits(&walk{Input: Input{Source: h}}) {
			t.Errorf("%v in chunks of %v is read in larger boxes", h.shape, h.chunks)
		}
	}
	tooMany := huge{Source: a, shape: ndarray.Shape{1 << 31, 1 << 31}}
	if _, err := Reduce(t.Context(), Input{Source: tooMany, Workers: 1}, 10, 10); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("2^62 items: %v", err)
	}
}

func TestOtherDTypesAndEmptyArrays(t *testing.T) {
	b, err := ndarray.FromSlice([]bool{true, false, true, true}, ndarray.Shape{4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c, err := Reduce(t.Context(), Input{Source: b, Workers: 1}, 1, 1)
	if err != nil || c.Means[0] != 0.75 || c.Single {
		t.Errorf("mean of bools: %v, %v", c, err)
	}
	empty, err := ndarray.FromSlice([]int8{}, ndarray.Shape{0, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	if c, err := Reduce(t.Context(), Input{Source: empty, Workers: 1}, 5, 5); err != nil || c.Rows != 0 {
		t.Errorf("an empty array: %v, %v", c, err)
	}
	raw, err := ndarray.NewUntyped("|V3", ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := Reduce(t.Context(), Input{Source: raw, Workers: 1}, 1, 1); !errors.Is(err, cairn.ErrType) {
		t.Errorf("items of three bytes: %v", err)
	}
}
