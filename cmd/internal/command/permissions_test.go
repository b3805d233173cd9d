package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerbsKeepPermissions sets permissions narrower and wider than the default on everything that
// can be replaced or changed, and runs each verb that writes.
func TestVerbsKeepPermissions(t *testing.T) {
	dir := t.TempDir()
	npy, file := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x.b2nd")
	tree := filepath.Join(dir, "x.b2d")
	writeFile(t, npy, npyFile(t, "<i2", false, 4))
	cairnOK(t, "import", npy, file)
	makeTree(t, tree)
	array := []string{
		"import -force NPY OUT", "import -force -sparse NPY OUT", "copy -force FILE OUT", "copy -force -sparse FILE OUT",
		"copy -force -codec lz4 -chunks 2 FILE OUT", "concat -force FILE FILE OUT", "repair -force FILE OUT",
		"append OUT NPY", "resize OUT 9", "meta set OUT note 1", "meta rm OUT note",
	}
	leaf := []string{
		"import NPY OUT::/new/leaf", "import -force NPY OUT::/a", "copy -force FILE OUT::/g/b", "append OUT::/a NPY",
		"resize OUT::/g/b 2", "meta set OUT::/a note 1", "meta rm OUT::/a note", "delete OUT::/g", "delete OUT::/a",
	}
	for out, verbs := range map[string][]string{
		"f.b2nd": array, "s.b2nd": array, "f.npy": {"export -force FILE OUT"},
		"t.b2d": append([]string{"copy -force TREE OUT", "meta set OUT::/g note 1"}, leaf...),
		"t.b2z": append([]string{"copy -force TREE OUT", "meta set OUT::/g note 1"}, leaf...),
		"t.b2e": append([]string{"copy -force -codec lz4 TREE OUT"}, leaf...),
	} {
		for _, mode := range []fs.FileMode{0o600, 0o666} {
			path := filepath.Join(t.TempDir(), out)
			switch out {
			case "f.npy":
				writeFile(t, path, nil)
			case "f.b2nd":
				cairnOK(t, "copy", file, path)
			case "s.b2nd":
				cairnOK(t, "copy", "-sparse", file, path)
			default:
				makeTree(t, path)
			}
			for _, verb := range verbs {
				eachEntry(t, path, func(name string, dir bool, _ fs.FileMode) {
					if err := os.Chmod(name, modeFor(mode, dir)); err != nil {
						t.Fatal(err)
					}
				})
				args := strings.NewReplacer("OUT", path, "NPY", npy, "FILE", file, "TREE", tree).Replace(verb)
				cairnOK(t, strings.Fields(args)...)
				eachEntry(t, path, func(name string, dir bool, got fs.FileMode) {
					if got != modeFor(mode, dir) {
						t.Errorf("%s, %v: %s leaves %s with %v", out, mode, verb, strings.TrimPrefix(name, path), got)
					}
				})
				wantFiles(t, filepath.Dir(path), out)
			}
		}
	}
}

// modeFor returns the permissions of a file, or those of a directory with the corresponding search
// permissions.
func modeFor(mode fs.FileMode, dir bool) fs.FileMode {
	if dir {
		return mode | mode&0o444>>2
	}
	return mode
}

func eachEntry(t *testing.T, path string, do func(name string, dir bool, mode fs.FileMode)) {
	t.Helper()
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			do(name, d.IsDir(), info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
