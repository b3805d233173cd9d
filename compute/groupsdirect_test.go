package compute

import (
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

// Results that are written tile by tile, since they are large, are those of all tiles.
func TestGroupsDirect(t *testing.T) {
	const steps, rows, columns, every = 40, 96, 1000, 3
	items := make([]float32, steps*rows*columns)
	for i := range items {
		items[i] = float32(i%977) - float32(i/columns%31)
	}
	src, err := ndarray.FromSlice(items, ndarray.Shape{steps, rows, columns},
		&ndarray.Options{ChunkShape: ndarray.Shape{4, rows, columns}})
	if err != nil {
		t.Fatal(err)
	}

	o := &Options{Groups: []Groups{Every(every, steps, 0)}}
	means, err := Mean(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	if bytes := int64(steps+every-1) / every * rows * columns * 8; bytes <= directBytes || bytes > denseBytes {
		t.Fatalf("a result of %d bytes", bytes)
	}

	got, err := means.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, mean := range got {
		group := i / (rows * columns)
		sum := 0.0
		n := 0
		for step := group * every; step < min(steps, (group+1)*every); step++ {
			sum += float64(items[step*rows*columns+i%(rows*columns)])
			n++
		}
		if mean != sum/float64(n) {
			t.Fatalf("item %d is %v, want %v", i, mean, sum/float64(n))
		}
	}
}
