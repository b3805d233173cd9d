package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
