package command

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// griddedFile writes a NetCDF file with packed temperatures on a grid of 4 × 8 cells, areas of the
// cells, weights of the rows, and a scalar.
func griddedFile(t *testing.T, name string) {
	t.Helper()
	lat := &netcdf.Dimension{Name: "lat", Len: 4}
	lon := &netcdf.Dimension{Name: "lon", Len: 8}
	time := &netcdf.Dimension{Name: "time", Len: 2, Unlimited: true}
	texts := func(pairs ...string) (all []netcdf.Attribute) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, netcdf.Attribute{Name: pairs[i], Value: pairs[i+1]})
		}
		return all
	}
	type dims = []*netcdf.Dimension
	tas := append(texts("units", "K", "cell_methods", "time: mean", "cell_measures", "area: areacella"),
		netcdf.Attribute{Name: "scale_factor", Value: 0.5}, netcdf.Attribute{Name: "_FillValue", Type: netcdf.TypeNamed("short"), Value: int16(-1)})
	root := &netcdf.Group{Dimensions: dims{time, lat, lon}, Variables: []*netcdf.Variable{
		{Name: "lat", Type: netcdf.TypeNamed("double"), Dimensions: dims{lat}, Attributes: texts("units", "degrees_north")},
		{Name: "lon", Type: netcdf.TypeNamed("double"), Dimensions: dims{lon}, Attributes: texts("units", "degrees_east")},
		{Name: "tas", Type: netcdf.TypeNamed("short"), Dimensions: dims{time, lat, lon}, Attributes: tas},
		{Name: "areacella", Type: netcdf.TypeNamed("double"), Dimensions: dims{lat, lon}, Attributes: texts("standard_name", "cell_area")},
		{Name: "height", Type: netcdf.TypeNamed("double"), Attributes: texts("units", "m")}}}
	w, err := netcdf.Create(name, root, nil)
	if err != nil {
		t.Fatal(err)
	}
	items := make([]int16, 64)
	for i := range items {
		items[i] = int16(i)
	}
	items[40] = -1
	for key, src := range map[string]ndarray.Source{
		"lat": ndarray.Items([]float64{67.5, 22.5, -22.5, -67.5}, ndarray.Shape{4}),
		"lon": ndarray.Items([]float64{0, 45, 90, 135, 180, 225, 270, 315}, ndarray.Shape{8}),
		"tas": ndarray.Items(items, ndarray.Shape{2, 4, 8}), "areacella": ndarray.Items(make([]float64, 32), ndarray.Shape{4, 8}),
		"height": ndarray.Items([]float64{2}, ndarray.Shape{}),
	} {
		if err := w.Put(t.Context(), key, src); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRegridFiles brings a file to other grids, in several formats, and compares what is in them.
func TestRegridFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	griddedFile(t, "in.nc")
	if err := os.WriteFile("grid.txt", []byte("gridtype = lonlat\nxsize = 4\nysize = 2\nyfirst = -45\nyinc = 90\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	cairnOK(t, "regrid", "-method", "conservative", "-to", "r4x2", "-save-weights", "w.nc", "in.nc", "out.nc")
	info := cairnOK(t, "info", "out.nc")
	for _, want := range []string{"tas ", "height ", "lat_bnds", "lon_bnds", "2 × 2 × 4"} {
		if !strings.Contains(info, want) {
			t.Errorf("there is no %s:\n%s", want, info)
		}
	}
	if strings.Contains(info, "areacella") {
		t.Errorf("areas of other cells are there:\n%s", info)
	}
	if got := cairnOK(t, "info", "out.nc::tas"); !strings.Contains(got, "time: mean") || strings.Contains(got, "scale_factor") ||
		strings.Contains(got, "cell_measures") {
		t.Errorf("attributes of the grid before, or of packing: %s", got)
	}

	for _, args := range []string{"-method conservative -to grid.txt in.nc a.zarr", "-to out.nc -weights w.nc in.nc b.nc",
		"-method conservative -to out.nc::tas in.nc::tas c.h5", "-method conservative -to r4x2 in.nc d.b2z"} {
		words := strings.Fields(args)
		out := words[len(words)-1]
		cairnOK(t, append([]string{"regrid", "-q"}, words...)...)
		cairnOK(t, "diff", "-equal-nan", "out.nc::tas", out+"::tas")
	}
	cairnOK(t, "regrid", "-q", "-method", "conservative", "-to", "r4x2", "in.nc::tas", "e.b2nd")
	cairnOK(t, "diff", "-raw", "-equal-nan", "out.nc::tas", "e.b2nd")
	cairnOK(t, "regrid", "-method", "nearest", "-to", "r8x4", "in.nc", "same.nc")
	if got := cairnOK(t, "info", "same.nc::tas"); !strings.Contains(got, "scale_factor") {
		t.Errorf("items are not as they were: %s", got)
	}

	u, err := ndarray.OpenAs[float64]("e.b2nd", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	values, err := u.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(values, math.IsNaN) {
		t.Errorf("one missing item makes others missing: %v", values)
	}
	cairnOK(t, "regrid", "-q", "-force", "-coverage", "1", "-method", "conservative", "-to", "r4x2", "in.nc::tas", "e.npy")
	if got := cairnOK(t, "stats", "e.npy"); !strings.Contains(got, "NaN") {
		t.Errorf("no item is missing with -coverage 1: %s", got)
	}
}

// TestRegridRefusesMistakes checks the errors.
func TestRegridRefusesMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	griddedFile(t, "in.nc")
	cairnOK(t, "regrid", "-to", "r4x2", "-save-weights", "w.nc", "in.nc", "out.nc")
	cairnOK(t, "import", "-q", "in.nc::tas", "tas.b2nd")
	for args, want := range map[string]string{
		"in.nc x.nc":                                  "no -to GRID given",
		"-to r4x in.nc x.nc":                          "there is no such file",
		"-to r9999999x9999999 in.nc x.nc":             "out of range",
		"-to r4x2 -method cubic in.nc x.nc":           `unknown method "cubic"`,
		"-to r4x2 -coverage 2 in.nc x.nc":             "must be 0 to 1",
		"-to r8x4 -weights w.nc in.nc x.nc":           "the weights are to a grid of 8 cells",
		"-to r4x2 -weights in.nc in.nc x.nc":          "there are no weights",
		"-to r4x2 tas.b2nd x.nc":                      "there are no latitudes and longitudes",
		"-to r4x2 in.nc::height x.nc":                 "there are no latitudes and longitudes",
		"-to r4x2 in.nc out.nc":                       "out.nc",
		"-to r4x2 -save-weights in.nc in.nc x.nc":     "in.nc",
		"-to in.nc::height in.nc x.nc":                "there are no latitudes and longitudes",
		"-to r4x2 -weights w.nc -save-weights w in o": "cannot be combined",
	} {
		r := cairnWith(t.Context(), nil, append([]string{"regrid"}, strings.Fields(args)...)...)
		if r.code == exitOK || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
		if _, err := os.Lstat("x.nc"); err == nil {
			t.Errorf("%s: there is an output", args)
			os.Remove("x.nc")
		}
	}
}
