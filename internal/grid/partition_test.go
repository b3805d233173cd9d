package grid

import "testing"

func TestItemsBefore(t *testing.T) {
	for _, g := range []struct{ shape, chunk []int64 }{
		{[]int64{10}, []int64{3}}, {[]int64{7, 5}, []int64{3, 2}},
		{[]int64{4, 9, 5}, []int64{4, 2, 3}}, {[]int64{0, 3}, []int64{1, 2}}, {nil, nil},
	} {
		p, err := New(g.shape, g.chunk, g.chunk, 1)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for number := range p.ChunkCount + 1 {
			if got := p.ItemsBefore(number); got != sum {
				t.Errorf("%v in %v: %d items before chunk %d, want %d", g.shape, g.chunk, got, number, sum)
			}
			if number < p.ChunkCount {
				start, stop := p.ChunkBox(number)
				items := int64(1)
				for i := range p.Dims {
					items *= stop[i] - start[i]
				}
				sum += items
			}
		}
	}
}
