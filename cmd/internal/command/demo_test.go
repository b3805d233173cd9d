package command

import (
	"bytes"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "demo")
	days := "40"
	if testing.Short() {
		days = "3"
	}
	out := cairnOK(t, "demo", "-days", days, "-out", dir)
	for _, want := range []string{
		days + " days × 180 latitudes × 360 longitudes", "one day", "one place", "a region", "everything",
		"checksum equal", "blosclz", "ratio", "temperature.b2nd", "temperature.png", dir,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not print %q:\n%s", want, out)
		}
	}
	wantFiles(t, dir, "daily.nc", "monthly.nc", "monthly.zarr", "stations.npz", "temperature.b2nd", "temperature.png")
	img, err := png.Decode(bytes.NewReader(readFile(t, filepath.Join(dir, "temperature.png"))))
	if err != nil || img.Bounds().Dx() < 1000 {
		t.Errorf("the map: %v", err)
	}
	array := filepath.Join(dir, "temperature.b2nd")
	info := cairnOK(t, "info", array)
	if !strings.Contains(info, days+" × 180 × 360") || !strings.Contains(info, "units") {
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
