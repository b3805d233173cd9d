package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTreesBecomeZarrStoresAndBack keeps items, attributes and names of dimensions in both
// versions, in directories and archives.
func TestTreesBecomeZarrStoresAndBack(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	a, b := npyFile(t, "<f4", false, 40, 30), npyFile(t, ">i2", false, 5, 4, 3)
	writeFile(t, path("x.npz"), npzFile(t, false, "a", a, "g/h/b", b))
	cairnOK(t, "import", path("x.npz"), path("x.b2z"))
	cairnOK(t, "meta", "set", path("x.b2z")+"::/a", "_ARRAY_DIMENSIONS", `["time", null]`)
	cairnOK(t, "meta", "set", path("x.b2z")+"::/a", "units", `"K"`)
	cairnOK(t, "meta", "set", path("x.b2z")+"::/g", "run", `7`)
	for _, out := range []string{"o.zarr", "o.zarr.zip"} {
		for _, version := range []string{"2", "3"} {
			cairnOK(t, "export", "-force", "-zarr", version, path("x.b2z"), path(out))
			for _, want := range []string{" b  array  5 × 4 × 3  >i2", " a  array  40 × 30  <f4", "import " + path(out)} {
				if got := columns(cairnOK(t, "info", path(out))); !strings.Contains(got, want) {
					t.Errorf("info of %s: %s, no %q", out, got, want)
				}
			}
			for _, want := range []string{"dimensions     time, (unnamed)", "units: K", "blosc (zstd)"} {
				if got := cairnOK(t, "info", path(out)+"::a"); !strings.Contains(got, want) {
					t.Errorf("info of %s::a: %s, no %q", out, got, want)
				}
			}
			cairnOK(t, "import", "-force", path(out), path("back.b2d"))
			for key, want := range map[string][]byte{"a": a, "g/h/b": b} {
				for _, from := range []string{path("back.b2d") + "::/" + key, path(out) + "::" + key} {
					if got := cairnOK(t, "export", from, "-"); got != string(want) {
						t.Errorf("%s: other items", from)
					}
				}
			}
			if got := cairnOK(t, "meta", "get", path("back.b2d")+"::/g", "run"); strings.TrimSpace(got) != "7" {
				t.Errorf("attribute of the group: %s", got)
			}
			if got := cairnOK(t, "info", path("back.b2d")+"::/a"); !strings.Contains(got, "time, (unnamed)") ||
				!strings.Contains(got, `units (2 bytes): "K"`) {
				t.Errorf("labels of the array: %s", got)
			}
			if err := os.RemoveAll(path("back.b2d")); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "export", path("x.b2z"), path("o.zarr")), "exist")
	wantFailure(t, cairnWith(t.Context(), nil, "export", "-force", path("x.b2z")+"::/a", dir+"/"), "")
	wantFailure(t, cairnWith(t.Context(), nil, "import", path("o.zarr"), path("a.b2nd")), "holds 2 arrays")
	cairnOK(t, "export", "-s", "0", path("o.zarr")+"::a", path("row.zarr"))
	if got := cairnOK(t, "info", path("row.zarr")); !strings.Contains(got, "shape          30") {
		t.Errorf("info of a row: %s", got)
	}
}

// TestScalarsLeaveStores exports a store with an array without dimensions.
func TestScalarsLeaveStores(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "x.npz", npzFile(t, false, "a", npyFile(t, "<f4", false, 3), "s", npyFile(t, "<f4", false)))
	cairnOK(t, "import", "x.npz", "x.b2z")
	for _, out := range []string{"o.zarr", "o.npz"} {
		cairnOK(t, "export", "x.b2z", out)
		if got := cairnOK(t, "cat", out+"::s"); got != cairnOK(t, "cat", "x.npz::s") {
			t.Errorf("%s: other items: %q", out, got)
		}
	}
}

// TestExportsOfNetCDFAreEqual compares files with the Zarr stores and trees that they become.
func TestExportsOfNetCDFAreEqual(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"offset64.nc", "netcdf4.nc", "single.nc", "cdf5.nc", "h5netcdf.nc", "strings.nc", "phony.nc"} {
		files[name] = netCDFFile(t, name)
	}
	t.Chdir(t.TempDir())
	for name, file := range files {
		cairnOK(t, "import", "-force", file, "tree.b2z")
		for _, version := range []string{"2", "3"} {
			for _, in := range []string{file, "tree.b2z"} {
				cairnOK(t, "export", "-force", "-zarr", version, in, "o.zarr")
				if r := cairnWith(t.Context(), nil, "diff", "-equal-nan", file, "o.zarr"); r.code != 0 {
					t.Errorf("%s by %s, version %s: %s%s", name, filepath.Base(in), version, r.stdout, r.stderr)
				}
			}
		}
		cairnOK(t, "import", "-force", "o.zarr", "back.b2z")
		if r := cairnWith(t.Context(), nil, "diff", "-equal-nan", file, "back.b2z"); r.code != 0 {
			t.Errorf("%s, back in a store: %s%s", name, r.stdout, r.stderr)
		}
	}
}

// TestExportChoosesTheCodec writes Zarr with a codec, level and filter.
func TestExportChoosesTheCodec(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.npy", npyFile(t, "<f4", false, 40, 30))
	for _, c := range []struct{ flags, v2, v3 string }{
		{"-codec lz4", `"cname": "lz4"`, `"cname": "lz4"`},
		{"-codec zlib -level 9 -filters bitshuffle", `"clevel": 9`, `"shuffle": "bitshuffle"`},
		{"-codec pcodec -level 3", `"id": "pcodec"`, `"name": "numcodecs.pcodec"`},
		{"-filters none", `"shuffle": 0`, `"shuffle": "noshuffle"`},
		{"-level 0", `"compressor": null`, `"name": "bytes"`},
	} {
		for version, want := range map[string]string{"2": c.v2, "3": c.v3} {
			args := append([]string{"export", "-force", "-zarr", version}, strings.Fields(c.flags)...)
			cairnOK(t, append(args, "a.npy", "o.zarr")...)
			name := map[string]string{"2": "o.zarr/.zarray", "3": "o.zarr/zarr.json"}[version]
			if doc := string(readFile(t, name)); !strings.Contains(doc, want) {
				t.Errorf("%s, version %s: no %s in %s", c.flags, version, want, doc)
			}
			if got := cairnOK(t, "export", "o.zarr", "-"); got != string(readFile(t, "a.npy")) {
				t.Errorf("%s, version %s: other items", c.flags, version)
			}
		}
	}
	for flags, want := range map[string]string{"-codec pcodec a.npy o.b2nd": "-codec pcodec is for Zarr stores", "-codec lz4 a.npy o.npy": "Zarr stores, NetCDF files, HDF5 files, and the output is a NumPy .npy file", "-level 10 a.npy p.zarr": "0 to 9",
		"-codec nothing a.npy p.zarr": "nothing", "-filters shuffle,delta a.npy p.zarr": "one filter"} {
		r := cairnWith(t.Context(), nil, append([]string{"export"}, strings.Fields(flags)...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("export %s: exit %d, %s", flags, r.code, r.stderr)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "export", "-codec", "zfp_acc:-3", "a.npy", "p.zarr"), "none of Blosc in Zarr")
}
