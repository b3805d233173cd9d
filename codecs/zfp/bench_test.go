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
