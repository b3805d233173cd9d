package shuffle_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/internal/test/filtertest"
	"github.com/cairn-go/cairn/shuffle"
)

// TestTiersAgree checks that all tiers make the same bytes, for blocks long enough for kernels,
// column tiles and plain Go.
func TestTiersAgree(t *testing.T) {
	for _, spec := range []shuffle.Spec{shuffle.Byte, shuffle.Bit, shuffle.Delta, shuffle.ByteDelta(0)} {
		for _, size := range []int{1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 24, 32, 40, 255} {
			for _, items := range []int{4096, 4096 + 8, 3000 + 5} {
				t.Run(fmt.Sprintf("%v/typesize=%d/items=%d", spec, size, items), func(t *testing.T) {
					tiersAgree(t, spec, filtertest.Bytes(items*size+3, 1), &shuffle.Context{TypeSize: size})
				})
			}
		}
	}
}

func tiersAgree(t *testing.T, spec shuffle.Spec, src []byte, ctx *shuffle.Context) {
	c := mustChain(t, shuffle.Pipeline{spec})
	var want []byte
	for _, tier := range cpu.Tiers() {
		restore := cpu.Limit(tier)
		out, pitch, err := c.Forward(new(filterchain.Scratch), src, 1, ctx)
		if err != nil {
			t.Fatal(err)
		}
		back := make([]byte, len(src))
		if err := c.Backward(back, new(filterchain.Scratch), out, pitch, 1, ctx); err != nil {
			t.Fatal(err)
		}
		restore()
		if want == nil {
			want = out
		}
		if !bytes.Equal(out, want) {
			t.Errorf("%v: filtered bytes differ from those of plain Go", tier)
		}
		if !bytes.Equal(back, src) {
			t.Errorf("%v: does not round-trip", tier)
		}
	}
}
