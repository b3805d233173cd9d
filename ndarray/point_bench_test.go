package ndarray

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// BenchmarkPointOfAFile reads single items of a 32 MiB array at random places. Each needs one block
// of 64 KiB of a chunk of 4 MiB.
func BenchmarkPointOfAFile(b *testing.B) {
	path, shape := filepath.Join(b.TempDir(), "a.b2nd"), Shape{128, 256, 256}
	a, err := Create[float32](path, shape, &Options{ChunkShape: Shape{64, 128, 128}, BlockShape: Shape{16, 32, 32}})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = float32(i%977) + rng.Float32()
	}
	if err := a.Write(b.Context(), values); err != nil {
		b.Fatal(err)
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	for _, mapped := range []bool{false, true} {
		a, err := OpenAs[float32](path, &OpenOptions{Map: mapped})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(map[bool]string{false: "read", true: "mapped"}[mapped], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.At(rng.Int64N(128), rng.Int64N(256), rng.Int64N(256)); err != nil {
					b.Fatal(err)
				}
			}
		})
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
