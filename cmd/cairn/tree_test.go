package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// makeTree writes a store of two arrays.
func makeTree(t *testing.T, path string) {
	t.Helper()
	w, err := store.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"/a", "/g/b"} {
		u, err := w.CreateArray(key, "<i2", ndarray.Shape{4}, &ndarray.Options{Fill: 7})
		if err == nil {
			err = u.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetAttribute("/g", "units", "K"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTreesInVerbs(t *testing.T) {
	for _, name := range []string{"t.b2z", "t.b2d"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		makeTree(t, path)
		text := cairnOK(t, "info", path)
		for _, want := range []string{"tree store of 2 leaves", "  a  array 4 <i2", "    g/\n      @units \"K\"\n      b  array 4 <i2"} {
			if !strings.Contains(text, want) {
				t.Errorf("info lacks %q:\n%s", want, text)
			}
		}
		if json := cairnOK(t, "info", "-json", path); !strings.Contains(json, `"key": "/g/b"`) || !strings.Contains(json, `"units": "K"`) {
			t.Errorf("info -json: %s", json)
		}
		if got := cairnOK(t, "cat", "-s", "1:3", path+"::/g/b"); got != "\x07\x00\x07\x00" {
			t.Errorf("cat: %q", got)
		}
		if text := cairnOK(t, "info", path+"::g/b"); !strings.Contains(text, "shape          4") {
			t.Errorf("info of a leaf: %s", text)
		}
		if text := cairnOK(t, "verify", "-all", path); strings.Count(text, "sound") != 2 || !strings.Contains(text, path+"::/g/b") {
			t.Errorf("verify: %s", text)
		}
		out, npy := filepath.Join(dir, "copy.b2nd"), filepath.Join(dir, "b.npy")
		cairnOK(t, "copy", path+"::/a", out)
		cairnOK(t, "export", path+"::/g/b", npy)
		cairnOK(t, "concat", filepath.Join(dir, "both.b2nd"), path+"::/a", path+"::/g/b")
		if info, err := os.Stat(npy); err != nil || info.Size() != 128+8 {
			t.Errorf("export: %v, %v", info, err)
		}
	}
}

func TestLeavesThatChange(t *testing.T) {
	dir := t.TempDir()
	path, archive, npy := filepath.Join(dir, "t.b2d"), filepath.Join(dir, "t.b2z"), filepath.Join(dir, "b.npy")
	makeTree(t, path)
	makeTree(t, archive)
	cairnOK(t, "export", path+"::/g/b", npy)
	cairnOK(t, "append", path+"::/a", npy)
	if text := cairnOK(t, "info", path+"::/a"); !strings.Contains(text, "shape          8") {
		t.Errorf("after appending: %s", text)
	}
	for want, args := range map[string][]string{
		"cannot be changed where it is": {"append", archive + "::/a", npy}, "is a tree of arrays": {"cat", archive},
		`no leaf "/nothing"`: {"cat", archive + "::/nothing"}, `no leaf "/g"`: {"info", archive + "::/g"},
	} {
		wantFailure(t, cairnWith(t.Context(), strings.NewReader(""), args...), want)
	}
}
