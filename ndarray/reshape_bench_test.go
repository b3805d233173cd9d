package ndarray

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/frame"
)

// hundredThousand returns an array in a file with 100,000 data chunks of 8 rows, and a row.
func hundredThousand(b *testing.B) (Array[int32], []int32) {
	b.Helper()
	a, err := Create[int32](filepath.Join(b.TempDir(), "a.b2nd"), Shape{0, 64}, &Options{
		ChunkShape: Shape{8, 64}, BlockShape: Shape{8, 64}, Level: 1,
		Commits: frame.Commits{Durability: frame.None, NoCompact: true},
	})
	if err != nil {
		b.Fatal(err)
	}
	values := make([]int32, 800_000*64)
	for i := range values {
		values[i] = int32(i)
	}
	if err := a.Append(context.Background(), 0, values); err != nil {
		b.Fatal(err)
	}
	if err := a.Commit(context.Background()); err != nil {
		b.Fatal(err)
	}
	return a, values[:64]
}

func BenchmarkAppendRow(b *testing.B) {
	for name, commit := range map[string]bool{"staged": false, "committed": true} {
		b.Run(name, func(b *testing.B) {
			a, row := hundredThousand(b)
			defer a.Abort()
			for b.Loop() {
				if err := a.Append(b.Context(), 0, row); err != nil {
					b.Fatal(err)
				}
				if commit {
					if err := a.Commit(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkInsertChunk(b *testing.B) {
	a, row := hundredThousand(b)
	defer a.Abort()
	chunk := make([]int32, 0, 512)
	for range 8 {
		chunk = append(chunk, row...)
	}
	for b.Loop() {
		if err := a.Insert(b.Context(), 0, 8, chunk); err != nil {
			b.Fatal(err)
		}
		if err := a.Delete(b.Context(), 0, 8, 16); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInsertRow(b *testing.B) {
	a, row := hundredThousand(b)
	defer a.Abort()
	for b.Loop() {
		if err := a.Insert(b.Context(), 0, 8, row); err != nil {
			b.Fatal(err)
		}
		if err := a.Rollback(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResizeToAMillionChunks(b *testing.B) {
	for name, c := range map[string]struct{ chunks, shape Shape }{
		"one axis":  {Shape{1000, 1000}, Shape{1_000_000_000, 1000}},
		"both axes": {Shape{1000, 1000}, Shape{1_000_000, 1_000_000}},
	} {
		b.Run(name, func(b *testing.B) {
			a, err := New[float32](Shape{1000, 1000}, &Options{ChunkShape: c.chunks, BlockShape: Shape{100, 1000}})
			if err != nil {
				b.Fatal(err)
			}
			values := make([]float32, 1000*1000)
			for i := range values {
				values[i] = float32(i)
			}
			if err := a.Write(b.Context(), values); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := a.Resize(b.Context(), c.shape, nil); err != nil {
					b.Fatal(err)
				}
				if err := a.Resize(b.Context(), Shape{1000, 1000}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
