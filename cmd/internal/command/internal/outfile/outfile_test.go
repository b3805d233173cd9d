package outfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/outfile"
)

// TestFileAppearsWhenComplete checks that nothing is seen of a file before its commit, or after it
// is aborted.
func TestFileAppearsWhenComplete(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	for _, c := range []struct {
		text   string
		force  bool
		commit bool
		want   string
		err    error
	}{
		{"one", false, false, "", nil}, {"two", false, true, "two", nil}, {"three", false, true, "two", fs.ErrExist},
		{"four", true, false, "two", nil}, {"five", true, true, "five", nil},
	} {
		f, err := outfile.Create(name, c.force)
		if !errors.Is(err, c.err) {
			t.Fatalf("%s: %v", c.text, err)
		}
		if err != nil {
			continue
		}
		if _, err := f.WriteString(c.text); err != nil {
			t.Fatal(err)
		}
		if c.commit {
			err = f.Commit()
		} else {
			f.Abort()
		}
		got, _ := os.ReadFile(name)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v, the file holds %q", c.text, err, got)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v", entries, err)
	}
}
