package diff_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/diff"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// items is a source with items in memory.
type items struct {
	shape, chunks, blocks ndarray.Shape
	dtype                 meta.DType
	raw                   []byte
}

func (s *items) Shape() ndarray.Shape                 { return slices.Clone(s.shape) }
func (s *items) DType() meta.DType                    { return s.dtype }
func (s *items) Grid() (chunks, blocks ndarray.Shape) { return s.chunks, s.blocks }
func (s *items) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	size := s.dtype.Size()
	at := slices.Clone(start)
	for o := 0; o < len(dst); o += size {
		i := int64(0)
		for d, n := range s.shape {
			i = i*n + at[d]
		}
		copy(dst[o:o+size], s.raw[int(i)*size:])
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < stop[d] {
				break
			}
			at[d] = start[d]
		}
	}
	return ctx.Err()
}

func dtypeOf(t testing.TB, text string) meta.DType {
	t.Helper()
	d, err := meta.ParseDType(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// floats returns a source of float64.
func floats(t testing.TB, shape, chunks ndarray.Shape, values ...float64) *items {
	t.Helper()
	s := &items{shape: shape, chunks: chunks, blocks: chunks, dtype: dtypeOf(t, "<f8")}
	for _, v := range values {
		s.raw = binary.LittleEndian.AppendUint64(s.raw, math.Float64bits(v))
	}
	return s
}

// ints returns a source of one of the integer dtypes.
func ints(t testing.TB, dtype string, values ...int64) *items {
	t.Helper()
	d := dtypeOf(t, dtype)
	s := &items{shape: ndarray.Shape{int64(len(values))}, dtype: d}
	var order binary.AppendByteOrder = binary.LittleEndian
	if d.BigEndian() {
		order = binary.BigEndian
	}
	for _, v := range values {
		switch d.Size() {
		case 1:
			s.raw = append(s.raw, byte(v))
		case 2:
			s.raw = order.AppendUint16(s.raw, uint16(v))
		case 4:
			s.raw = order.AppendUint32(s.raw, uint32(v))
		default:
			s.raw = order.AppendUint64(s.raw, uint64(v))
		}
	}
	return s
}

func compare(t testing.TB, a, b ndarray.Source, o diff.Options) *diff.Counts {
	t.Helper()
	c, err := diff.Arrays(t.Context(), a, b, &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryGridFindsTheSamePlaces compares arrays with several chunk shapes and workers with a
// plain loop over the values.
func TestEveryGridFindsTheSamePlaces(t *testing.T) {
	shape := ndarray.Shape{7, 90, 1100}
	r := rand.New(rand.NewPCG(1, 2))
	n := 7 * 90 * 1100
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
		if y[i] = x[i]; r.IntN(1000) == 0 {
			y[i] += r.NormFloat64()
		}
	}
	differ, largest, first := int64(0), 0, -1
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if differ++; first < 0 {
			first = i
		}
		if math.Abs(x[i]-y[i]) > math.Abs(x[largest]-y[largest]) {
			largest = i
		}
	}
	at := func(i int) []int64 { return []int64{int64(i / 99000), int64(i / 1100 % 90), int64(i % 1100)} }
	var mean float64
	for k, chunks := range []ndarray.Shape{nil, {2, 30, 400}, {7, 1, 1100}} {
		a, b := floats(t, shape, chunks, x...), floats(t, shape, ndarray.Shape{1, 90, 1}, y...)
		for workers := 1; workers <= 3; workers += 2 {
			var told int64
			c := compare(t, a, b, diff.Options{Workers: workers, Progress: func(n int64) { told += n }})
			if c.Items != int64(n) || told != c.Items || c.Differ != differ || !slices.Equal(c.First.At, at(first)) ||
				!slices.Equal(c.Largest.At, at(largest)) || c.Largest.By != math.Abs(x[largest]-y[largest]) {
				t.Errorf("chunks %v: %+v, first %v, largest %v", chunks, c, c.First, c.Largest)
			}
			got, ok := c.Mean()
			if k == 0 && workers == 1 {
				mean = got
			}
			if !ok || math.Abs(got-mean) > 1e-15 {
				t.Errorf("chunks %v: mean %v, want %v", chunks, got, mean)
			}
		}
	}
}

func TestTolerancesAreThoseOfNumPy(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		a, b float64
		o    diff.Options
		want int64
	}{
		{1, 1, diff.Options{}, 0}, {1, 1.5, diff.Options{}, 1}, {1, 1.5, diff.Options{AbsTol: 0.5}, 0},
		{1, 2, diff.Options{RelTol: 0.5}, 0}, {2, 1, diff.Options{RelTol: 0.5}, 1},
		{2, 1, diff.Options{RelTol: 0.5, AbsTol: 0.5}, 0}, {nan, nan, diff.Options{}, 1},
		{nan, nan, diff.Options{EqualNaN: true}, 0}, {nan, 1, diff.Options{EqualNaN: true, AbsTol: 9}, 1},
		{inf, inf, diff.Options{}, 0}, {inf, -inf, diff.Options{RelTol: 9}, 1}, {1, inf, diff.Options{RelTol: 1}, 1},
		{0, math.Copysign(0, -1), diff.Options{}, 0}, {math.MaxFloat64, -math.MaxFloat64, diff.Options{RelTol: 1}, 1},
	} {
		got := compare(t, floats(t, ndarray.Shape{}, nil, c.a), floats(t, ndarray.Shape{}, nil, c.b), c.o)
		if got.Differ != c.want || got.Items != 1 {
			t.Errorf("%v and %v with %+v: %+v", c.a, c.b, c.o, got)
		}
	}
}

func TestIntegersAreComparedExactly(t *testing.T) {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	for _, c := range []struct {
		a, b *items
		want int64
		by   float64
	}{
		{ints(t, "<i8", most-1, least), ints(t, ">i8", most, least), 1, 1},
		{ints(t, "<i8", most), ints(t, "<i8", least), 1, math.MaxUint64},
		{ints(t, "<u8", -1), ints(t, "<u8", -2), 1, 1},
		{ints(t, "|i1", -1, 5), ints(t, "<i4", -1, 5), 0, 0},
		{ints(t, "|u1", 255), ints(t, "<u2", 255), 0, 0},
		{ints(t, "|u1", 255), ints(t, "|i1", -1), 1, 256},
		{ints(t, "|b1", 1, 0), ints(t, "|u1", 1, 2), 1, 2},
		{ints(t, ">i2", -300), ints(t, "<f8", 0), 1, 300},
	} {
		got := compare(t, c.a, c.b, diff.Options{})
		if got.Differ != c.want || got.Largest != nil && got.Largest.By != c.by {
			t.Errorf("%v %x and %v %x: %+v %+v", c.a.dtype, c.a.raw, c.b.dtype, c.b.raw, got, got.Largest)
		}
	}
}

func TestOtherDTypes(t *testing.T) {
	nat := int64(math.MinInt64)
	days := compare(t, ints(t, "<M8[D]", 1, 2, nat, nat), ints(t, "<M8[D]", 1, 3, nat, 0), diff.Options{})
	if days.Differ != 3 || days.NaN != 1 {
		t.Errorf("dates: %+v", days)
	}
	if c := compare(t, ints(t, "<M8[D]", nat), ints(t, "<M8[D]", nat), diff.Options{EqualNaN: true}); c.Differ != 0 {
		t.Errorf("NaT: %+v", c)
	}
	words := func(text string) *items {
		return &items{shape: ndarray.Shape{int64(len(text) / 2)}, dtype: dtypeOf(t, "|S2"), raw: []byte(text)}
	}
	c := compare(t, words("abcdef"), words("abxdef"), diff.Options{})
	if c.Differ != 1 || c.First.At[0] != 1 || string(c.First.B) != "xd" {
		t.Errorf("strings: %+v", c)
	}
	complexes := func(values ...float64) *items {
		s := floats(t, ndarray.Shape{int64(len(values) / 2)}, nil, values...)
		s.dtype = dtypeOf(t, "<c16")
		return s
	}
	inf := math.Inf(1)
	a, b := complexes(0, 0, 3, 4, math.NaN(), 0, inf, inf), complexes(0, 0, 0, 0, math.NaN(), 0, inf, -inf)
	c = compare(t, a, b, diff.Options{})
	if c.Differ != 3 || c.NaN != 1 || c.Largest.By != inf {
		t.Errorf("complex: %+v", c)
	}
	halves := ints(t, "<f2", 0x3c00, 0x4000)
	if c := compare(t, halves, floats(t, ndarray.Shape{2}, nil, 1, 2), diff.Options{}); c.Differ != 0 {
		t.Errorf("float16: %+v", c)
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	for _, pair := range [][2]string{{"<i4", "|S4"}, {"<M8[D]", "<M8[s]"}, {"<M8[D]", "<i8"}, {"|S2", "|S3"}} {
		if diff.Comparable(dtypeOf(t, pair[0]), dtypeOf(t, pair[1])) {
			t.Errorf("%v can be compared", pair)
		}
	}
	_, err := diff.Arrays(t.Context(), ints(t, "|i1", 1), ints(t, "|i1", 1, 2), &diff.Options{})
	if !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("other shapes: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	one := ints(t, "|i1", 1)
	if _, err := diff.Arrays(ctx, one, one, &diff.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled comparison: %v", err)
	}
	empty := &items{shape: ndarray.Shape{0, 3}, dtype: dtypeOf(t, "<f8")}
	if c := compare(t, empty, empty, diff.Options{}); c.Items != 0 || c.First != nil {
		t.Errorf("no items: %+v", c)
	}
}

// TestMarksOfNaN compares arrays of which one has lost the NaN among its marks for missing items:
// JSON has none.
func TestMarksOfNaN(t *testing.T) {
	with := func(name string, value any) ndarray.Source {
		a, err := ndarray.FromSlice([]float64{1}, ndarray.Shape{1}, nil)
		if err == nil {
			err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: name, Value: value}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	nan := math.NaN()
	for _, c := range []struct {
		a, b  any
		equal bool
	}{
		{[]any{nan, 1e20}, 1e20, true}, {[]any{nan, 1e20, 5.0}, []any{1e20, 5.0}, true}, {[]any{nan, 1e20}, 1e19, false},
		{int64(1<<53 + 1), int64(1 << 53), false}, {uint64(1 << 63), int64(math.MinInt64), false}, {int64(3), 3.0, true},
	} {
		changes, err := diff.Labels(with("missing_value", c.a), with("missing_value", c.b))
		if err != nil || (len(changes) == 0) != c.equal {
			t.Errorf("%v and %v: %v, %v", c.a, c.b, changes, err)
		}
	}
	if changes, err := diff.Labels(with("levels", []any{nan, 1.0}), with("levels", 1.0)); err != nil || len(changes) != 1 {
		t.Errorf("of another attribute: %v, %v", changes, err)
	}
}

func TestAttributes(t *testing.T) {
	a := meta.Map{{Key: "x", Value: math.NaN()}, {Key: "y", Value: int64(1)}, {Key: "only", Value: "a"}}
	b := meta.Map{{Key: "y", Value: int64(2)}, {Key: "x", Value: math.NaN()}, {Key: "other", Value: nil}}
	changes := diff.Attributes(a, b)
	var names []string
	for _, c := range changes {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"attribute y", "attribute only", "attribute other"}) {
		t.Errorf("changes are %v", changes)
	}
}
