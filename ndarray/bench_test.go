package ndarray

import (
	"fmt"
	"math"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// field returns a smooth field with some noise, like measurements.
func field(shape Shape) []float32 {
	values := make([]float32, shape[0]*shape[1]*shape[2])
	k := 0
	for x := range shape[0] {
		for y := range shape[1] {
			for z := range shape[2] {
				v := math.Sin(float64(x)/20)*math.Cos(float64(y)/31) + math.Sin(float64(z)/17)
				values[k] = float32(math.Round(v*1000) / 1000)
				k++
			}
		}
	}
	return values
}

func TestReadsAllocateLittlePerChunk(t *testing.T) {
	shape := Shape{64, 64, 64}
	for _, workers := range []int{1, 2} {
		a, err := FromSlice(field(shape), shape, &Options{ChunkShape: Shape{8, 64, 64}, BlockShape: Shape{4, 16, 64}, Codec: codecs.LZ4, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float32, a.Len())
		start, stop := []int64{0, 0, 0}, []int64(shape)
		read := func() {
			if err := a.ReadBox(t.Context(), dst, start, stop); err != nil {
				t.Fatal(err)
			}
		}
		read()
		if got := testing.AllocsPerRun(20, read); got > 12 {
			t.Errorf("%d workers: %v allocations for a read of 8 chunks", workers, got)
		}
		write := func() {
			if err := a.WriteBox(t.Context(), dst, start, stop); err != nil {
				t.Fatal(err)
			}
		}
		write()
		// The frame copies its state for every chunk that is put into it.
		if got := testing.AllocsPerRun(20, write); got > 12+8*12 {
			t.Errorf("%d workers: %v allocations for a write of 8 chunks", workers, got)
		}
	}
}

func BenchmarkArray(b *testing.B) {
	shape := Shape{128, 256, 256}
	values := field(shape)
	for _, codec := range []codecs.Codec{codecs.LZ4, codecs.Zstd} {
		for _, workers := range []int{1, 2} {
			o := &Options{Codec: codec, Workers: workers}
			a, err := FromSlice(values, shape, o)
			if err != nil {
				b.Fatal(err)
			}
			name := fmt.Sprintf("%s/%d workers/32 MiB", codec, workers)
			b.Run("write/"+name, func(b *testing.B) {
				b.SetBytes(4 * a.Len())
				for b.Loop() {
					if _, err := FromSlice(values, shape, o); err != nil {
						b.Fatal(err)
					}
				}
			})
			dst := make([]float32, a.Len())
			for _, sel := range []string{"...", "64", ":, 100", ":, :, 100"} {
				selectors := MustParse(sel)
				s, err := selectIn(a.geometry(), selectors)
				if err != nil {
					b.Fatal(err)
				}
				b.Run("read "+sel+"/"+name, func(b *testing.B) {
					b.SetBytes(4 * s.Len())
					for b.Loop() {
						if err := a.ReadInto(b.Context(), dst[:s.Len()], selectors...); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
