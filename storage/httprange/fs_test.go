package httprange

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestFS(t *testing.T) {
	s := serve(t, map[string]served{"/a/b": {data: pattern(1000), tag: `"1"`}})
	f, err := NewFS(t.Context(), nil)
	check(t, err)
	defer f.Close()
	info, err := f.Stat(s.URL + "/a/b?x=y")
	if err != nil || info.Name != "b" || info.Size != 1000 || info.Dir {
		t.Errorf("%+v, %v", info, err)
	}
	if n := len(s.since()); n != 1 {
		t.Errorf("%d requests for Stat", n)
	}
	file, err := f.Open(s.URL + "/a/b")
	check(t, err)
	if size, err := file.Size(); size != 1000 || err != nil {
		t.Error(size, err)
	}
	check(t, file.Close())
	if info, err = f.Stat(s.URL + "/a/"); err != nil || !info.Dir {
		t.Errorf("%+v, %v", info, err)
	}
	_, err = f.Stat(s.URL + "/none")
	_, missing := f.Open(s.URL + "/none")
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(missing, fs.ErrNotExist) {
		t.Error(err, missing)
	}
	if _, err := f.ReadDir(s.URL + "/a/"); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	_, create := f.Create(s.URL + "/c")
	_, write := f.OpenRW(s.URL + "/a/b")
	for _, err := range []error{create, write, f.Mkdir("x"), f.Rename("x", "y"), f.Remove("x"), f.RemoveAll("x"),
		f.SyncDir("x")} {
		if !errors.Is(err, cairn.ErrReadOnly) {
			t.Error(err)
		}
	}
}
