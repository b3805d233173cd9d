package command

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// netCDFVerbs are commands that read the array IN, and print something about its items.
var netCDFVerbs = []string{
	"head IN", "head -s time=FIRST,lat=40:55 IN", "head -format csv -s lat~50 IN", "cat IN",
	"cat -s [1:3,::2,-1] IN", "stats IN", "stats -s time=SECOND: -hist 4 IN", "reduce -op max -axis time IN",
	"reduce -op mean -axis time,lon -s lat=60 IN", "calc a-273.15 a=IN", "diff IN IN", "export IN -", "export -s 0 IN -",
	"view -force IN -o o.png", "view -force -s time=FIRST IN -o o.svg", "advise IN", "verify IN",
	"copy -force IN o.b2nd", "copy -force -s lon=0.5: IN o.b2z::/part",
	"export -force IN o.npy", "export -force IN o.zarr", "concat -raw -force IN IN o.b2nd", "append o.b2nd IN",
	"reduce -op min -axis 0 IN o.b2nd -force", "calc -o o.b2nd -force a+1 a=IN", "split -force -axis time -size 1 IN p.b2z::/t%d",
	"head -raw IN", "stats -raw IN", "reduce -raw -op mean -axis time IN", "calc -raw a*0.01+273.15 a=IN",
	"export -raw IN -", "cat -raw IN", "calc -force a-273.15 a=IN -o o.b2nd",
}

// ratioLine is what only Blosc2 arrays have.
var ratioLine = regexp.MustCompile(`(?m)^ +ratio .*\n`)

// netCDFFile returns the path of a file of package netcdf's tests.
func netCDFFile(t *testing.T, name string) string {
	t.Helper()
	file, err := filepath.Abs("../../../netcdf/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestVerbsTakeNetCDF gives arrays of NetCDF and HDF5 files to every verb that reads arrays: what
// it prints is what it prints of the same array in a store.
func TestVerbsTakeNetCDF(t *testing.T) {
	classic, modern := netCDFFile(t, "classic.nc"), netCDFFile(t, "netcdf4.nc")
	t.Chdir(t.TempDir())
	writeFile(t, "x.h5", readFile(t, modern))
	for _, c := range []struct{ file, first, second string }{
		{classic, "2020-01-01T06", "2020-01-01T12"}, {modern, "2001-01-02", "2001-01-04"}, {"x.h5", "2001-01-02", "2001-01-04"},
	} {
		cairnOK(t, "import", "-force", c.file, "tree.b2z")
		for _, line := range netCDFVerbs {
			verb, _, _ := strings.Cut(line, " ")
			line = strings.NewReplacer("FIRST", c.first, "SECOND", c.second).Replace(line)
			of := func(in string) string {
				r := cairnWith(t.Context(), strings.NewReader(""), strings.Fields(strings.ReplaceAll(line, "IN", in))...)
				if r.code != 0 {
					t.Errorf("%s: exit %d, %s", strings.ReplaceAll(line, "IN", in), r.code, r.stderr)
				}
				text := strings.ReplaceAll(r.stdout, in, "IN")
				return ratioLine.ReplaceAllString(text, "")
			}
			got, want := of(c.file+"::t2m"), of("tree.b2z::/t2m")
			if got != want && verb != "advise" && verb != "verify" {
				t.Errorf("%s of %s:\n%s\nwant\n%s", line, c.file, got, want)
			}
		}
	}
}

// TestNetCDFBecomesATree keeps dimensions and attributes, and finds coordinates by them.
func TestNetCDFBecomesATree(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	want := cairnOK(t, "head", "-format", "csv", "-s", "time=2020-01-01T06", file+"::t2m")
	for _, verb := range []string{"import " + file + " o.b2z", "import " + file + " o.b2d", "copy " + file + " c.b2z",
		"export " + file + " o.zarr"} {
		args := strings.Fields(verb)
		cairnNotes(t, args...)
		if got := cairnOK(t, "head", "-format", "csv", "-s", "time=2020-01-01T06", args[2]+"::/t2m"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", verb, got, want)
		}
		if got := cairnOK(t, "info", args[2]+"::/t2m"); !strings.Contains(got, "time, lat, lon") || !strings.Contains(got, "-32767") {
			t.Errorf("%s: %s", verb, got)
		}
	}
	if got := cairnOK(t, "meta", "get", "o.b2z", "title"); !strings.Contains(got, "in Latin-1") {
		t.Errorf("the title is %s", got)
	}
}

// TestInfoOfNetCDF prints headers as ncdump -h does, and how arrays are stored.
func TestInfoOfNetCDF(t *testing.T) {
	for name, kind := range map[string]string{"classic.nc": "a NetCDF file (classic)", "cdf5.nc": "a NetCDF file (cdf5)",
		"netcdf4.nc": "a NetCDF file (netCDF-4)", "types.nc": "a NetCDF file (netCDF-4)"} {
		file := netCDFFile(t, name)
		header := string(readFile(t, strings.TrimSuffix(file, ".nc")+".cdl"))
		if name == "classic.nc" { // its Latin-1 is shown otherwise
			header, _, _ = strings.Cut(header, "// global")
		}
		if got := cairnOK(t, "info", file); !strings.HasPrefix(got, header) || !strings.Contains(got, kind) {
			t.Errorf("info of %s: %s", name, got)
		}
	}
	file := netCDFFile(t, "netcdf4.nc")
	for _, want := range []string{"an array in a NetCDF file (netCDF-4)", "dimensions     time, lat, lon", "chunks         2 × 3 × 8",
		"codecs         shuffle(2), deflate(4)", "stored         ", "time: 2001-01-01 to 2001-01-05", "scale_factor: 0.01"} {
		if got := cairnOK(t, "info", file+"::t2m"); !strings.Contains(got, want) {
			t.Errorf("info of t2m: %s, no %q", got, want)
		}
	}
	if got := cairnOK(t, "info", "-json", file+"::/forecast/z"); !strings.Contains(got, `"layout": "chunked"`) {
		t.Errorf("info of z: %s", got)
	}
}

// TestHDF5BecomesATree reads an HDF5 file that does not follow the conventions of NetCDF, also
// behind a block of something else.
func TestHDF5BecomesATree(t *testing.T) {
	file := netCDFFile(t, "phony.nc")
	t.Chdir(t.TempDir())
	raw := readFile(t, file)
	writeFile(t, "x.h5", raw)
	writeFile(t, "x.mat", append(make([]byte, 512), raw...))
	for _, in := range []string{"x.h5", "x.mat", "-"} {
		run := func(args ...string) string {
			r := cairnWith(t.Context(), bytes.NewReader(raw), args...)
			if r.code != 0 {
				t.Errorf("%v: exit %d, %s", args, r.code, r.stderr)
			}
			return r.stdout
		}
		if got := run("info", in); !strings.Contains(got, "an HDF5 file") || !strings.Contains(columns(got), "b  array  4 × 4 × 3  <i4") {
			t.Errorf("info: %s", got)
		}
		run("import", "-force", in, "tree.b2z")
		if got, want := cairnOK(t, "cat", "tree.b2z::/g/c"), cairnOK(t, "cat", file+"::g/c"); got != want {
			t.Errorf("%s: other items", in)
		}
		if got := cairnOK(t, "meta", "get", "tree.b2z::/g/c", "units"); !strings.Contains(got, "m") {
			t.Errorf("the units are %s", got)
		}
	}
}

// TestValues shows the values that packed items stand for, of any format.
func TestValues(t *testing.T) {
	file := netCDFFile(t, "classic.nc")
	t.Chdir(t.TempDir())
	const one = "time=2020-01-01, lat=60"
	got := columns(cairnOK(t, "head", "-s", one, file+"::t2m"))
	if !strings.Contains(got, "531.7") || !strings.Contains(got, "values: items × 0.01 + 273.15") {
		t.Errorf("head: %s", got) // 25855 × 0.01 + 273.15
	}
	if got := columns(cairnOK(t, "head", "-raw", "-s", one, file+"::t2m")); !strings.Contains(got, "25855") ||
		strings.Contains(got, "values:") {
		t.Errorf("head -raw: %s", got)
	}

	// What is copied keeps its items; what is computed has values.
	for _, out := range []string{"items.b2nd", "items.npy"} {
		r := cairnWith(t.Context(), nil, "import", file+"::t2m", out)
		if r.code != 0 || !strings.Contains(r.stderr, "cairn: left out the coordinates time, lat, lon; ") {
			t.Errorf("%s: exit %d, %s", out, r.code, r.stderr)
		}
	}
	cairnOK(t, "import", file+"::t2m", "items.b2z::/t2m")
	if got := cairnOK(t, "info", "items.b2z"); !strings.Contains(got, "tree store of 4 leaves") {
		t.Errorf("coordinates are lost: %s", got)
	}
	cairnOK(t, "calc", "-q", "-o", "values.b2nd", "a", "a="+file+"::t2m")
	if got := cairnOK(t, "info", "items.b2nd"); !strings.Contains(got, ">i2") || !strings.Contains(got, "scale_factor") {
		t.Errorf("info: %s", got)
	}
	got = cairnOK(t, "info", "values.b2nd")
	if !strings.Contains(got, "<f8") || strings.Contains(got, "scale_factor") || !strings.Contains(got, `"K"`) {
		t.Errorf("info: %s", got)
	}

	// Formats without attributes get values, with a note.
	for _, args := range []string{"export items.b2nd o.npy", "export items.b2nd o.npz", "export items.b2nd o.raw", "cat items.b2nd"} {
		for _, raw := range []string{"", " -raw"} {
			r := cairnWith(t.Context(), nil, strings.Fields(args+raw+" -force")...)
			if strings.HasPrefix(args, "cat") {
				r = cairnWith(t.Context(), nil, strings.Fields(args+raw)...)
			}
			if r.code != 0 || strings.Contains(r.stderr, "values: items × 0.01") != (raw == "") {
				t.Errorf("%s%s: exit %d, %s", args, raw, r.code, r.stderr)
			}
		}
	}

	// The note comes once they are written.
	if err := os.Mkdir("taken.npy", 0o777); err != nil {
		t.Fatal(err)
	}
	if r := cairnWith(t.Context(), nil, "export", "items.b2nd", "taken.npy"); r.code != exitFailed || strings.Contains(r.stderr, "wrote") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	if got := cairnOK(t, "export", "-raw", "items.b2nd", "-"); len(got) >= len(cairnOK(t, "export", "-q", "items.b2nd", "-")) {
		t.Errorf("items are not smaller than values: %d bytes", len(got))
	}
	if r := cairnWith(t.Context(), nil, "stats", "-raw", "-valid", "items.b2nd"); r.code != exitUsage {
		t.Errorf("-raw -valid: exit %d", r.code)
	}
}

// TestOutsideValid counts values outside of a valid range.
func TestOutsideValid(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := ndarray.Create[int8]("a.b2nd", ndarray.Shape{4}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "_FillValue", Value: int64(-1)},
			{Key: "valid_range", Value: []any{int64(0), int64(50)}}}})
	}
	if err == nil {
		err = a.WriteBox(t.Context(), []int8{-1, 10, 51, -3}, []int64{0}, []int64{4})
	}
	if err = errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "export", "a.b2nd", "a.zarr")
	for args, want := range map[string]string{
		"stats a.b2nd": "outside valid_range  2\n", "stats -json a.b2nd": `"outside_valid": 2`,
		"stats -s 0:2 -json a.b2nd": `"outside_valid": 0`, "head a.b2nd": "valid: 0 to 50, by",
		"info a.b2nd": "valid          0 to 50, by -valid\n", "info a.zarr": "valid          0 to 50, by -valid\n",
	} {
		if got := cairnOK(t, strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if got := cairnOK(t, "stats", "-valid", "a.b2nd") + cairnOK(t, "stats", "-raw", "a.b2nd"); strings.Contains(got, "outside valid") {
		t.Errorf("stats of what is valid, and of items: %s", got)
	}
}

// TestMissing computes with packed items of bytes that are unsigned, with a negative fill: three
// values, 10, 200 and 0, and one that is missing.
func TestMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := ndarray.Create[int8]("a.b2nd", ndarray.Shape{4}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "_Unsigned", Value: "true"},
			{Key: "_FillValue", Value: int64(-1)}, {Key: "scale_factor", Value: 2.0}, {Key: "valid_max", Value: int64(100)}}})
	}
	if err == nil {
		err = a.WriteBox(t.Context(), []int8{-1, 10, -56, 0}, []int64{0}, []int64{4})
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"reduce -op mean a.b2nd": "140", "reduce -op count a.b2nd": "3", "reduce -op count_nonzero a.b2nd": "3",
		"reduce -op max a.b2nd": "400", "reduce -op mean -nan propagate a.b2nd": "NaN", "reduce -op mean -raw a.b2nd": "-11.75",
		"reduce -op mean -valid a.b2nd": "10", "reduce -op count -valid a.b2nd": "2", "calc mean(a) a=a.b2nd": "NaN",
		"calc nanmax(a) a=a.b2nd": "400", "calc max(a) a=a.b2nd -raw": "10", "reduce -op any -raw a.b2nd": "true",
	} {
		if got := strings.TrimSpace(cairnOK(t, strings.Fields(args)...)); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if got := cairnOK(t, "stats", "a.b2nd"); !regexp.MustCompile(`NaN +1\n(.*\n)*.* mean +140\n`).MatchString(got) {
		t.Errorf("stats: %s", got)
	}
	cairnOK(t, "reduce", "-op", "max", "a.b2nd", "max.b2nd", "-nan", "propagate")
	if got := cairnOK(t, "info", "max.b2nd"); !strings.Contains(got, `"_FillValue":"NaN"`) {
		t.Errorf("the result marks what is missing by %s", got)
	}

	for name, factor := range map[string]any{"short.b2nd": float32(0.1), "wide.b2nd": float64(float32(0.1))} {
		a, err := ndarray.FromSlice([]int16{3, 4}, ndarray.Shape{2}, nil)
		if err == nil {
			err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "scale_factor", Value: factor}}})
		}
		if err == nil {
			err = ndarray.Save(t.Context(), name, a, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	// Values are equal to the items that stand for them, and missing to missing.
	cairnOK(t, "calc", "-q", "a", "a=a.b2nd", "-o", "values.b2nd")
	cairnOK(t, "calc", "-q", "where(a > 300, 0, a)", "a=values.b2nd", "-o", "other.b2nd")
	cairnOK(t, "export", "-q", "a.b2nd", "a.zarr")
	for args, code := range map[string]int{"diff a.b2nd a.zarr": 0, "diff -raw a.b2nd a.zarr": 0, "diff -raw a.b2nd values.b2nd": 1,
		"diff values.b2nd other.b2nd": 1, "diff -s 0 short.b2nd wide.b2nd": 0, "diff -raw short.b2nd wide.b2nd": 0, "diff values.b2nd values.b2nd": 0} {
		if r := cairnWith(t.Context(), nil, strings.Fields(args)...); r.code != code {
			t.Errorf("%s: exit %d: %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	if r := cairnWith(t.Context(), nil, "reduce", "-nan", "maybe", "a.b2nd"); r.code != exitUsage {
		t.Errorf("-nan maybe: exit %d", r.code)
	}
}

// TestNetCDFOverHTTP reads files on a web server as those on this machine, in few requests.
func TestNetCDFOverHTTP(t *testing.T) {
	dir := t.TempDir()
	for name, of := range map[string]string{"c.nc": "classic.nc", "n.nc": "netcdf4.nc", "x.h5": "phony.nc"} {
		writeFile(t, filepath.Join(dir, name), readFile(t, netCDFFile(t, of)))
	}
	link, requests := webServer(t, dir)
	for _, name := range []string{"c.nc::t2m", "n.nc::t2m", "n.nc::forecast/z", "x.h5::b"} {
		for _, verb := range []string{"head", "stats", "cat", "info"} {
			want := cairnOK(t, verb, "-q", filepath.Join(dir, name))
			requests.Store(0)
			got := strings.ReplaceAll(cairnOK(t, verb, "-q", link+name), link, dir+"/")
			if got != want || requests.Load() > 8 {
				t.Errorf("%s of %s takes %d requests and prints\n%s\nwant\n%s", verb, name, requests.Load(), got, want)
			}
		}
	}
	cairnOK(t, "import", link+"n.nc", filepath.Join(dir, "n.b2z"))
	cairnOK(t, "diff", filepath.Join(dir, "n.nc"), filepath.Join(dir, "n.b2z"))
}
