package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// TestDamagedArrayIsLeftOut converts a file with one damaged array: the others are converted, and
// that one is named. Alone it fails, without advice that is for Blosc2 files.
func TestDamagedArrayIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	whole := readFile(t, "../../../hdf5/testdata/rare/damaged.h5")
	in := filepath.Join(dir, "scan.dat") // by its content
	writeFile(t, in, whole)

	for _, args := range [][]string{
		{"import", in, "i.b2z"}, {"copy", in, "c.b2d"}, {"copy", in + "::/", "g.b2z::/g"}, {"export", in, "e.npz"},
		{"export", in, "e.zarr"}, {"export", "-zarr", "2", in, "e.zarr.zip"},
	} {
		out := filepath.Join(dir, args[len(args)-1])
		args[len(args)-1] = out
		r := cairnWith(t.Context(), nil, args...)
		if r.code != exitLost || strings.Count(r.stderr, "\n") != 1 || strings.Contains(r.stderr, "repair") ||
			!strings.Contains(r.stderr, in+"::b: ") || !strings.Contains(r.stderr, "chunk [2 0]") ||
			!strings.Contains(r.stderr, "; left out") {
			t.Errorf("%v: exit %d, %s", args, r.code, r.stderr)
		}
		out = strings.TrimSuffix(out, "::/g")
		group := "::"
		if args[0] == "copy" && strings.HasSuffix(args[len(args)-1], "/g") {
			group = "::g/"
		}
		for _, key := range []string{"a", "c"} {
			if got, want := cairnOK(t, "cat", out+group+key), cairnOK(t, "cat", in+"::"+key); got != want {
				t.Errorf("%s::%s has other items", out, key)
			}
		}
		if r := cairnWith(t.Context(), nil, "cat", out+group+"b"); r.code == 0 {
			t.Errorf("%s has the damaged array", out)
		}
	}

	r := cairnWith(t.Context(), nil, "import", in+"::b", filepath.Join(dir, "b.b2nd"))
	if r.code != exitFailed || strings.Contains(r.stderr, "repair") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 7 {
		t.Errorf("%d files, want the input and six outputs: %v (%v)", len(left), left, err)
	}
}

// TestDamagedLeafIsLeftOut copies a store with a damaged leaf: whole, as a group, and to other
// formats, the others arrive, and that one is named.
func TestDamagedLeafIsLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	damagedBytes(t, "bad.b2nd")
	importBytes(t, npyFile(t, "<i8", false, 9), "good.b2nd")
	for _, in := range []string{"in.b2d", "in.b2z", "in.b2e"} {
		cairnOK(t, "copy", "good.b2nd", in+"::/a")
		cairnOK(t, "copy", "good.b2nd", in+"::/g/b")
		cairnOK(t, "copy", "good.b2nd", in+"::/g/c")
		putDamaged(t, in, "/g/b", "bad.b2nd")
		for _, out := range []string{"out.b2d", "out.b2z", "out.b2e", "new.b2z::/", "out.npz", "out.zarr"} {
			out = in + "-" + out
			r := cairnWith(t.Context(), nil, "copy", in, out)
			if r.code != exitLost || strings.Count(r.stderr, "left out") != 1 || !strings.Contains(r.stderr, "g/b") ||
				!strings.Contains(r.stderr, in) || strings.Contains(r.stderr, "repair") || strings.Contains(r.stderr, ".tmp") {
				t.Errorf("copy %s %s: exit %d, %s", in, out, r.code, r.stderr)
			}
			group := strings.TrimSuffix(out, "::/") + "::"
			if got := cairnOK(t, "cat", group+"g/c"); got != cairnOK(t, "cat", in+"::g/c") {
				t.Errorf("%s::g/c has other items", out)
			}
			if r := cairnWith(t.Context(), nil, "cat", group+"g/b"); r.code == 0 {
				t.Errorf("%s has the damaged leaf", out)
			}
		}

		// Alone it fails, and the copy has no name that the user did not give.
		cairnOK(t, "delete", in+"::/a", in+"::/g/c")
		r := cairnWith(t.Context(), nil, "copy", in, "alone.b2z")
		if r.code != exitFailed || !strings.Contains(r.stderr, in+"::/g/b: ") || strings.Contains(r.stderr, ".tmp") {
			t.Errorf("copy %s: exit %d, %s", in, r.code, r.stderr)
		}

		// What is read of the leaf itself names the store and the key.
		name := in + "::/g/b: "
		if in == "in.b2d" {
			name = "in.b2d/g/b.b2nd: "
		}
		if r := cairnWith(t.Context(), nil, "cat", in+"::/g/b"); r.code != exitFailed || !strings.Contains(r.stderr, name) {
			t.Errorf("cat %s::/g/b: exit %d, %s", in, r.code, r.stderr)
		}
	}
}

// putDamaged replaces a leaf of a store by the bytes of a damaged array.
func putDamaged(t *testing.T, name, key, from string) {
	t.Helper()
	e, err := store.Edit(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = e.PutFunc(t.Context(), key, func(fsys storage.FS, path string) error {
		f, err := fsys.Create(path)
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(readFile(t, from), 0); err != nil {
			return err
		}
		return f.Close()
	})
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
}
