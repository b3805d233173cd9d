package slab

import (
	"slices"
	"testing"
)

// cover walks the part and returns the numbers of the visited items of the array, in order.
func cover(t *testing.T, shape, start, stop, edge []int64) (order []int64) {
	t.Helper()
	for b := range Walk(start, stop, edge) {
		if b.Items() <= 0 {
			t.Fatalf("empty box %v", b)
		}
		at := slices.Clone(b.Start)
		for {
			index := int64(0)
			for d := range at {
				index = index*shape[d] + at[d]
			}
			order = append(order, index)
			d := len(at) - 1
			for ; d >= 0; d-- {
				if at[d]++; at[d] < b.Stop[d] {
					break
				}
				at[d] = b.Start[d]
			}
			if d < 0 {
				break
			}
		}
	}
	return order
}

func TestRunsComeInCOrderWithinTheBudget(t *testing.T) {
	shape, chunk, block := []int64{7, 9, 11}, []int64{3, 4, 5}, []int64{2, 2, 3}
	for _, part := range [][2][]int64{
		{{0, 0, 0}, {7, 9, 11}}, {{1, 2, 3}, {6, 8, 10}}, {{6, 8, 10}, {7, 9, 11}}, {{2, 3, 4}, {2, 9, 11}},
	} {
		var want []int64
		for i := part[0][0]; i < part[1][0]; i++ {
			for j := part[0][1]; j < part[1][1]; j++ {
				for k := part[0][2]; k < part[1][2]; k++ {
					want = append(want, (i*shape[1]+j)*shape[2]+k)
				}
			}
		}
		for budget := int64(1); budget < 4*7*9*11+8; budget += 13 {
			edge := Runs(part[0], part[1], chunk, block, 4, budget)
			if got := cover(t, shape, part[0], part[1], edge); !slices.Equal(got, want) {
				t.Fatalf("part %v budget %d: items out of order", part, budget)
			}
			for b := range Walk(part[0], part[1], edge) {
				if n := b.Items(); n > 1 && n*4 > budget {
					t.Fatalf("part %v budget %d: box of %d bytes", part, budget, n*4)
				}
			}
		}
	}
}

func TestChunkedAndRowsCoverEveryItemOnceInWholeChunks(t *testing.T) {
	shape, chunk := []int64{7, 9, 11}, []int64{3, 4, 5}
	zero := []int64{0, 0, 0}
	for budget := int64(1); budget < 8*7*9*11+64; budget += 37 {
		for name, edge := range map[string][]int64{"Chunked": Chunked(shape, chunk, 8, budget), "Rows": Rows(shape, chunk, 8, budget)} {
			order := cover(t, shape, zero, shape, edge)
			slices.Sort(order)
			if n := len(slices.Compact(order)); n != 7*9*11 {
				t.Fatalf("%s budget %d: %d items covered", name, budget, n)
			}
			for d := range edge {
				if edge[d] != shape[d] && edge[d]%chunk[d] != 0 {
					t.Fatalf("%s budget %d: edge %v is not whole chunks of %v", name, budget, edge, chunk)
				}
			}
			for b := range Walk(zero, shape, edge) {
				if name == "Chunked" && b.Items() > 3*4*5 && b.Items()*8 > budget {
					t.Fatalf("budget %d: box of %d bytes", budget, b.Items()*8)
				}
			}
		}
	}
	if edge := Chunked(shape, chunk, 8, 8*7*9*11); !slices.Equal(edge, shape) {
		t.Errorf("with room for all: %v, want %v", edge, shape)
	}
	if edge := Chunked(shape, chunk, 8, 8*3*9*11); !slices.Equal(edge, []int64{3, 9, 11}) {
		t.Errorf("with room for one row of chunks: %v, want [3 9 11]", edge)
	}
}

func TestPartsWithoutItemsOrDimensions(t *testing.T) {
	for range Walk([]int64{0, 0}, []int64{3, 0}, Runs([]int64{0, 0}, []int64{3, 0}, []int64{2, 1}, []int64{1, 1}, 4, 100)) {
		t.Error("an empty part has a box")
	}
	count := 0
	for b := range Walk(nil, nil, Runs(nil, nil, nil, nil, 4, 100)) {
		count += int(b.Items())
	}
	if count != 1 {
		t.Errorf("an array without dimensions has %d items, want 1", count)
	}
}

func TestHugeExtentsDoNotOverflow(t *testing.T) {
	const huge = 1<<63 - 1
	edge := Rows([]int64{huge, huge}, []int64{1 << 40, 1 << 40}, 8, 1<<27)
	if edge[0] != 1<<40 || edge[1] != huge {
		t.Errorf("rows of a huge array: %v", edge)
	}
	for b := range Walk([]int64{0}, []int64{huge}, Runs([]int64{0}, []int64{huge}, []int64{1000}, []int64{10}, 8, 1<<27)) {
		if b.Stop[0] != 16777000 {
			t.Errorf("first run of a huge array ends at %d", b.Stop[0])
		}
		break
	}
	for b := range Walk([]int64{huge - 5}, []int64{huge}, []int64{1 << 62}) {
		if b.Stop[0] != huge {
			t.Errorf("last box ends at %d", b.Stop[0])
		}
	}
}

func TestWhole(t *testing.T) {
	shape, chunk := []int64{7, 9}, []int64{2, 4}
	for _, c := range []struct {
		edge []int64
		want bool
	}{{[]int64{2, 4}, true}, {[]int64{7, 9}, true}, {[]int64{4, 9}, true}, {[]int64{1, 9}, false}, {[]int64{2, 6}, false}} {
		if got := Whole(shape, chunk, c.edge); got != c.want {
			t.Errorf("%v: %v", c.edge, got)
		}
	}
}

func TestResizeUsesMemoryThatSuffices(t *testing.T) {
	b := make([]int32, 3, 8)
	for _, n := range []int64{0, 2, 8} {
		if r := Resize(b, n); int64(len(r)) != n || n > 0 && &r[0] != &b[0] {
			t.Errorf("%d items: %d, in other memory or not", n, len(r))
		}
	}
	if r := Resize(b, 9); len(r) != 9 || &r[0] == &b[0] {
		t.Errorf("%d items, want 9 in new memory", len(r))
	}
}

func TestGridsHaveTheBoxesOfWalks(t *testing.T) {
	for _, c := range []struct{ start, stop, edge []int64 }{
		{[]int64{0, 0}, []int64{7, 5}, []int64{3, 2}},
		{[]int64{2, 1, 4}, []int64{9, 4, 5}, []int64{4, 2, 8}},
		{[]int64{3}, []int64{3}, []int64{2}},
		{nil, nil, nil},
	} {
		g, n := GridOf(c.start, c.stop, c.edge), 0
		for want := range Walk(c.start, c.stop, c.edge) {
			got := g.At(n)
			if !slices.Equal(got.Start, want.Start) || !slices.Equal(got.Stop, want.Stop) {
				t.Errorf("box %d of %v: %v, want %v", n, c, got, want)
			}
			n++
		}
		if n != g.Count {
			t.Errorf("%v: %d boxes, want %d", c, g.Count, n)
		}
	}
}
