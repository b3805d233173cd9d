package readahead

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/internal/slab"
)

func TestBoxes(t *testing.T) {
	shape, edge := []int64{7, 5}, []int64{2, 3}
	var want [][]int64
	for b := range slab.Walk([]int64{0, 0}, shape, edge) {
		want = append(want, slices.Concat(b.Start, b.Stop))
	}
	failed := errors.New("failed")
	for ahead := range 4 {
		for failAt := range int64(len(want)) + 1 {
			for _, readFails := range []bool{false, true} {
				busy := make([]atomic.Bool, 1+ahead)
				var used [][]int64
				var reads atomic.Int64
				err := Boxes(t.Context(), ahead, slab.Walk([]int64{0, 0}, shape, edge),
					func(_ context.Context, slot int, b slab.Box) (int, error) {
						if busy[slot].Swap(true) {
							t.Error("two boxes in a slot")
						}
						reads.Add(1)
						if readFails && slices.Equal(slices.Concat(b.Start, b.Stop), want[min(failAt, int64(len(want)-1))]) {
							return 0, failed
						}
						return slot, nil
					},
					func(b slab.Box, slot int) error {
						used = append(used, slices.Concat(b.Start, b.Stop))
						if n := reads.Load() - int64(len(used)); n > int64(ahead) {
							t.Errorf("%d boxes ahead, want %d at most", n, ahead)
						}
						busy[slot].Store(false)
						if !readFails && int64(len(used)) > failAt {
							return failed
						}
						return nil
					})
				wantErr, n := failAt < int64(len(want)) || readFails, min(failAt+1, int64(len(want)))
				if readFails {
					n = min(failAt, int64(len(want)-1))
				}
				if wantErr != errors.Is(err, failed) || !slices.EqualFunc(used, want[:n], slices.Equal) {
					t.Fatalf("ahead %d, failure at %d: %v after %v", ahead, failAt, err, used)
				}
			}
		}
	}
}
