package command

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/npy"
)

// npzFile returns an archive of .npy files, by name, in order.
func npzFile(t testing.TB, deflate bool, files ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	err := npy.WriteArchive(t.Context(), &b, func(put npy.PutFunc) error {
		for i := 0; i < len(files); i += 2 {
			if err := put(files[i].(string), opened(t, files[i+1].([]byte))); err != nil {
				return err
			}
		}
		return nil
	}, &npy.SaveOptions{Deflate: deflate})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchivesBecomeStoresAndBack(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	a, b := npyFile(t, "<f4", false, 40, 30), npyFile(t, ">i2", true, 5, 4, 3)
	for _, deflate := range []bool{false, true} {
		writeFile(t, path("x.npz"), npzFile(t, deflate, "a", a, "g/b", b))
		for _, ext := range []string{".b2z", ".b2d", ".b2e"} {
			store, back := path("x"+ext), path("back.npz")
			cairnOK(t, "import", path("x.npz"), store)
			cairnOK(t, "verify", store)
			wantFailure(t, cairnWith(t.Context(), nil, "import", path("x.npz"), store), "exist")
			cairnOK(t, "import", "-force", "-codec", "lz4", path("x.npz"), store)
			if got := cairnOK(t, "export", store+"::/g/b", "-"); got != string(asC(t, b)) {
				t.Errorf("%s: other items of b", ext)
			}
			cairnOK(t, "export", "-force", "-deflate", store, back)
			for key, want := range map[string][]byte{"a": a, "g/b": asC(t, b)} {
				cairnOK(t, "import", "-force", back+"::"+key, path("one.b2nd"))
				if got := cairnOK(t, "export", path("one.b2nd"), "-"); got != string(want) {
					t.Errorf("%s: other items of %s", ext, key)
				}
				if got := cairnOK(t, "export", back+"::"+key, "-"); got != string(want) {
					t.Errorf("%s: other items of %s in the archive", ext, key)
				}
			}
			if err := os.RemoveAll(store); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := bytes.NewReader(readFile(t, path("x.npz")))
	if r := cairnWith(t.Context(), file, "import", "-", path("p.b2z")); r.code != 0 {
		t.Errorf("an archive from a pipe: %s", r.stderr)
	}
	if got := cairnOK(t, "export", path("p.b2z")+"::a", "-"); got != string(a) {
		t.Error("an archive from a pipe has other items")
	}
	file = bytes.NewReader(readFile(t, path("p.b2z")))
	wantFailure(t, cairnWith(t.Context(), file, "head", "-"), "standard input holds 2 arrays; name one as standard input::/a")
	file = bytes.NewReader(readFile(t, path("p.b2z")))
	if r := cairnWith(t.Context(), file, "export", "-::/a", "-"); r.stdout != string(a) {
		t.Errorf("an array of a store from a pipe: %s", r.stderr)
	}
	file = bytes.NewReader([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	wantFailure(t, cairnWith(t.Context(), file, "head", "-"), "standard input holds no arrays")
	if err := os.Remove(path("p.b2z")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"import x.npz o.b2nd", "holds 2 arrays; name one as"},
		{"import x.npz o.b2nd", "a (40 × 30, <f4), g/b (5 × 4 × 3, >i2)"},
		{"import x.npz::c o.b2nd", `has no array "c"; it holds a`},
		{"export x.npz o.npy", "holds 2 arrays"},
		{"head x.npz", "holds 2 arrays"},
		{"info x.npz::c", `has no array "c"`},
	} {
		wantFailure(t, cairnWith(t.Context(), nil, inDir(dir, c.args)...), c.want)
	}
	for _, flags := range []string{"-sparse", "-chunks=5,5,5,5"} {
		if r := cairnWith(t.Context(), nil, "import", flags, path("x.npz"), path("o.b2z")); r.code != exitUsage {
			t.Errorf("%s: exit %d, %s", flags, r.code, r.stderr)
		}
	}
	wantFiles(t, dir, "back.npz", "one.b2nd", "x.npz")
}

// inDir splits arguments and puts files into a directory.
func inDir(dir, args string) []string {
	words := strings.Fields(args)
	for i, w := range words {
		if i > 0 && strings.Contains(w, ".") && !strings.HasPrefix(w, "-") {
			words[i] = filepath.Join(dir, w)
		}
	}
	return words
}

func TestRawItems(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	file := npyFile(t, "<f4", false, 12, 7)
	items := file[headerLength(t, file):]
	writeFile(t, path("x.raw"), items)
	flags := []string{"import", "-force", "-dtype", "<f4", "-shape", "12,7"}
	cairnOK(t, append(flags, path("x.raw"), path("a.b2nd"))...)
	if got := cairnOK(t, "export", path("a.b2nd"), "-"); got != string(file) {
		t.Error("raw items became another array")
	}
	if r := cairnWith(t.Context(), bytes.NewReader(items), append(flags, "-", path("a.b2nd"))...); r.code != 0 {
		t.Errorf("from a pipe: %s", r.stderr)
	}
	cairnOK(t, "export", path("a.b2nd"), path("o.bin"))
	cairnOK(t, "export", "-fortran", path("a.b2nd"), path("f.raw"))
	if got := readFile(t, path("o.bin")); !bytes.Equal(got, items) {
		t.Error("raw items were exported otherwise")
	}
	cairnOK(t, append(flags, "-fortran", path("f.raw"), path("b.b2nd"))...)
	if got := cairnOK(t, "export", path("b.b2nd"), "-"); got != string(file) {
		t.Error("items in Fortran order became another array")
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"import x.raw o.b2nd", "want one of NumPy .npy files", exitFailed},
		{"import -dtype <f4 x.raw o.b2nd", "both -dtype and -shape", exitUsage},
		{"import -dtype <q4 -shape 3 x.raw o.b2nd", "-dtype", exitUsage},
		{"import -dtype <f4 -shape 3,x x.raw o.b2nd", "-shape", exitUsage},
		{"import -dtype <f4 -shape 12,8 x.raw o.b2nd", "truncated", exitFailed},
		{"import -dtype <f4 -shape 12,6 x.raw o.b2nd",
			"336 bytes, but items of type <f4 and shape [12 6] have 288", exitFailed},
		{"import -dtype O -shape 42 x.raw o.b2nd", "fixed size", exitUsage},
	} {
		r := cairnWith(t.Context(), nil, inDir(dir, c.args)...)
		if r.code != c.code || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit %d, %s", c.args, r.code, r.stderr)
		}
	}
}

func TestForeignFilesAreDescribedAndRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	file := npyFile(t, "<f4", true, 4, 3)
	writeFile(t, path("x.npy"), file)
	writeFile(t, path("an archive.npz"), npzFile(t, true, "a", file, "b", npyFile(t, "|S3", false, 2)))
	cairnOK(t, "import", path("x.npy"), path("x.b2nd"))
	head, _, _ := strings.Cut(cairnOK(t, "head", path("x.b2nd")), "none")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"info", path("x.npy")},
			"  kind           a NumPy .npy file\n  shape          4 × 3, in Fortran order\n  dtype          <f4, 4 bytes per item\n"},
		{[]string{"info", path("x.npy")}, "convert        cairn import " + path("x.npy") + " x.b2nd\n"},
		{[]string{"info", path("an archive.npz")}, " of 2 arrays\n  a  array  4 × 3  <f4  48 B\n  b  array  2      |S3   6 B\n"},
		{[]string{"info", path("an archive.npz")}, "an archive.npz' 'an archive.b2z'\n"},
		{[]string{"info", path("an archive.npz") + "::b"}, "::b' b.b2nd\n"},
		{[]string{"info", "-json", path("x.npy")}, `"format": "npy"`},
		{[]string{"head", path("x.npy")}, head},
		{[]string{"head", path("an archive.npz") + "::a"}, head},
		{[]string{"stats", path("x.npy")}, "  count  12\n"},
		{[]string{"stats", "-json", path("an archive.npz") + "::a"}, `"count": 12`},
	} {
		if got := cairnOK(t, c.args...); !strings.Contains(got, c.want) {
			t.Errorf("%v does not say %q:\n%s", c.args, c.want, got)
		}
	}
	for _, verb := range []string{"info", "head", "stats"} {
		if r := cairnWith(t.Context(), bytes.NewReader(file), verb, "-"); r.code != 0 {
			t.Errorf("%s of a pipe: %s", verb, r.stderr)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "info", path("x.npy")+"::a"), "is a single array")
	if r := cairnWith(t.Context(), nil, "stats", "-chunks", path("x.npy")); r.code != exitUsage {
		t.Errorf("stats -chunks: exit %d, %s", r.code, r.stderr)
	}
	damaged := slices.Clone(file)
	damaged[20] ^= 0xff
	writeFile(t, path("d.npy"), damaged)
	for _, verb := range []string{"info", "head", "stats"} {
		r := cairnWith(t.Context(), nil, verb, path("d.npy"))
		if r.code != exitFailed || strings.Contains(r.stderr, "repair") || !strings.Contains(r.stderr, "corrupt") {
			t.Errorf("%s of a damaged file: exit %d, %s", verb, r.code, r.stderr)
		}
	}
}

// TestUnknownExtensionsAreRefused: an output whose name says nothing known is not written.
func TestUnknownExtensionsAreRefused(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, path("x.npy"), npyFile(t, "<i2", false, 40))
	cairnOK(t, "import", path("x.npy"), path("a.b2nd"))
	for _, c := range []struct{ args, want string }{
		{"export a.b2nd o.foo", "NumPy .npy files (.npy), NumPy .npz archives (.npz), " +
			"Zarr stores (.zarr, .zarr.zip), NetCDF files (.nc, .nc4, .cdf), NetCDF-3 files (.nc3), " +
			"HDF5 files (.h5, .hdf5, .he5, .hdf), raw items (.raw, .bin)"},
		{"import x.npy o.foo", "the name of an array ends in .b2nd"},
	} {
		r := cairnWith(t.Context(), nil, inDir(dir, c.args)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit %d, %s", c.args, r.code, r.stderr)
		}
	}
	wantFiles(t, dir, "a.b2nd", "x.npy")
}

// TestDamagedArchivesAreNoticed flips bits of stored and of compressed items.
func TestDamagedArchivesAreNoticed(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "x.npz"), filepath.Join(dir, "o.b2nd")
	for _, deflate := range []bool{false, true} {
		file := npzFile(t, deflate, "a", npyFile(t, "<f4", false, 40, 30))
		file[len(file)/2] ^= 1
		writeFile(t, in, file)
		r := cairnWith(t.Context(), nil, "import", in, out)
		if r.code != exitFailed || !strings.Contains(r.stderr, "checksum") && !strings.Contains(r.stderr, "corrupt") {
			t.Errorf("deflated %v: exit %d, %s", deflate, r.code, r.stderr)
		}
		wantFiles(t, dir, "x.npz")
	}
}
