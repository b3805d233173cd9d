package ndarray

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
)

// BenchmarkSet sets items one by one, in order and at random, with and without the write buffer,
// and commits after every 4096.
func BenchmarkSet(b *testing.B) {
	for _, buffer := range []int64{1, 32 << 20} {
		for _, order := range []string{"sequence", "random"} {
			b.Run(fmt.Sprintf("%s/%d", order, buffer>>20), func(b *testing.B) {
				a, err := Create[float32](filepath.Join(b.TempDir(), "a"), Shape{256, 256, 256},
					&Options{ChunkShape: Shape{64, 128, 128}, BlockShape: Shape{16, 32, 32},
						Codec: codecs.LZ4, WriteBehind: buffer, Commits: frame.Commits{Durability: 2}})
				if err != nil {
					b.Fatal(err)
				}
				values := make([]float32, 256*256*256)
				for i := range values {
					values[i] = float32(i/7) + float32(i%11)/16
				}
				if err := a.Write(b.Context(), values); err != nil {
					b.Fatal(err)
				}
				rnd := rand.New(rand.NewPCG(1, 2))
				n := int64(0)
				for b.Loop() {
					i := n
					if order == "random" {
						i = rnd.Int64N(256 * 256 * 256)
					}
					if n++; n%4096 == 0 {
						err = a.Commit(b.Context())
					}
					if err == nil {
						err = a.Set(float32(n), i>>16, i>>8&255, i&255)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if err := a.Close(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkUpdateBox writes boxes of 50³ items at random places of an array in memory, and commits
// each.
func BenchmarkUpdateBox(b *testing.B) {
	for _, codec := range []codecs.Codec{codecs.LZ4, codecs.Zstd} {
		b.Run(codec.String(), func(b *testing.B) {
			a, err := New[float32](Shape{256, 256, 256}, &Options{ChunkShape: Shape{64, 128, 128}, BlockShape: Shape{16, 32, 32}, Codec: codec})
			if err != nil {
				b.Fatal(err)
			}
			values := make([]float32, 256*256*256)
			for i := range values {
				values[i] = float32(i/7) + float32(i%11)/16
			}
			if err := a.Write(b.Context(), values); err != nil {
				b.Fatal(err)
			}
			rnd := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for b.Loop() {
				i, j, k := rnd.Int64N(206), rnd.Int64N(206), rnd.Int64N(206)
				err := a.Write(b.Context(), values[:125000], Range(i, i+50), Range(j, j+50), Range(k, k+50))
				if err == nil {
					err = a.Commit(b.Context())
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
