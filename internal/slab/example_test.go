package slab_test

import (
	"fmt"

	"github.com/cairn-go/cairn/internal/slab"
)

func ExampleWalk() {
	shape, chunk, block := []int64{5, 100}, []int64{2, 50}, []int64{1, 10}
	start := []int64{0, 0}
	edge := slab.Runs(start, shape, chunk, block, 8, 3*100*8)
	for box := range slab.Walk(start, shape, edge) {
		fmt.Println(box.Start, box.Stop)
	}
	// Output:
	// [0 0] [2 100]
	// [2 0] [4 100]
	// [4 0] [5 100]
}
