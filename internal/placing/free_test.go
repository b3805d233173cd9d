package placing_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

func TestOnlyDirectoriesOfTheirKindMakeRoom(t *testing.T) {
	fsys := storage.OS()
	dir := t.TempDir()
	file := func(name string) {
		f, err := fsys.Create(filepath.Join(dir, name))
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"empty", "frame", "photos"} {
		if err := fsys.Mkdir(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	file("file")
	file("frame/index")
	file("frame/1")
	file("photos/1")

	for name, want := range map[string]bool{"nothing": true, "empty": true, "frame": true, "file": true, "photos": false} {
		path := filepath.Join(dir, name)
		err := placing.Free(fsys, path, true, "frame", "other", "index")
		if (err == nil) != want || err != nil && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s with overwriting: %v", name, err)
		}
		err = placing.Free(fsys, path, false, "frame", "index")
		if (err == nil) != (name == "nothing") || err != nil && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
