package ndarray

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

// damagedArray writes a 2-d array of 3 × 4 chunks as "in" and damages chunk 6.
func damagedArray(t *testing.T, sparse bool, damage func(fs storage.FS, offset int64, file string),
) (storage.FS, []float32) {
	t.Helper()
	fs := storage.NewMemory()
	a, err := Create[float32]("in", Shape{29, 37}, &Options{ChunkShape: Shape{10, 10}, BlockShape: Shape{5, 4}, FS: fs, Sparse: sparse})
	if err != nil {
		t.Fatal(err)
	}
	items := make([]float32, 29*37)
	for i := range items {
		items[i] = float32(i%31) * 1.5
	}
	if err := a.Write(context.Background(), items); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := frame.Open("in", &frame.OpenOptions{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Chunk(6)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	damage(fs, info.Offset, info.File)
	return fs, items
}

func TestSalvageSaysWhichItemsAreLost(t *testing.T) {
	for name, c := range map[string]struct {
		sparse bool
		fill   any
		damage func(fs storage.FS, offset int64, file string)
	}{
		"bytes changed": {false, nil, func(fs storage.FS, offset int64, _ string) {
			f, _ := fs.OpenRW("in")
			f.WriteAt([]byte{0xff, 0xff, 0xff, 0xff}, offset+32)
		}},
		"header and a chunk": {false, math.NaN(), func(fs storage.FS, offset int64, _ string) {
			f, _ := fs.OpenRW("in")
			f.WriteAt(make([]byte, 50), 0)
			f.WriteAt(make([]byte, 50), offset)
		}},
		"file missing": {true, float32(7), func(fs storage.FS, _ int64, file string) { fs.Remove("in/" + file) }},
	} {
		t.Run(name, func(t *testing.T) {
			fs, items := damagedArray(t, c.sparse, c.damage)
			r, err := Salvage(context.Background(), "in", "out", &SalvageOptions{FS: fs, Fill: c.fill})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Boxes) != 1 || r.Boxes[0].Chunk != 6 || !slices.Equal(r.Boxes[0].Start, Shape{10, 20}) || !slices.Equal(r.Boxes[0].Stop, Shape{20, 30}) {
				t.Fatalf("lost %+v", r.Boxes)
			}
			if v, err := Verify(context.Background(), "out", &OpenOptions{FS: fs}); err != nil || v.Recut > 0 || v.Surplus > 0 {
				t.Fatalf("%+v, %v", v, err)
			}
			a, err := OpenAs[float32]("out", &OpenOptions{FS: fs})
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range items {
				if y, x := i/37, i%37; y >= 10 && y < 20 && x >= 20 && x < 30 {
					switch f := c.fill.(type) {
					case nil:
						want = 0
					case float32:
						want = f
					case float64:
						if !math.IsNaN(float64(got[i])) {
							t.Fatalf("item %d, %d is %v", y, x, got[i])
						}
						continue
					}
				}
				if got[i] != want {
					t.Fatalf("item %d is %v, want %v", i, got[i], want)
				}
			}
		})
	}
}

func TestSalvageOfFramesWithoutArrays(t *testing.T) {
	fs := storage.NewMemory()
	f, err := frame.Create("in", &frame.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Salvage(context.Background(), "in", "out", &SalvageOptions{FS: fs}); !errors.Is(err, cairn.ErrNotFound) {
		t.Fatal(err)
	}
	if _, err := fs.Stat("out"); err == nil {
		t.Fatal("it wrote something")
	}
}
