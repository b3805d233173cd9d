package demo

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/field"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/progress"
	"github.com/cairn-go/cairn/ndarray"
)

var update = flag.Bool("update", false, "write "+readmeMap+" anew")

// readmeMap is the picture in README.md.
const readmeMap = "../../../../../docs/images/demo.png"

// TestReadmeShowsTheDemo compares the picture in README.md with the map that the demo draws.
// Processors that fuse multiplications and additions may round a few values differently, and pixels
// at the edge of lines get the nearest colour of the palette.
func TestReadmeShowsTheDemo(t *testing.T) {
	const day = 560
	planet := field.New(lats, lons, seed)
	values := make([]float32, lats*lons)
	planet.Fill(values, day)
	var drawn bytes.Buffer
	if err := mapOf(day, values, planet.Elevation()).Draw().WritePNG(&drawn); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(readmeMap, drawn.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(readmeMap)
	if err != nil {
		t.Fatal(err)
	}
	want := decodeMap(t, committed)
	got := decodeMap(t, drawn.Bytes())
	different := 0
	for i, index := range got.Pix {
		if i >= len(want.Pix) || index != want.Pix[i] {
			different++
		}
	}
	if different > len(got.Pix)/100 || got.Rect != want.Rect {
		t.Errorf("%d of %d pixels differ; run go test ./cmd/internal/command/internal/demo -run ReadmeShows -update",
			different, len(got.Pix))
	}
}

func decodeMap(t *testing.T, b []byte) *image.Paletted {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := img.(*image.Paletted)
	if !ok {
		t.Fatalf("the map is a %T", img)
	}
	return m
}

func TestDemoNoticesWrongData(t *testing.T) {
	dir := t.TempDir()
	d := &demo{Options: Options{Dir: dir, Days: 3, Workers: 2, Overwrite: true,
		Print: func(string) error { return nil },
		Bar:   func(string, int64) *progress.Bar { return nil }}}
	if err := d.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := ndarray.OpenAs[float32](d.arrayPath(), &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Set(99, 0, 179, 359); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.readBack(t.Context()); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a changed value: %v", err)
	}
	if err := os.Truncate(d.arrayPath(), 100); err != nil {
		t.Fatal(err)
	}
	if err := d.readBack(t.Context()); err == nil {
		t.Error("a truncated array reads back")
	}
}
