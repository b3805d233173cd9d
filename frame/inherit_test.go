package frame

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// modes returns the permissions of a file, or of a directory and its files.
func modes(t *testing.T, path string) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	must(0, filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		found[filepath.Base(name)] = info.Mode()
		return err
	}))
	return found
}

// TestReplacementsKeepPermissions overwrites, changes and compacts frames with stricter
// and with wider permissions than those of new files.
func TestReplacementsKeepPermissions(t *testing.T) {
	write := func(path string, o Options) {
		f := must(Create(path, &o))
		must(f.Append(noContext, ramp(100, 1)))
		mustClose(t, f)
	}
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o666} {
		for _, was := range []bool{false, true} {
			for _, is := range []bool{false, true} {
				path := filepath.Join(t.TempDir(), "f")
				write(path, Options{TypeSize: 4, Sparse: was})
				for name, m := range modes(t, path) {
					if m.IsDir() {
						must(0, os.Chmod(path, mode|mode&0o444>>2))
					} else if was {
						must(0, os.Chmod(filepath.Join(path, name), mode))
					} else {
						must(0, os.Chmod(path, mode))
					}
				}
				check := func(what string) {
					t.Helper()
					for name, m := range modes(t, path) {
						if want := mode | mode&0o444>>2; m.IsDir() && m.Perm() != want || !m.IsDir() && m.Perm() != mode {
							t.Errorf("%v, sparse %v then %v: %s leaves %s with %v", mode, was, is, what, name, m)
						}
					}
				}
				write(path, Options{TypeSize: 4, Sparse: is, Overwrite: true})
				check("overwriting")
				f := must(Open(path, &OpenOptions{Mode: ReadWrite}))
				must(f.Append(noContext, ramp(100, 2)))
				must(0, f.SetVL("v", []byte("x")))
				must(0, f.Commit(noContext))
				check("a commit")
				must(0, f.Update(noContext, 0, ramp(100, 9)))
				_, err := f.Compact(noContext)
				must(0, err)
				mustClose(t, f)
				check("compaction")
			}
		}
	}
}

// TestReplacementsArePrivateFromTheStart checks the permissions of the temporary files while a
// private frame is replaced.
func TestReplacementsArePrivateFromTheStart(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		f := must(Create(path, nil))
		must(f.Append(noContext, ramp(10, 1)))
		mustClose(t, f)
		must(0, os.Chmod(path, 0o600))
		f = must(Create(path, &Options{Sparse: sparse, Overwrite: true}))
		must(f.Append(noContext, ramp(10, 2)))
		for name, m := range modes(t, dir) {
			if name != filepath.Base(dir) && m.Perm()&0o077 != 0 {
				t.Errorf("sparse %v: %s", sparse, fmt.Sprint(name, " ", m))
			}
		}
		mustClose(t, f)
	}
}
