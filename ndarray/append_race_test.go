package ndarray

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

// TestReadersBesideAppends reads an array while rows or columns are appended to it. The new items
// go into blocks that readers may be using. Each read must find all items of one state.
func TestReadersBesideAppends(t *testing.T) {
	for _, axis := range []int{0, 1} {
		for _, buffer := range []int64{1, 20_000, 1 << 20} {
			t.Run(fmt.Sprintf("axis=%d,behind=%d", axis, buffer), func(t *testing.T) {
				readBesideAppends(t, axis, buffer)
			})
		}
	}
}

func readBesideAppends(t *testing.T, axis int, buffer int64) {
	const across, extent = 21, 150
	shape := Shape{across, across}
	shape[axis] = 0
	a, err := New[int16](shape, &Options{ChunkShape: Shape{16, 16}, BlockShape: Shape{5, 8},
		Workers: 1, WriteBehind: buffer})
	check(t, err)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for last := 0; ; {
				items, err := a.Read(t.Context())
				n := len(items) / across
				if err != nil || n < last || !slices.Equal(items, counted16(axis, 0, n, across)) {
					t.Errorf("a read after one of %d finds %d, %v: %v", last, n, err, items)
					return
				}
				last = n
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := 0; i < extent; {
		more := 1 + i%3
		check(t, a.Append(t.Context(), axis, counted16(axis, i, i+more, across)))
		if i += more; i%20 == 0 {
			check(t, a.Commit(t.Context()))
		}
	}
	close(done)
	wg.Wait()
	check(t, a.Close())
}

// counted16 returns the rows or columns with numbers from up to, not including, to. Each is filled
// with its number.
func counted16(axis, from, to, across int) []int16 {
	var items []int16
	if axis == 0 {
		for i := from; i < to; i++ {
			items = append(items, slices.Repeat([]int16{int16(i)}, across)...)
		}
		return items
	}
	for range across {
		for i := from; i < to; i++ {
			items = append(items, int16(i))
		}
	}
	return items
}
