package zstd_test

import (
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/zstd"
	reference "github.com/klauspost/compress/zstd"
)

const blockSize = 128 << 10 // of the benchmarks: what fits into the second level of cache

// BenchmarkDecode compares with the Go library, on frames of its encoder.
func BenchmarkDecode(b *testing.B) {
	lib, err := reference.NewReader(nil, reference.WithDecoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	d := decoder(b)
	e := encoder(b, reference.WithSingleSegment(true), reference.WithEncoderCRC(false))
	for _, s := range samples() {
		src := s.make(blockSize)
		frame, dst := e.EncodeAll(src, nil), make([]byte, blockSize)
		b.Run("data="+s.name+"/by=cairn", func(b *testing.B) {
			b.SetBytes(blockSize)
			for b.Loop() {
				if err := d.Decode(dst, frame); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("data="+s.name+"/by=library", func(b *testing.B) {
			b.SetBytes(blockSize)
			for b.Loop() {
				if _, err := lib.DecodeAll(frame, dst[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, level := range []int{1, 2, 3, 4, 5, 7, 9} {
		e := zstd.NewEncoder(level)
		for _, s := range samples() {
			src, dst := s.make(blockSize), make([]byte, 2*blockSize)
			b.Run(fmt.Sprintf("level=%d/data=%s", level, s.name), func(b *testing.B) {
				b.SetBytes(blockSize)
				for b.Loop() {
					if e.Encode(dst, src) == 0 {
						b.Fatal("does not fit")
					}
				}
			})
		}
	}
}
