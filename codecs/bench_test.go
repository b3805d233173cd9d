package codecs_test

import (
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// blockSize is the size of a block that fits into the second-level cache.
const blockSize = 128 << 10

// benchmarked are the kinds of data for benchmarks: one that compresses well, and one that does in
// part.
func benchmarked() []codectest.Kind {
	var kinds []codectest.Kind
	for _, k := range codectest.Kinds() {
		if k.Name == "shuffled ramp" || k.Name == "shuffled walk" {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func BenchmarkEncode(b *testing.B) {
	for _, row := range plainCodecs() {
		for _, level := range []int{1, 5, 9} {
			for _, kind := range benchmarked() {
				b.Run(fmt.Sprintf("%s/level=%d/%s", row.Name, level, kind.Name), func(b *testing.B) {
					enc, err := row.NewEncoder(codecs.Params{Level: level, TypeSize: 4})
					if err != nil {
						b.Fatal(err)
					}
					src, dst, n := kind.Make(blockSize), make([]byte, 2*blockSize), 0
					b.SetBytes(blockSize)
					b.ReportAllocs()
					for b.Loop() {
						n = mustEncode(b, enc, dst, src)
					}
					b.ReportMetric(blockSize/float64(max(n, 1)), "ratio")
				})
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, row := range plainCodecs() {
		for _, kind := range benchmarked() {
			b.Run(row.Name+"/"+kind.Name, func(b *testing.B) {
				dec, err := row.NewDecoder(codecs.Params{TypeSize: 4})
				if err != nil {
					b.Fatal(err)
				}
				src, stream := kind.Make(blockSize), make([]byte, 2*blockSize)
				// no codec gives up at level 9
				enc, err := row.NewEncoder(codecs.Params{Level: 9, TypeSize: 4})
				if err != nil {
					b.Fatal(err)
				}
				stream = stream[:mustEncode(b, enc, stream, src)]
				b.SetBytes(blockSize)
				b.ReportAllocs()
				for b.Loop() {
					if err := dec.Decode(src, stream); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
