package main

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/cmd/cairn/internal/field"
	"github.com/cairn-go/cairn/ndarray"
)

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "demo")
	days := "40"
	if testing.Short() {
		days = "3"
	}
	out := cairnOK(t, "demo", "-days", days, "-out", dir)
	for _, want := range []string{days + " days × 180 latitudes × 360 longitudes", "one day", "one place", "a region", "everything", "checksum equal", "blosclz", "ratio", "temperature.b2nd", "temperature.png", dir} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not print %q:\n%s", want, out)
		}
	}
	wantFiles(t, dir, "monthly.zarr", "stations.npz", "temperature.b2nd", "temperature.png")
	img, err := png.Decode(bytes.NewReader(readFile(t, filepath.Join(dir, "temperature.png"))))
	if err != nil || img.Bounds().Dx() < 1000 {
		t.Errorf("the map: %v", err)
	}
	array := filepath.Join(dir, "temperature.b2nd")
	if info := cairnOK(t, "info", array); !strings.Contains(info, days+" × 180 × 360") || !strings.Contains(info, "units") {
		t.Errorf("info of the demo's array:\n%s", info)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "demo", "-days", "1", "-out", dir), "exists")
	cairnOK(t, "demo", "-days", "1", "-out", dir, "-force")
	u, err := ndarray.Open(array, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if got := u.Shape(); got[0] != 1 {
		t.Errorf("the array was not replaced: shape %v", got)
	}
}

var update = flag.Bool("update", false, "write "+readmeMap+" anew")

// readmeMap is the picture in README.md.
const readmeMap = "../../docs/images/demo.png"

// TestReadmeShowsTheDemo compares the picture in README.md with the map that the demo draws.
// Processors that fuse multiplications and additions may round a few values differently, and pixels
// at the edge of lines get the nearest colour of the palette.
func TestReadmeShowsTheDemo(t *testing.T) {
	const day = 560
	planet := field.New(demoLats, demoLons, demoSeed)
	values := make([]float32, demoLats*demoLons)
	planet.Fill(values, day, new(field.Scratch))
	var drawn bytes.Buffer
	if err := encodeMap(&drawn, mapOf(day, values, planet.Elevation())); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(readmeMap, drawn.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := decodeMap(t, readFile(t, readmeMap))
	got := decodeMap(t, drawn.Bytes())
	different := 0
	for i, index := range got.Pix {
		if i >= len(want.Pix) || index != want.Pix[i] {
			different++
		}
	}
	if different > len(got.Pix)/100 || got.Rect != want.Rect {
		t.Errorf("%d of %d pixels differ; run go test ./cmd/cairn -run ReadmeShows -update", different, len(got.Pix))
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
	d := &demo{print: func(string) error { return nil }, workers: 2, days: 3, force: true}
	if err := d.run(t.Context(), &streams{err: io.Discard}, dir); err != nil {
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
