package shuffle

import (
	"fmt"
	"slices"
	"testing"
)

// benchBlock is a block that fits the second-level cache together with its copy.
const benchBlock = 128 << 10

func BenchmarkForward(b *testing.B)  { benchFilters(b, true) }
func BenchmarkBackward(b *testing.B) { benchFilters(b, false) }

func benchFilters(b *testing.B, forward bool) {
	for _, spec := range []Spec{Byte, Bit, Delta, TruncPrec(10)} {
		for _, size := range []int{1, 2, 4, 7, 8, 12, 16, 255} {
			for _, streams := range slices.Compact([]int{1, size}) {
				c := new(Chain)
				ctx := &Context{TypeSize: size}
				if err := c.Set(Pipeline{5: spec}, nil); err != nil {
					b.Fatal(err)
				}
				if streams > 1 && c.steps[0].row.Planes == nil || c.Validate(ctx) != nil || !forward && c.undo == 0 {
					continue
				}
				block := benchBlock - benchBlock%(8*size)
				name := fmt.Sprintf("%v/typesize=%d/streams=%d/128KiB", spec, size, streams)
				b.Run(name, func(b *testing.B) { benchChain(b, c, ctx, block, streams, forward) })
			}
		}
	}
}

func benchChain(b *testing.B, c *Chain, ctx *Context, block, streams int, forward bool) {
	var s Scratch
	src, dst := make([]byte, block), make([]byte, block)
	for i := range src {
		src[i] = byte(i * 7)
	}
	b.SetBytes(int64(block))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if forward {
			_, _, err = c.Forward(&s, src, streams, ctx)
		} else {
			in, pitch := c.Input(&s, dst, streams)
			err = c.Backward(dst, &s, in, pitch, streams, ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
