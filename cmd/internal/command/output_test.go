package command

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOutputsMustNotBeInputs: no verb replaces what it reads, by whatever name.
func TestOutputsMustNotBeInputs(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, path("x.npy"), npyFile(t, "<i2", false, 40))
	cairnOK(t, "import", path("x.npy"), path("a.b2nd"))
	cairnOK(t, "import", "-sparse", path("x.npy"), path("s.b2nd"))
	cairnOK(t, "copy", path("a.b2nd"), path("t.b2d")+"::/g/a")
	cairnOK(t, "copy", path("a.b2nd"), path("t.b2z")+"::/a")
	for _, link := range []struct {
		make     func(old, new string) error
		old, new string
	}{{os.Symlink, "a.b2nd", "soft"}, {os.Link, "a.b2nd", "hard"}, {os.Symlink, "s.b2nd", "sparse"},
		{os.Symlink, "t.b2d", "tree.b2d"}, {os.Link, "x.npy", "x"}} {
		if err := link.make(path(link.old), path(link.new)); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, dir)
	for _, c := range []string{
		"export a.b2nd a.b2nd", "export -s 0:2 a.b2nd a.b2nd", "export a.b2nd soft", "export a.b2nd hard", "export s.b2nd s.b2nd/x.npy",
		"import x.npy x.npy", "import x.npy x", "import x x",
		"copy a.b2nd a.b2nd", "copy a.b2nd ./a.b2nd", "copy a.b2nd hard", "copy soft a.b2nd", "copy s.b2nd sparse",
		"copy s.b2nd s.b2nd/in.b2nd",
		"copy t.b2d t.b2d", "copy t.b2d tree.b2d", "copy t.b2d t.b2d/in.b2d", "copy t.b2d::/g/a t.b2d::/g/a",
		"copy t.b2d::/g/a tree.b2d::g/a",
		"copy t.b2d::/g/a t.b2d/g/a.b2nd", "copy t.b2z::/a t.b2z::a", "concat a.b2nd soft hard",
		"concat soft s.b2nd a.b2nd", "repair a.b2nd soft",
		"repair t.b2d::/g/a t.b2d/g/a.b2nd",
	} {
		args := strings.Fields(c)
		for i, a := range args {
			if strings.HasPrefix(a, "./") {
				args[i] = dir + "/" + a
			} else if i > 0 && a[0] != '-' && a != "0:2" {
				args[i] = path(a)
			}
		}
		args = slices.Insert(args, 1, "-force")
		if r := cairnWith(t.Context(), nil, args...); r.code != exitUsage {
			t.Errorf("%s: exit %d, %s", c, r.code, r.stderr)
		}
		if !slices.Equal(contents(t, dir), before) {
			t.Fatalf("%s changed something", c)
		}
	}
}

// TestOutputsOfOtherStreams: standard streams that are files are inputs and outputs like others.
func TestOutputsOfOtherStreams(t *testing.T) {
	dir := t.TempDir()
	npy, array := filepath.Join(dir, "x"), filepath.Join(dir, "a.b2nd")
	writeFile(t, npy, npyFile(t, "<i2", false, 40))
	importBytes(t, readFile(t, npy), array)
	for _, c := range []struct {
		in   string
		args []string
	}{{npy, []string{"import", "-force", "-", npy}}, {array, []string{"cat", "-"}}, {array, []string{"copy", "-", "-"}}} {
		f, err := os.OpenFile(c.in, os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		before := readFile(t, c.in)
		var stderr bytes.Buffer
		if code := run(t.Context(), c.args, f, f, &stderr); code != exitUsage || !bytes.Equal(readFile(t, c.in), before) {
			t.Errorf("%v: exit %d, %s", c.args, code, &stderr)
		}
		f.Close()
	}
}

// TestForceReplacesOnlyTheSameKind checks that -force does not replace one kind of data with
// another.
func TestForceReplacesOnlyTheSameKind(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, path("x.npy"), npyFile(t, "<i2", false, 40))
	cairnOK(t, "import", path("x.npy"), path("a.b2nd"))
	cairnOK(t, "import", path("x.npy"), path("array"))
	cairnOK(t, "copy", path("a.b2nd"), path("t.b2z")+"::/a")
	cairnOK(t, "copy", path("a.b2nd"), path("t.b2e")+"::/a")
	writeFile(t, path("x"), readFile(t, path("x.npy")))
	writeFile(t, path("h"), []byte("\x89HDF\r\n\x1a\n\x00"))
	writeFile(t, path("tree"), readFile(t, path("t.b2z")))
	if err := os.Mkdir(path("empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for _, c := range []struct{ args, want string }{
		{"export a.b2nd array", "array is a Blosc2 frame"}, {"import x.npy x", "x is a NumPy .npy file"},
		{"import x.npy h", "h is an HDF5 file"},
		{"copy a.b2nd tree", "tree is a store"}, {"import x.npy empty", "empty is a directory"},
		{"import -sparse x.npy empty", "empty is a directory"},
		{"copy t.b2z empty", "empty is a directory"}, {"export a.b2nd empty", "empty is a directory"},
	} {
		args := strings.Fields(c.args)
		for i, a := range args {
			if i > 0 && a[0] != '-' {
				args[i] = path(a)
			}
		}
		args = slices.Insert(args, 1, "-force")
		r := cairnWith(t.Context(), nil, args...)
		if r.code == 0 || !strings.Contains(r.stderr, c.want) || !slices.Equal(contents(t, dir), before) {
			t.Errorf("%s: exit %d, %s", c.args, r.code, r.stderr)
		}
	}
	// What is nothing known, or half of what it was, may go.
	writeFile(t, path("torn.b2nd"), readFile(t, path("a.b2nd"))[:100])
	writeFile(t, path("nothing.b2nd"), nil)
	for _, name := range []string{"torn.b2nd", "nothing.b2nd", "a.b2nd"} {
		cairnOK(t, "import", "-force", path("x.npy"), path(name))
	}
}

// TestFileNamesMatchTheirContent checks that no file gets a name with the extension of another
// format.
func TestFileNamesMatchTheirContent(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, path("x.npy"), npyFile(t, "<i2", false, 40))
	cairnOK(t, "import", path("x.npy"), path("a.b2nd"))
	before := contents(t, dir)
	t.Chdir(dir)
	for _, c := range []struct{ args, want string }{
		{"export a.b2nd o.tif", "cannot write TIFF"},
		{"export -fortran a.b2nd o.nc", "-fortran is for"}, {"copy a.b2nd o.CSV", "export"},
		{"export -deflate a.b2nd o.b2nd", "-deflate is for NumPy .npz archives, and the output is a Blosc2 frame"},
		{"copy -plan a.b2nd o.zarr", "-plan and -verify are for Blosc2"}, {"copy -codec lz4 a.b2nd o.npy", "-codec is for Blosc2 frames, stores, Zarr stores"},
		{"import -sparse x.npy o.zarr", "-sparse"}, {"copy -level 11 a.b2nd o.zarr", "must be 0 to 9"},
		{"import x.npy o.parquet", "cannot write Parquet"},
		{"import x.npy o.b2z", "name an array in it"},
		{"concat a.b2nd o.mat", "cannot write"},
		{"repair a.b2nd o.npy", "this verb writes a Blosc2 frame"},
		{"repair a.b2nd -", "standard output is for the report"},
	} {
		r := cairnWith(t.Context(), nil, strings.Fields(c.args)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, c.want) || !slices.Equal(contents(t, dir), before) {
			t.Errorf("%s: exit %d, %s", c.args, r.code, r.stderr)
		}
	}
}

// TestOutputsAreWhatTheirNameSays converts by three verbs, which write the same.
func TestOutputsAreWhatTheirNameSays(t *testing.T) {
	tree := climateFile(t)
	t.Chdir(t.TempDir())
	writeFile(t, "x.npy", npyFile(t, "<i2", false, 4, 5, 6))
	cairnOK(t, "import", "-chunks", "2,2,2", "x.npy", "a.b2nd")
	writeFile(t, "items.raw", []byte(cairnOK(t, "cat", "a.b2nd")))
	for _, ext := range []string{".npy", ".npz", ".raw", ".zarr", ".zarr.zip", ".b2nd"} {
		cairnOK(t, "export", "-s", "1:3", "a.b2nd", "export"+ext)
		cairnOK(t, "copy", "-s", "1:3", "a.b2nd", "copy"+ext)
		cairnOK(t, "import", "-s", "1:3", "x.npy", "import"+ext)
		for _, verb := range []string{"export", "copy", "import"} {
			var got string
			if ext == ".raw" {
				got = string(readFile(t, verb+ext))
			} else {
				got = cairnOK(t, "cat", verb+ext)
			}
			if got != cairnOK(t, "cat", "-s", "1:3", "a.b2nd") {
				t.Errorf("%s%s has other items", verb, ext)
			}
		}
	}
	for _, out := range []string{"r.npy", "r.zarr", "r.b2nd"} {
		cairnOK(t, "import", "-dtype", "<i2", "-shape", "4,5,6", "-s", "0", "items.raw", out)
		if cairnOK(t, "cat", out) != cairnOK(t, "cat", "-s", "0", "a.b2nd") {
			t.Errorf("%s has other items", out)
		}
	}
	if info := cairnOK(t, "info", "import.b2nd"); !strings.Contains(info, "zstd, level 5") {
		t.Errorf("import -s stores in another way:\n%s", info)
	}

	// Whole trees, and the parts of their arrays that have a dimension.
	cairnOK(t, "copy", "-q", "-s", "time=2020-02-02:", "-chunks", "2,2,2", tree, "copy.zarr", "-force")
	cairnOK(t, "export", "-q", "-s", "time=2020-02-02:", tree, "export.zarr", "-force")
	cairnOK(t, "diff", "export.zarr", "copy.zarr")
	cairnOK(t, "import", "-q", "-s", "time=2020-02-02:", "export.zarr", "import.b2z")
	cairnOK(t, "diff", "export.zarr", "import.b2z")
	if info := cairnOK(t, "info", "copy.zarr::run/t2m"); !strings.Contains(info, "2 × 2 × 2") {
		t.Errorf("-chunks has no effect:\n%s", info)
	}
}

// contents returns names and contents of everything in a directory.
func contents(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			name += "\x00" + string(readFile(t, name))
		}
		all = append(all, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
