package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// linked returns a directory store with leaves /a and /g/b, and a folder beside it that must not
// change.
func linked(t *testing.T) (store, canary string) {
	dir := t.TempDir()
	store, canary = filepath.Join(dir, "s.b2d"), filepath.Join(dir, "canary")
	makeStore(t, store)
	check(t, os.Mkdir(canary, 0o777))
	copyFile(t, filepath.Join(store, "g", "b.b2nd"), filepath.Join(canary, "b.b2nd"))
	return store, canary
}

// link creates a symbolic link, or returns false if the system has none.
func link(t *testing.T, target, name string) bool {
	if err := os.Symlink(target, name); err != nil {
		t.Logf("no symbolic links here: %v", err) // as on Windows without the privilege
		return false
	}
	return true
}

// contentBelow returns the files below a folder.
func contentBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[name] = "folder"
			return err
		}
		data, err := os.ReadFile(name)
		files[name] = string(data)
		return err
	}))
	return files
}

// changesOf are changes of existing and new leaves in a folder /g.
func changesOf(ctx context.Context, a *ndarray.Untyped) map[string]func(e *Editor) error {
	return map[string]func(e *Editor) error{
		"put":        func(e *Editor) error { return e.Put(ctx, "/g/new", a, nil) },
		"put deeper": func(e *Editor) error { return e.Put(ctx, "/g/x/y/new", a, nil) },
		"replace":    func(e *Editor) error { return e.Put(ctx, "/g/b", a, nil) },
		"change": func(e *Editor) error {
			return e.Change(ctx, "/g/b", func(u *ndarray.Untyped) error { return u.Fill(ctx, 9) })
		},
		"attribute": func(e *Editor) error { return e.SetAttribute(ctx, "/g", "title", "y") },
		"new group": func(e *Editor) error { return e.SetAttribute(ctx, "/g/new", "title", "y") },
		"delete":    func(e *Editor) error { return e.Delete(ctx, "/g/b") },
		"open": func(e *Editor) error {
			u, err := openArray(e, "/g/b")
			if err != nil {
				return err
			}
			return errors.Join(u.Fill(ctx, 9), u.Close())
		},
	}
}

// TestFoldersThatAreLinksAreNotEntered uses a link instead of a folder, before or after the store
// is opened.
func TestFoldersThatAreLinksAreNotEntered(t *testing.T) {
	a := numbers(t, 1, 2)
	defer a.Close()
	for _, late := range []bool{false, true} {
		for name, change := range changesOf(t.Context(), a) {
			store, canary := linked(t)
			before := contentBelow(t, canary)
			swap := func() bool {
				check(t, os.RemoveAll(filepath.Join(store, "g")))
				return link(t, canary, filepath.Join(store, "g"))
			}
			if !late && !swap() {
				return
			}
			e, err := Edit(store, nil)
			check(t, err)
			if late && !swap() {
				return
			}
			if err := change(e); !errors.Is(err, cairn.ErrUnsupported) && !errors.Is(err, cairn.ErrNotFound) {
				t.Errorf("%s, late %t: %v", name, late, err)
			}
			check(t, e.Abort())
			if after := contentBelow(t, canary); !equalFiles(before, after) {
				t.Errorf("%s, late %t: a folder elsewhere was changed", name, late)
			}
		}
	}
}

func equalFiles(a, b map[string]string) bool {
	same := len(a) == len(b)
	for name := range a {
		same = same && a[name] == b[name]
	}
	return same
}

// TestNewLinksAreNotFollowed replaces a folder, a leaf and the embed store by links while a store
// is open.
func TestNewLinksAreNotFollowed(t *testing.T) {
	store, canary := linked(t)
	s, err := Open(store, nil)
	check(t, err)
	defer s.Close()
	check(t, os.RemoveAll(filepath.Join(store, "g")), os.Remove(filepath.Join(store, "a.b2nd")))
	if !link(t, canary, filepath.Join(store, "g")) || !link(t, filepath.Join(canary, "b.b2nd"), filepath.Join(store, "a.b2nd")) {
		return
	}
	for _, key := range []string{"/a", "/g/b"} {
		if _, err := s.Array(t.Context(), key); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := s.Verify(t.Context(), key); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("verify %s: %v", key, err)
		}
	}
}

// TestPutReplacesLinksThemselves puts a leaf where a link is.
func TestPutReplacesLinksThemselves(t *testing.T) {
	store, canary := linked(t)
	before := contentBelow(t, canary)
	if !link(t, filepath.Join(canary, "b.b2nd"), filepath.Join(store, "l.b2nd")) {
		return
	}
	e, err := Edit(store, nil)
	check(t, err)
	a := numbers(t, 1)
	check(t, e.Put(t.Context(), "/l", a, nil), a.Close(), e.Close())
	if info, err := os.Lstat(filepath.Join(store, "l.b2nd")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
	if !equalFiles(before, contentBelow(t, canary)) {
		t.Error("what a link leads to was changed")
	}
}

// TestStorePathsMayBeLinks opens a store by a link, by a path with "..", and as the working
// directory.
func TestStorePathsMayBeLinks(t *testing.T) {
	store, canary := linked(t)
	if !link(t, store, canary+"/way") {
		return
	}
	a := numbers(t, 1)
	defer a.Close()
	for i, path := range []string{store, store + "/", canary + "/way", canary + "/way/", canary + "/../s.b2d", canary + "/way/../s.b2d"} {
		e, err := Edit(path, nil)
		check(t, err)
		check(t, e.Put(t.Context(), "/x/y"+string(rune('0'+i)), a, nil), e.Close())
		s, err := Open(path, nil)
		check(t, err)
		if _, err := s.Verify(t.Context(), "/x/y0"); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		check(t, s.Close())
	}
	t.Chdir(store)
	e, err := Edit(".", nil)
	check(t, err)
	check(t, e.Put(t.Context(), "/g/here", a, nil), e.Delete(t.Context(), "/x"), e.Close())
	if got := len(keysOf(t, ".")); got != len(keysOf(t, store)) || got < 3 {
		t.Errorf("%d leaves", got)
	}
}
