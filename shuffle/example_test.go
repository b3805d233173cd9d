package shuffle_test

import (
	"fmt"

	"github.com/cairn-go/cairn/shuffle"
)

func ExampleParseSpec() {
	spec, err := shuffle.ParseSpec("trunc_prec:10")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.ID == shuffle.IDTruncPrec, int8(spec.Meta), spec)
	// Output: true 10 trunc_prec:10
}

// Filters of users have ids from 160 to 255. Writers and readers of the chunks pass them in their
// options.
func ExampleRegistry() {
	negate := func(dst, src []byte, _ uint8, _ *shuffle.Context) error {
		for i, b := range src {
			dst[i] = -b
		}
		return nil
	}
	registry := new(shuffle.Registry)
	if err := registry.Add(shuffle.Row{ID: 160, Name: "negate", Forward: negate, Backward: negate}); err != nil {
		fmt.Println(err)
		return
	}
	row, _ := registry.Lookup(160)
	fmt.Println(row.Name)
	_, err := registry.Lookup(161)
	fmt.Println(err)
	// Output:
	// negate
	// unsupported filter 161: a user's filter that is not in the shuffle.Registry of the options
}

func ExampleRows() {
	for _, row := range shuffle.Rows() {
		fmt.Println(row.ID, row.Name)
	}
	// Output:
	// 0 none
	// 1 shuffle
	// 2 bitshuffle
	// 3 delta
	// 4 trunc_prec
	// 32 ndcell
	// 33 ndmean
	// 34 bytedelta_buggy
	// 35 bytedelta
	// 36 int_trunc
}
