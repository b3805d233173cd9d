package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/netcdf"
)

// TestExportsToNetCDFAndHDF5AreEqual compares files with the NetCDF and HDF5 files that they
// become, also through a store.
func TestExportsToNetCDFAndHDF5AreEqual(t *testing.T) {
	from, err := filepath.Abs("../../../netcdf/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct{ name, to string }{
		{"netcdf4.nc", "o.nc"}, {"h5netcdf.nc", "o.nc"}, {"strings.nc", "o.nc"}, {"single.nc", "o.nc3"},
		{"classic.nc", "o.nc3"}, {"offset64.nc", "o.nc3"}, {"netcdf4.nc", "o.h5"}, {"cdf5.nc", "o.h5"},
	} {
		file := filepath.Join(from, c.name)
		cairnOK(t, "import", "-force", file, "tree.b2z")
		for _, in := range []string{file, "tree.b2z"} {
			cairnOK(t, "export", "-force", in, c.to)
			if r := cairnWith(t.Context(), nil, "diff", "-equal-nan", file, c.to); r.code != 0 {
				t.Errorf("%s by %s in %s: %s%s", c.name, filepath.Base(in), c.to, r.stdout, r.stderr)
			}
		}
	}
}

// TestUnlimitedDimensionsStayUnlimited copies files whose dimensions may grow, whole and in part.
func TestUnlimitedDimensionsStayUnlimited(t *testing.T) {
	from, err := filepath.Abs("../../../netcdf/testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, c := range []struct{ in, out, flag, selection, want string }{
		{"netcdf4.nc", "o.nc", "", "time[0:2]", "time late"}, {"classic.nc", "o.nc3", "", "time[0:2]", "time"},
		{"offset64.nc", "o.nc", "", "record[1:2]", "record"}, {"single.nc", "o.nc3", "", "t[0:2]", "t"},
		{"strings.nc", "o.nc", "", "", ""}, {"strings.nc", "o.nc", "station", "", "station"},
	} {
		cairnOK(t, "copy", "-force", "-unlimited", c.flag, filepath.Join(from, c.in), c.out)
		if got := unlimitedIn(t, c.out); got != c.want {
			t.Errorf("%s in %s has the unlimited dimensions %q, want %q", c.in, c.out, got, c.want)
		}
		if c.selection == "" {
			continue
		}
		if r := cairnWith(t.Context(), nil, "export", "-force", "-s", c.selection, c.out, "part.nc"); r.code != 0 {
			t.Errorf("%s of %s: %s", c.selection, c.out, r.stderr) // it also says what is whole
		}
		if got := unlimitedIn(t, "part.nc"); got != c.want {
			t.Errorf("%s of %s has the unlimited dimensions %q, want %q", c.selection, c.in, got, c.want)
		}
	}

	if r := cairnWith(t.Context(), nil, "copy", "-unlimited", "x", "o.nc", "o.b2z"); r.code != exitUsage {
		t.Errorf("a store took -unlimited: %s", r.stderr)
	}
}

// unlimitedIn returns the names of the unlimited dimensions of a file.
func unlimitedIn(t *testing.T, file string) string {
	f, err := netcdf.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var names []string
	for _, d := range f.Root().Dimensions {
		if d.Unlimited {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, " ")
}

// TestWhatNetCDFHasNoTypeForIsLeftOut exports a store with items of several dtypes.
func TestWhatNetCDFHasNoTypeForIsLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "x.npz", npzFile(t, true, "a", npyFile(t, "<i2", false, 4), "c", npyFile(t, "<c8", false, 3),
		"t", npyFile(t, "<M8[s]", false, 5), "b", npyFile(t, "|b1", false, 6), "u", npyFile(t, "<U3", false, 2)))
	cairnOK(t, "import", "x.npz", "x.b2z")
	for out, left := range map[string][]string{"o.nc": {"c"}, "o.nc3": {"c", "t"}, "o.h5": nil} {
		r := cairnWith(t.Context(), nil, "export", "x.b2z", out)
		want := exitLost
		if left == nil {
			want = 0
		}
		if r.code != want {
			t.Errorf("%s: exit %d, %s", out, r.code, r.stderr)
		}
		for _, key := range left {
			if !strings.Contains(r.stderr, "::/"+key) {
				t.Errorf("%s: %s is not named: %s", out, key, r.stderr)
			}
		}
		if got := cairnOK(t, "head", "-n", "2", out+"::a"); !strings.Contains(got, "[0]  514\n") {
			t.Errorf("%s: other items: %s", out, got)
		}
	}
}

// TestGroupsAreLeftOutOfClassicFiles exports a store whose group has an item without dimensions.
func TestGroupsAreLeftOutOfClassicFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.npy", npyFile(t, "<i2", false, 4))
	writeFile(t, "s.npy", npyFile(t, "<i2", false))
	cairnOK(t, "import", "a.npy", "x.b2z::a")
	cairnOK(t, "import", "s.npy", "x.b2z::g/s")

	r := cairnWith(t.Context(), nil, "export", "x.b2z", "o.nc3")
	if r.code != exitLost || !strings.Contains(r.stderr, "::/g/s: a classic NetCDF file has no groups") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	cairnOK(t, "verify", "o.nc3::a")
}
