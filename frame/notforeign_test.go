package frame

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

func TestOpenNamesOtherFormats(t *testing.T) {
	m := storage.NewMemory()
	put(t, m, "x.h5", []byte("\x89HDF\r\n\x1a\n"+strings.Repeat("\x00", 600)))
	put(t, m, "x.csv", []byte("time,t2m\n1,280.5\n"))
	if err := m.Mkdir("x.zarr"); err != nil {
		t.Fatal(err)
	}
	put(t, m, "x.zarr/.zarray", []byte("{}"))
	for name, want := range map[string]string{"x.h5": "this is an HDF5 file", "x.csv": "this is a text file", "x.zarr": "this is a Zarr store"} {
		for _, mode := range []Mode{ReadOnly, ReadWrite} {
			_, err := Open(name, &OpenOptions{FS: m, Mode: mode})
			if !errors.Is(err, cairn.ErrUnsupported) || errors.Is(err, cairn.ErrCorrupt) || !strings.HasPrefix(err.Error(), "open "+name+": "+want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	put(t, m, "zeros", make([]byte, 1000))
	if _, err := Open("zeros", &OpenOptions{FS: m}); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a file of zeros: %v", err)
	}
}

func TestOpenSaysWhatADirectoryIsNot(t *testing.T) {
	m := storage.NewMemory()
	for _, dir := range []string{"empty.b2d", "full.b2d"} {
		if err := m.Mkdir(dir); err != nil {
			t.Fatal(err)
		}
	}
	put(t, m, "full.b2d/notes.txt", []byte("x"))
	for name, want := range map[string]string{"empty.b2d": "this directory is empty",
		"full.b2d": "this directory is no sparse frame and no store"} {
		if _, err := Open(name, &OpenOptions{FS: m}); !errors.Is(err, cairn.ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
