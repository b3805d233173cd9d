package osfile

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// TestNamesAreThoseOfReadDir lists a directory of files, folders and links in both ways. It has
// more entries than the kernel returns at once, and names of all lengths.
func TestNamesAreThoseOfReadDir(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for i := range 3000 {
		name := filepath.Join(dir, fmt.Sprintf("%0*d", 4+i%240, i))
		if i%7 == 0 {
			must(os.Mkdir(name, 0o700))
			continue
		}
		must(os.WriteFile(name, []byte("content"), 0o600))
	}
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Logf("no symbolic links here: %v", err)
	}

	d, err := OpenDir(dir)
	must(err)
	defer d.Close()
	entries, err := d.ReadDir()
	must(err)
	want := map[string]fs.FileMode{}
	for _, e := range entries {
		want[e.Name()] = e.Type()
	}

	for range 2 {
		got := map[string]fs.FileMode{}
		must(d.Names(func(name string, kind fs.FileMode) { got[name] = kind }))
		if len(got) < 3000 || !maps.Equal(got, want) {
			t.Fatalf("%d names, not the %d of ReadDir, or of other types", len(got), len(want))
		}
	}
}
