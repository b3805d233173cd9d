package ndarray

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/frame"
)

// BenchmarkAppend appends rows one by one, with a commit for each 500 and without.
func BenchmarkAppend(b *testing.B) {
	for _, items := range []int64{64, 16384} {
		for _, sparse := range []bool{false, true} {
			for _, every := range []int{0, 500} {
				name := fmt.Sprintf("%dB/sparse=%v/commit=%d", items*4, sparse, every)
				b.Run(name, func(b *testing.B) { benchmarkAppend(b, items, sparse, every) })
			}
		}
	}
}

func benchmarkAppend(b *testing.B, items int64, sparse bool, every int) {
	a, err := Create[float32](filepath.Join(b.TempDir(), "a"), Shape{0, items},
		&Options{Sparse: sparse, Commits: frame.Commits{Durability: 2}})
	if err != nil {
		b.Fatal(err)
	}
	row := make([]float32, items)
	b.SetBytes(items * 4)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for k := range row {
			row[k] = float32((n+k)%1000) / 8
		}
		if err := a.Append(b.Context(), 0, row); err != nil {
			b.Fatal(err)
		}
		if n++; every > 0 && n%every == 0 {
			if err := a.Commit(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
}
