package hdf5

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

const linkFolder = "testdata/links"

// openLinks opens a file whose links are followed below folders.
func openLinks(t *testing.T, name string, folders ...string) *File {
	t.Helper()
	f, err := Open(filepath.Join(linkFolder, name), &OpenOptions{Links: folders})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// TestVirtualDatasets compares virtual datasets with what h5py reads, as a whole and by boxes.
func TestVirtualDatasets(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(linkFolder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]any
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	for name, datasets := range want {
		f := openLinks(t, name, linkFolder)
		for key, value := range datasets {
			d, err := f.Dataset(t.Context(), key)
			if err != nil {
				t.Error(err)
				continue
			}
			shape, items := flattened(value)
			if !slices.Equal(d.Shape(), shape) {
				t.Errorf("%s %s: shape %v, want %v", name, key, d.Shape(), shape)
				continue
			}
			got, err := ndarray.ViewOf(d).Read(t.Context())
			if err != nil {
				t.Error(err)
			}
			if !slices.Equal(got, items) {
				t.Errorf("%s %s: items differ", name, key)
			}
			checkBoxes(t, d, items)
			if i := d.Info(); i.Layout != "virtual" {
				t.Errorf("%s is %s", key, i.Layout)
			}
		}
	}
}

// flattened returns the shape of nested lists, and their numbers as int64.
func flattened(v any) (shape []int64, items []byte) {
	list, ok := v.([]any)
	if !ok {
		n := int64(v.(float64))
		for i := range 8 {
			items = append(items, byte(n>>(8*i)))
		}
		return nil, items
	}
	var inner []int64
	for _, e := range list {
		s, b := flattened(e)
		inner, items = s, append(items, b...)
	}
	return append([]int64{int64(len(list))}, inner...), items
}

// TestLinksAreRefused opens files without folders of other files, and with others.
func TestLinksAreRefused(t *testing.T) {
	f := openLinks(t, "main.h5")
	for key, want := range map[string]string{
		"links/one": `external link to "/d" in the file "s0.h5", and no folder of other files is allowed`,
		"stacked":   `virtual dataset with items of "d" in the file "s0.h5", and no folder`,
	} {
		_, err := f.Dataset(t.Context(), key)
		var refused *LinkError
		if !errors.As(err, &refused) || !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", key, err, want)
		}
	}

	f = openLinks(t, "main.h5", linkFolder)
	_, err := f.Dataset(t.Context(), "links/outside")
	if err == nil || !strings.Contains(err.Error(), `"../small.h5", which is not below `+linkFolder) {
		t.Errorf("outside: %v", err)
	}
	if _, err = f.Dataset(t.Context(), "links/gone"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
	f = openLinks(t, "main.h5", linkFolder, "testdata/small.h5/..")
	if _, err = f.Dataset(t.Context(), "links/outside"); err != nil {
		t.Error(err)
	}
}

// TestSymbolicLinksOfOtherFiles: a symbolic link leads nowhere outside of the folders.
func TestSymbolicLinksOfOtherFiles(t *testing.T) {
	secret, dir := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"main.h5": dir, "s1.h5": dir, "s0.h5": secret} {
		b, err := os.ReadFile(filepath.Join(linkFolder, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(secret, "s0.h5"), filepath.Join(dir, "s0.h5")); err != nil {
		t.Fatal(err)
	}
	open := func(folders ...string) error {
		f, err := Open(filepath.Join(dir, "main.h5"), &OpenOptions{Links: folders})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, err = f.Dataset(t.Context(), "links/one")
		return err
	}
	var refused *LinkError
	if err := open(dir); !errors.As(err, &refused) {
		t.Errorf("a symbolic link was followed: %v", err)
	}
	if err := open(dir, secret); err != nil {
		t.Error(err)
	}
}

// TestTreesOfSeveralFiles: circles through other files end, and each object has one key.
func TestTreesOfSeveralFiles(t *testing.T) {
	links := func(f *File) string {
		keys, err := keysOf(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		keys = slices.DeleteFunc(keys, func(key string) bool { return !strings.HasPrefix(key, "/links") })
		return strings.Join(keys, " ")
	}
	f := openLinks(t, "main.h5", linkFolder)
	if got, want := links(f), "/links /links/group /links/group/b1 /links/group/d /links/one"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	if got := links(openLinks(t, "main.h5")); got != "/links" {
		t.Errorf("without folders: keys %s", got)
	}
	for path, want := range map[string]string{
		"links/soft": "/links/one", "links/group/again": "/links/group/d", "links/group/back/links": "/links",
		"/links/group/back": "/",
	} {
		if key, err := f.Find(t.Context(), path); err != nil || key != want {
			t.Errorf("%s is at %q, %v, want %q", path, key, err, want)
		}
	}
}

// TestOtherFilesOfAFileSystem follows links in a file system of a program.
func TestOtherFilesOfAFileSystem(t *testing.T) {
	f, err := Open("links/main.h5", &OpenOptions{FS: storage.IOFS(os.DirFS("testdata")), Links: []string{"links"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Dataset(t.Context(), "stacked"); err != nil {
		t.Error(err)
	}
	if _, err := f.Dataset(t.Context(), "links/outside"); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("outside: %v", err)
	}
}
