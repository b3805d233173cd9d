package zfp

import (
	"fmt"
	"testing"
)

// benched are blocks of 256 KiB and less, one for each number of dimensions.
var benched = [][]int32{{32768}, {192, 192}, {32, 32, 32}, {12, 16, 12, 16}}

func BenchmarkZFP(b *testing.B) {
	for _, typeSize := range []int{4, 8} {
		for _, shape := range benched {
			c := sampleCase{Precision, 16, shape, typeSize}
			codec, src := c.codec(b), block(0, shape, typeSize, 1)
			stream := make([]byte, 2*len(src))
			n := codec.Encode(stream, src)
			name := fmt.Sprintf("float%d/%dd", 8*typeSize, len(shape))
			b.Run(name+"/encode", func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					codec.Encode(stream, src)
				}
				b.ReportMetric(float64(len(src))/float64(n), "ratio")
			})
			b.Run(name+"/decode", func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					if err := codec.Decode(src, stream[:n]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkSeek decodes single numbers of blocks at a fixed rate: the last number by its cell and,
// for comparison, all numbers up to it.
func BenchmarkSeek(b *testing.B) {
	for _, shape := range benched {
		c := sampleCase{Rate, 25, shape, 4}
		codec, src := c.codec(b), block(0, shape, 4, 1)
		stream := make([]byte, 2*len(src))
		stream = stream[:codec.Encode(stream, src)]
		n := len(src)
		b.Run(fmt.Sprintf("%dd/cell", len(shape)), func(b *testing.B) {
			for b.Loop() {
				if err := codec.DecodeRange(src, stream, n-4, n); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%dd/block", len(shape)), func(b *testing.B) {
			for b.Loop() {
				if err := codec.Decode(src, stream); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
