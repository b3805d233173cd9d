package filter_test

import (
	"fmt"

	"github.com/cairn-go/cairn/hdf5/filter"
)

// Chunks that another library stores, and reads, undecoded.
func Example() {
	filters := []filter.Filter{
		{ID: filter.Shuffle, Params: []uint32{4}}, // bytes of an item
		{ID: filter.Deflate, Params: []uint32{6}}, // level
	}
	items := make([]byte, 4000)
	stored, mask, err := filter.Encode(nil, items, filters)
	if err != nil {
		panic(err)
	}
	fmt.Println(filters, len(stored) < len(items), mask)

	again := make([]byte, len(items))
	fmt.Println(filter.Decode(again, stored, filters, mask))
	// Output:
	// [shuffle(4) deflate(6)] true 0
	// <nil>
}
