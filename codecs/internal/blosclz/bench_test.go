package blosclz

import (
	"fmt"
	"testing"
)

func BenchmarkEncode(b *testing.B) {
	for _, size := range []int{8 << 10, 128 << 10} {
		src := sample(size)
		dst := make([]byte, size)
		for _, level := range []int{1, 5, 9} {
			b.Run(fmt.Sprintf("%dKiB/level=%d", size>>10, level), func(b *testing.B) {
				e := NewEncoder(level)
				n := 0
				b.SetBytes(int64(size))
				for b.Loop() {
					n = e.Encode(dst, src)
				}
				b.ReportMetric(float64(size)/float64(n), "ratio")
			})
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, size := range []int{8 << 10, 128 << 10} {
		src := sample(size)
		stream := make([]byte, size)
		stream = stream[:NewEncoder(5).Encode(stream, src)]
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := Decode(src, stream); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
