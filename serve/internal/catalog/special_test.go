package catalog

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile"
)

// TestPipesAndDevicesDoNotExist checks that what is neither a file nor a folder is not served, and
// not opened: opening a pipe would wait for a writer.
func TestPipesAndDevicesDoNotExist(t *testing.T) {
	c, dir := folderOf(t, Options{})
	save(t, filepath.Join(dir, "a.b2nd"), 3, 1)
	t.Chdir(dir) // names of sockets are short
	var special []string
	switch err := osfile.MakePipe("pipe.b2nd"); {
	case err == nil:
		special = append(special, "data/pipe.b2nd")
	case !errors.Is(err, errors.ErrUnsupported):
		t.Fatal(err)
	}
	if l, err := net.Listen("unix", "socket.npy"); err == nil {
		defer l.Close()
		special = append(special, "data/socket.npy")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, path := range special {
			isNothing(t, c, path)
			if _, err := New([]Root{{Path: filepath.Base(path)}}, Options{}); !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s is served: %v", path, err)
			}
		}
		entries, more, err := c.List(t.Context(), "data", "", 100)
		if err != nil || more || len(entries) != 1 || entries[0].Name != "a.b2nd" {
			t.Errorf("the folder has %v, %v, %v", entries, more, err)
		}
		found, err := c.Search(t.Context(), "data", "", 100)
		if err != nil || len(found) != 1 {
			t.Errorf("a search finds %v, %v", found, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("something waits for a pipe")
	}
	if info, err := os.Stat(os.DevNull); err == nil && info.Mode()&os.ModeDevice != 0 && filepath.IsAbs(os.DevNull) {
		devices, err := New([]Root{{Path: filepath.Dir(os.DevNull), Name: "devices"}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		isNothing(t, devices, "devices/"+filepath.Base(os.DevNull))
	}
}

// isNothing checks that a path is not served in any way.
func isNothing(t *testing.T, c *Catalog, path string) {
	t.Helper()
	if _, err := c.Stat(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of %s: %v", path, err)
	}
	if a, err := c.Array(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("array of %s: %v, %v", path, a, err)
	}
	if f, _, err := c.File(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("file of %s: %v, %v", path, f, err)
	}
}
