package advise

import "testing"

// TestShrink cuts boxes to a size, without making them slivers.
func TestShrink(t *testing.T) {
	for _, c := range []struct {
		edge []int64
		item int64
		most int64
	}{{[]int64{480, 840}, 1, 150 << 10}, {[]int64{64, 64, 64}, 4, 300 << 10}, {[]int64{1 << 20}, 8, 1 << 16},
		{[]int64{1, 1 << 20}, 2, 1000}} {
		before := bytesOf(c.edge, c.item)
		shrink(c.edge, c.item, c.most)
		if n := bytesOf(c.edge, c.item); n > c.most || n < c.most/4 || n > before {
			t.Errorf("%v has %d bytes, wanted about %d", c.edge, n, c.most)
		}
	}
	for _, edge := range [][]int64{{}, {32, 20}, {1}} {
		want := append([]int64{}, edge...)
		if shrink(edge, 4, 1); len(edge) != len(want) || bytesOf(edge, 1) != bytesOf(want, 1) {
			t.Errorf("%v became %v", want, edge)
		}
	}
}
