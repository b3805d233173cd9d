package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSplitAndConcat cuts arrays into files and leaves, and joins them again by pattern.
func TestSplitAndConcat(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.npy", npyFile(t, "<i4", false, 10, 6), 0o600); err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "import", "-chunks", "4,4", "a.npy", "a.b2nd")
	for _, c := range []struct{ split, parts, concat string }{
		{"-size 3 a.b2nd p%d.b2nd", "p0.b2nd p1.b2nd p2.b2nd p3.b2nd", "-o joined.b2nd p*.b2nd"},
		{"-size 9 -axis -1 a.npy q-%02d.b2nd", "q-00.b2nd", "-axis 1 -o joined.b2nd q-*.b2nd"},
		{"-size 4 -axis 1 -codec lz4 a.b2nd s.b2z::/g/w%d", "s.b2z", "-axis 1 -o joined.b2nd s.b2z::/g/w?"},
		{"-size 5 a.b2nd r%d.b2nd", "r0.b2nd r1.b2nd", "r0.b2nd r1.b2nd joined.b2nd"},
	} {
		cairnOK(t, append([]string{"split"}, strings.Fields(c.split)...)...)
		for part := range strings.FieldsSeq(c.parts) {
			if _, err := os.Stat(part); err != nil {
				t.Errorf("split %s: %v", c.split, err)
			}
		}
		cairnOK(t, append([]string{"concat"}, strings.Fields(c.concat)...)...)
		cairnOK(t, "diff", "-q", "a.b2nd", "joined.b2nd")
		if err := os.Remove("joined.b2nd"); err != nil {
			t.Fatal(err)
		}
	}
	cairnOK(t, "append", "r0.b2nd", "r1.b2nd", "q-0[0-9].b2nd")
	if text := cairnOK(t, "info", "r0.b2nd"); !strings.Contains(text, "20 × 6") {
		t.Errorf("after appender:\n%s", text)
	}
	before, _ := filepath.Glob("*")
	for _, c := range []struct {
		args string
		want string
	}{
		{"split a.b2nd x%d.b2nd", "-size is 0"},
		{"split -size 3 a.b2nd x.b2nd", "one %d or %03d"},
		{"split -size 3 a.b2nd x%d%d.b2nd", "one %d or %03d"},
		{"split -size 3 -axis 2 a.b2nd x%d.b2nd", "-axis is 2, but the array has 2 dimensions"},
		{"split -size 3 a.b2nd p%d.b2nd", "p0.b2nd: file already exists; -force replaces it"},
		{"split -size 10 a.b2nd a%d.tif", "cannot write TIFF"},
		{"concat -o x.b2nd none*.b2nd", "stands for no file"},
		{"concat -o x.b2nd a[.b2nd", "open bracket"},
		{"concat -o x.b2nd", "no IN… given"},
		{"concat -o x.b2nd s.b2z::/h/*", "stands for no file"},
		{"append r0.b2nd", "no IN… given"},
		{"append r0.b2nd a.npy none.npy", "none.npy"},
	} {
		r := cairnWith(t.Context(), nil, strings.Fields(c.args)...)
		if r.code == 0 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("cairn %s: exit %d, %q; want %q", c.args, r.code, r.stderr, c.want)
		}
	}
	if after, _ := filepath.Glob("*"); len(after) != len(before) {
		t.Errorf("mistakes have made files: %v", after)
	}
	if text := cairnOK(t, "info", "r0.b2nd"); !strings.Contains(text, "20 × 6") {
		t.Errorf("an append that failed has changed the array:\n%s", text)
	}
}

// TestCopyOfPartsAndGroups copies regions of arrays, and groups of trees into others.
func TestCopyOfPartsAndGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.npy", npyFile(t, "<i4", false, 10, 6), 0o600); err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "import", "a.npy", "a.b2nd")
	cairnOK(t, "meta", "set", "a.b2nd", "units", `"K"`)
	cairnOK(t, "copy", "-verify", "-s", "2:8, ::2", "a.b2nd", "part.b2nd")
	cairnOK(t, "export", "-s", "2:8, ::2", "a.npy", "part.npy")
	cairnOK(t, "diff", "-q", "-s", "2:8, ::2", "a.b2nd", "a.b2nd")
	text := cairnWith(t.Context(), nil, "diff", "part.b2nd", "part.npy").stdout
	if !strings.Contains(text, "18 items equal") || !strings.Contains(text, "attribute units  K") {
		t.Errorf("the copied region differs:\n%s", text)
	}
	for _, key := range []string{"/g/x", "/g/deep/y", "/other"} {
		cairnOK(t, "import", "a.npy", "t.b2z::"+key)
	}
	cairnOK(t, "meta", "set", "t.b2z::/g", "title", `"of g"`)
	cairnOK(t, "copy", "t.b2z::/g", "u.b2d::/h")
	cairnOK(t, "diff", "-q", "t.b2z::/g", "u.b2d::/h")
	cairnOK(t, "copy", "t.b2z", "u.b2d::/all")
	cairnOK(t, "diff", "-q", "t.b2z", "u.b2d::/all")
	cairnOK(t, "diff", "-q", "t.b2z::/g", "u.b2d::/h")
	cairnOK(t, "copy", "-codec", "lz4", "t.b2z::/g", "v.b2z")
	cairnOK(t, "diff", "-q", "t.b2z::/g", "v.b2z")
	cairnOK(t, "export", "t.b2z", "t.zarr")
	cairnOK(t, "copy", "t.zarr::g", "u.b2d::/zarr")
	cairnOK(t, "diff", "-q", "t.b2z::/g", "u.b2d::/zarr")
	for _, c := range []struct{ args, want string }{
		{"copy t.b2z::/g u.b2d::/h", "already exists; -force replaces it"},
		{"copy t.b2z::/g t.b2z::/k", "copy it to another one"},
		{"copy -verify t.b2z::/g u.b2d::/k", "-verify, -sparse and -plan do not apply"},
		{"copy -verify t.b2z w.b2z", "-verify, -sparse and -plan do not apply"},
		{"copy -s 20 a.b2nd w.b2nd", "20"},
		{"copy t.b2z::/g v.b2z", "already exists"},
	} {
		r := cairnWith(t.Context(), nil, strings.Fields(c.args)...)
		if r.code == 0 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("cairn %s: exit %d, %q; want %q", c.args, r.code, r.stderr, c.want)
		}
	}
	cairnOK(t, "copy", "-force", "t.b2z::/g", "u.b2d::/h")
}

// TestSplitToZarr cuts an array into Zarr stores, each with its part of the coordinates, and joins
// them again.
func TestSplitToZarr(t *testing.T) {
	in := climateFile(t) + "::/run/t2m"
	t.Chdir(t.TempDir())
	cairnOK(t, "split", "-axis", "time", "-size", "3", "-codec", "lz4", "-chunks", "2,2,3", in, "p%d.zarr")
	cairnOK(t, "split", "-axis", "time", "-size", "5", in, "z%d.zarr.zip")
	cairnOK(t, "split", "-q", "-axis", "time", "-size", "5", in, "n%d.npy")
	wantFiles(t, ".", "n0.npy", "n1.npy", "p0.zarr", "p1.zarr", "p2.zarr", "z0.zarr.zip", "z1.zarr.zip")
	for _, pattern := range []string{"p*.zarr", "z*.zarr.zip"} {
		cairnOK(t, "concat", "-force", "-axis", "time", "-codec", "blosclz", "-o", "o.zarr", pattern)
		cairnOK(t, "diff", in, "o.zarr::t2m")
		if got := cairnOK(t, "info", "o.zarr::t2m"); !strings.Contains(got, "time: 2020-01-30 to 2020-02-06") ||
			!strings.Contains(got, "blosc (blosclz)") {
			t.Errorf("%s: %s", pattern, got)
		}
	}
	got := cairnOK(t, "info", "p1.zarr::t2m")
	for _, want := range []string{"time: 2020-02-02 to 2020-02-04", "blosc (lz4)", "chunks         2 × 2 × 3"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	for args, want := range map[string]string{
		"concat -codec lz4 -o no.npy n0.npy n1.npy":  "-codec is for Blosc2 frames, stores, Zarr stores, NetCDF files, HDF5 files, and the output is a NumPy .npy file",
		"split -size 2 -chunks 2,2,3 n0.npy m%d.npy": "the output is a NumPy .npy file",
		"calc -sparse -o no.zarr x+1 x=n0.npy":       "the output is a Zarr store",
		"split -size 2 n0.npy m%d.tif":               "cannot write TIFF",
	} {
		if r := cairnWith(t.Context(), nil, strings.Fields(args)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, %s", args, r.code, r.stderr)
		}
	}
}
