package ndarray

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// pythonSlice returns the items of range(extent)[start:stop:step], found by stepping.
func pythonSlice(extent int64, s Selector) []int64 {
	step := int64(1)
	if s.of.HasStep {
		step = s.of.Step
	}
	bound := func(given bool, at, otherwise int64) int64 {
		if !given {
			return otherwise
		}
		if at < 0 {
			at += extent
		}
		return at
	}
	list := []int64{}
	if step > 0 {
		for at := max(bound(s.of.HasStart, s.of.Start, 0), 0); at < min(bound(s.of.HasStop,
			s.of.Stop, extent), extent); at += step {
			list = append(list, at)
		}
		return list
	}
	for at := min(bound(s.of.HasStart, s.of.Start, extent-1),
		extent-1); at > max(bound(s.of.HasStop, s.of.Stop, -1), -1); at += step {
		list = append(list, at)
	}
	return list
}

// picked is the result of selectors on a model: the item numbers in order, and the shape.
type picked struct {
	shape Shape
	items []int64
}

// pick resolves selectors the slow way: one dimension after another, each as a list of coordinates.
func (m *model) pick(selectors []Selector) picked {
	given := 0
	for _, s := range selectors {
		if s.of.Kind != selection.Ellipsis && s.of.Kind != selection.NewAxis {
			given++
		}
	}
	var full []Selector
	dots := false
	for _, s := range selectors {
		if s.of.Kind != selection.Ellipsis {
			full = append(full, s)
			continue
		}
		dots = true
		full = append(full, slices.Repeat([]Selector{All}, len(m.shape)-given)...)
	}
	if !dots {
		full = append(full, slices.Repeat([]Selector{All}, len(m.shape)-given)...)
	}
	p := picked{shape: Shape{}, items: []int64{0}}
	dim := 0
	for _, s := range full {
		var list []int64
		switch s.of.Kind {
		case selection.NewAxis:
			p.shape = append(p.shape, 1)
			continue
		case selection.Index:
			list = []int64{s.of.Start}
		case selection.List:
			list = s.of.List
		case selection.Mask:
			for i, taken := range s.of.Mask {
				if taken {
					list = append(list, int64(i))
				}
			}
		default:
			list = pythonSlice(m.shape[dim], s)
		}
		extent := m.shape[dim]
		dim++
		if s.of.Kind != selection.Index {
			p.shape = append(p.shape, int64(len(list)))
		}
		items := []int64{}
		for _, before := range p.items {
			for _, at := range list {
				items = append(items, before*extent+(at+extent)%extent)
			}
		}
		p.items = items
	}
	return p
}

func (m *model) at(items []int64) []byte {
	out := []byte{}
	for _, i := range items {
		out = append(out, m.data[int(i)*m.item:][:m.item]...)
	}
	return out
}

func (m *model) put(items []int64, src []byte) {
	for k, i := range items {
		copy(m.data[int(i)*m.item:][:m.item], src[k%(len(src)/m.item)*m.item:])
	}
}

// randomSelectors returns selectors of all kinds that are valid for a shape.
func randomSelectors(rnd *rand.Rand, shape Shape) []Selector {
	var out []Selector
	from, to := len(shape), len(shape) // dimensions left to an ellipsis
	if rnd.IntN(4) == 0 {
		from = rnd.IntN(len(shape) + 1)
		to = from + rnd.IntN(len(shape)-from+1)
	}
	for dim, extent := range shape {
		for rnd.IntN(12) == 0 {
			out = append(out, NewAxis)
		}
		if dim == from {
			out = append(out, Ellipsis)
		}
		if dim < from || dim >= to {
			out = append(out, randomSelector(rnd, extent))
		}
	}
	for len(out) > 0 && from == len(shape) && rnd.IntN(5) == 0 {
		out = out[:len(out)-1]
	}
	if rnd.IntN(12) == 0 {
		out = append(out, NewAxis)
	}
	return out
}

func randomSelector(rnd *rand.Rand, extent int64) Selector {
	bound := func() int64 { return rnd.Int64N(3*extent+5) - extent - 2 }
	kind := rnd.IntN(10)
	if extent == 0 && (kind < 4) {
		kind = 9
	}
	switch kind {
	case 0:
		return Index(rnd.Int64N(2*extent) - extent)
	case 1, 2:
		list := make([]int64, rnd.Int64N(extent+3))
		for k := range list {
			list[k] = rnd.Int64N(2*extent) - extent
		}
		return Indices(list)
	case 3:
		mask := make([]bool, extent)
		for k := range mask {
			mask[k] = rnd.IntN(3) > 0
		}
		return Selector{selection.Selector{Kind: selection.Mask, Mask: mask}}
	case 4:
		return All
	}
	s := Selector{selection.Selector{HasStart: rnd.IntN(2) == 0, HasStop: rnd.IntN(2) == 0}}
	if s.of.HasStart {
		s.of.Start = bound()
	}
	if s.of.HasStop {
		s.of.Stop = bound()
	}
	if rnd.IntN(3) > 0 {
		if s.of.Step, s.of.HasStep = rnd.Int64N(extent+3)+1, true; rnd.IntN(2) == 0 {
			s.of.Step = -s.of.Step
		}
		if rnd.IntN(2) == 0 {
			s.of.Step = min(max(s.of.Step, -3), 3)
		}
	}
	return s
}

func textOf(selectors []Selector) string {
	parts := make([]string, len(selectors))
	for i, s := range selectors {
		parts[i] = s.String()
	}
	return strings.Join(parts, ", ")
}

// checkSelectors compares a read and perhaps a write or fill of selectors with the model.
func checkSelectors(t *testing.T, rnd *rand.Rand, u *Untyped, m *model, selectors []Selector) {
	t.Helper()
	ctx := context.Background()
	want := m.pick(selectors)
	about := fmt.Sprintf("%v[%s] in chunks of %v, blocks of %v, %d workers", m.shape,
		textOf(selectors), u.chunkShape(), u.blockShape(), u.workers)
	s, err := selectIn(u.geometry(), selectors)
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	if !slices.Equal(s.Shape(), want.shape) || s.Len() != int64(len(want.items)) {
		t.Fatalf("%s: shape %v, want %v", about, s.Shape(), want.shape)
	}
	switch rnd.IntN(3) {
	case 0:
		src := noise(rnd, len(want.items)*m.item)
		if err := u.Write(ctx, src, selectors...); err != nil {
			t.Fatalf("write %s: %v", about, err)
		}
		m.put(want.items, src)
	case 1:
		value := noise(rnd, m.item)
		if err := u.Fill(ctx, value, selectors...); err != nil {
			t.Fatalf("fill %s: %v", about, err)
		}
		m.put(want.items, value)
	}
	if got, err := u.Read(ctx, selectors...); err != nil || !bytes.Equal(got, m.at(want.items)) {
		t.Fatalf("read %s differs from the model (%v)", about, err)
	}
}

func TestSelectionsBehaveLikeTheDenseModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	dtypes := []string{"|u1", "<i2", "<f4", ">f8", "<c16", "|S3"}
	for round := range 200 {
		shape := randomShape(rnd)
		for len(shape) > 6 {
			shape = randomShape(rnd)
		}
		o := randomOptions(rnd, shape)
		o.Workers, o.WriteBehind = 1+rnd.IntN(3), rnd.Int64N(2)*100_000
		u, err := NewUntyped(dtypes[rnd.IntN(len(dtypes))], shape, o)
		if err != nil {
			t.Fatal(err)
		}
		m := &model{shape: shape, item: u.TypeSize(), data: make([]byte, int(u.Len())*u.TypeSize())}
		if rnd.IntN(3) == 0 {
			src := noise(rnd, len(m.data))
			if err := u.Write(t.Context(), src); err != nil {
				t.Fatal(err)
			}
			copy(m.data, src)
		}
		for range 10 {
			checkSelectors(t, rnd, u, m, randomSelectors(rnd, shape))
		}
		compare(t, u, m, make([]int64, len(shape)), slices.Clone([]int64(shape)))
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func TestTypedSelectionsSwapBytes(t *testing.T) {
	ctx := t.Context()
	u, err := NewUntyped(">i4", Shape{30, 20}, &Options{ChunkShape: Shape{7, 8}, BlockShape: Shape{3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := As[int32](u)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int32, 600)
	for i := range values {
		values[i] = int32(i)
	}
	if err := a.Write(ctx, values, All.Step(-1), All); err != nil {
		t.Fatal(err)
	}
	got, err := a.Read(ctx, Indices([]int64{29, 0, 29}), From(5).Step(-5))
	if want := []int32{5, 0, 585, 580, 5, 0}; err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, want %v (%v)", got, want, err)
	}
	if err := a.Fill(ctx, 1<<20, Index(3), All.Step(7)); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Read(ctx, Index(3), To(9)); err != nil || got[0] != 1<<20 ||
		got[7] != 1<<20 || got[1] != 26*20+1 {
		t.Fatalf("%v %v", got, err)
	}
	// If an item is written several times, the last value counts, as in NumPy.
	if err := a.Write(ctx, []int32{1, 2, 3, 4}, Indices([]int64{2, 4, 2, 2}), Index(0)); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Read(ctx, Indices([]int64{2, 4}), Index(0)); err != nil || !slices.Equal(got, []int32{4, 2}) {
		t.Fatalf("%v %v", got, err)
	}
}

func TestSpecialChunksUnderSelections(t *testing.T) {
	a, err := New[float32](Shape{12, 12}, &Options{ChunkShape: Shape{5, 5}, BlockShape: Shape{2, 3}, Fill: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	got, err := a.Read(ctx, All.Step(-2), Indices([]int64{11, 3, 3}))
	if err != nil || !slices.Equal(got, slices.Repeat([]float32{1.5}, 18)) {
		t.Fatalf("%v %v", got, err)
	}
	if err := a.Fill(ctx, 2, All.Step(-1)); err != nil {
		t.Fatal(err)
	}
	for i := range int(a.NumChunks()) {
		if info, err := a.Frame().Snapshot().Chunk(i); err != nil || info.CBytes > 64 {
			t.Fatalf("chunk %d of a reversed fill: %+v %v", i, info, err)
		}
	}
}
