package shuffle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/shuffle"
)

// benchBlock is the size of a block that fits the second-level cache together with a copy of it.
const benchBlock = 128 << 10

func BenchmarkForward(b *testing.B)  { benchFilters(b, true) }
func BenchmarkBackward(b *testing.B) { benchFilters(b, false) }

func benchSpecs() []shuffle.Spec {
	return []shuffle.Spec{shuffle.Byte, shuffle.Bit, shuffle.Delta, shuffle.TruncPrec(10), shuffle.ByteDelta(0)}
}

func benchFilters(b *testing.B, forward bool) {
	for _, spec := range benchSpecs() {
		for _, size := range []int{1, 2, 4, 7, 8, 12, 16, 255} {
			for _, streams := range slices.Compact([]int{1, size}) {
				c := new(filterchain.Chain)
				ctx := &shuffle.Context{TypeSize: size}
				if err := c.Set(shuffle.Pipeline{5: spec}, nil); err != nil {
					b.Fatal(err)
				}
				if streams > 1 && !planes(spec) || c.Validate(ctx) != nil || !forward && spec.ID == shuffle.IDTruncPrec {
					continue
				}
				block := benchBlock - benchBlock%(8*size)
				name := fmt.Sprintf("%v/typesize=%d/streams=%d/128KiB", spec, size, streams)
				b.Run(name, func(b *testing.B) { benchChain(b, c, ctx, block, streams, forward) })
			}
		}
	}
}

func benchChain(b *testing.B, c *filterchain.Chain, ctx *shuffle.Context, block, streams int, forward bool) {
	var s filterchain.Scratch
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

// BenchmarkTiers measures the speed of each tier's kernels. The tiers alternate within every
// iteration, so that other load on the machine affects all of them alike. It reports the median
// speeds.
func BenchmarkTiers(b *testing.B) {
	for _, spec := range benchSpecs() {
		for _, forward := range []bool{true, false} {
			for _, size := range []int{1, 2, 3, 4, 8, 12, 16, 24, 32} {
				for _, block := range []int{benchBlock, 1 << 20} {
					if spec == shuffle.Byte && size == 1 ||
						spec.ID == shuffle.IDTruncPrec && (!forward || size != 4 && size != 8) {
						continue
					}
					direction := map[bool]string{true: "forward", false: "backward"}[forward]
					name := fmt.Sprintf("%v/%s/typesize=%d/%dKiB", spec, direction, size, block>>10)
					b.Run(name, func(b *testing.B) { benchTiers(b, spec, size, block-block%(8*size), forward) })
				}
			}
		}
	}
}

func benchTiers(b *testing.B, spec shuffle.Spec, size, block int, forward bool) {
	const perTurn = 1 << 20 // bytes
	c, ctx := new(filterchain.Chain), &shuffle.Context{TypeSize: size}
	if err := c.Set(shuffle.Pipeline{5: spec}, nil); err != nil {
		b.Fatal(err)
	}
	var s filterchain.Scratch
	src, dst := make([]byte, block), make([]byte, block)
	turn := func() (err error) {
		for done := 0; done < perTurn && err == nil; done += block {
			if forward {
				_, _, err = c.Forward(&s, src, 1, ctx)
			} else {
				err = c.Backward(dst, &s, src, block, 1, ctx)
			}
		}
		return err
	}
	tiers := cpu.Tiers()
	times := make([][]time.Duration, len(tiers))
	for b.Loop() {
		for i, tier := range tiers {
			restore := cpu.Limit(tier)
			begin := time.Now()
			err := turn()
			times[i] = append(times[i], time.Since(begin))
			restore()
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	bytes := (perTurn + block - 1) / block * block
	for i, tier := range tiers {
		slices.Sort(times[i])
		median := times[i][len(times[i])/2]
		b.ReportMetric(float64(bytes)/float64(max(1, median.Nanoseconds())), tier.String()+"-GB/s")
	}
}

// planes reports whether a filter makes streams.
func planes(spec shuffle.Spec) bool {
	row, err := new(shuffle.Registry).Lookup(spec.ID)
	return err == nil && row.Planes != nil
}
