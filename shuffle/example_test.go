package shuffle_test

import (
	"fmt"

	"github.com/cairn-go/cairn/shuffle"
)

// A codec that takes the filtered block in one piece.
func ExampleChain() {
	var chain shuffle.Chain
	if err := chain.Set(shuffle.Pipeline{5: shuffle.Byte}, nil); err != nil {
		fmt.Println(err)
		return
	}
	ctx := &shuffle.Context{TypeSize: 4}
	var scratch shuffle.Scratch

	block := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0} // three little-endian 32-bit integers
	filtered, pitch, err := chain.Forward(&scratch, block, 1, ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filtered)

	stored := append([]byte(nil), filtered...)
	decoded := make([]byte, len(block))
	if err := chain.Backward(decoded, &scratch, stored, pitch, 1, ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(decoded)
	// Output:
	// [1 2 3 0 0 0 0 0 0 0 0 0]
	// [1 0 0 0 2 0 0 0 3 0 0 0]
}

func ExampleParseSpec() {
	spec, err := shuffle.ParseSpec("trunc_prec:10")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.ID == shuffle.IDTruncPrec, int8(spec.Meta), spec)
	// Output: true 10 trunc_prec:10
}

// A filter of one's own has an id from 160 and goes into the options of whatever writes and reads
// the chunks.
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
	var chain shuffle.Chain
	fmt.Println(chain.Set(shuffle.Pipeline{{ID: 160}}, registry))
	fmt.Println(chain.Set(shuffle.Pipeline{{ID: 161}}, registry))
	// Output:
	// <nil>
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
