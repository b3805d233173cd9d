package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestEditsKeepPermissions creates private stores and stores that everybody may write, and edits
// and overwrites them. Meanwhile no other user may access what is being written.
func TestEditsKeepPermissions(t *testing.T) {
	a := numbers(t, 4, 5)
	defer a.Close()
	for _, ext := range forms {
		for what, run := range edits(t.Context(), a) {
			if ext == ".b2e" && (what == "attribute" || what == "new group") {
				continue
			}
			for _, mode := range []fs.FileMode{0o600, 0o666} {
				path := filepath.Join(t.TempDir(), "s"+ext)
				write := func(o *Options) {
					w, err := Create(path, o)
					check(t, err)
					for _, key := range []string{"/a", "/g/b", "/g/bytes"} {
						check(t, w.Put(t.Context(), key, a, nil))
					}
					wantPrivate(t, path)
					check(t, w.Close())
				}
				write(nil)
				setModes(t, path, mode)
				check(t, editStore(nil, path, func(e *Editor) error {
					err := run(e)
					wantPrivate(t, path)
					return err
				}))
				wantModes(t, path, mode, what)
				write(&Options{Overwrite: true})
				wantModes(t, path, mode, "overwriting")
			}
		}
	}
}

// TestStoresReplaceThoseOfAnotherForm replaces a store of each form, and checks the permissions.
func TestStoresReplaceThoseOfAnotherForm(t *testing.T) {
	a := numbers(t, 4, 5)
	defer a.Close()
	for _, old := range forms {
		for _, ext := range forms {
			for _, mode := range []fs.FileMode{0o600, 0o640, 0o666} {
				dir := t.TempDir()
				path := filepath.Join(dir, "s"+ext)
				for _, name := range []string{filepath.Join(dir, "old"+old), path} {
					w, err := Create(name, &Options{Overwrite: true})
					check(t, err, w.Put(t.Context(), "/g/b", a, nil), w.Close())
					if name != path {
						check(t, os.Rename(name, path))
						setModes(t, path, mode)
					}
				}
				wantModes(t, path, mode, "overwriting "+old)
				s, err := Open(path, nil)
				check(t, err)
				if _, err := s.Leaf("/g/b"); err != nil {
					t.Errorf("%s over %s: %v", ext, old, err)
				}
				check(t, s.Close())
				if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
					t.Errorf("%s over %s left %v behind, %v", ext, old, left, err)
				}
			}
		}
	}
}

// setModes sets the mode of files, and the corresponding mode of directories.
func setModes(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	check(t, filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(name, mode|mode&0o444>>2)
		}
		return os.Chmod(name, mode)
	}))
}

func wantModes(t *testing.T, path string, mode fs.FileMode, what string) {
	t.Helper()
	check(t, filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := mode
		if d.IsDir() {
			want |= mode & 0o444 >> 2
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: %s with %v: %s has %v", filepath.Base(path), what, mode, name, got)
		}
		return nil
	}))
}

// wantPrivate fails if other users can access anything beside an existing store.
func wantPrivate(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	check(t, err)
	if _, err := os.Stat(path); err != nil {
		return // the store is being created
	}
	for _, e := range entries {
		if e.Name() == filepath.Base(path) {
			continue
		}
		info, err := e.Info()
		check(t, err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has %v", e.Name(), info.Mode())
		}
	}
}

// TestInterruptedReplacementsAreUndone simulates a crash between the two renames that replace a
// store if names cannot be exchanged.
func TestInterruptedReplacementsAreUndone(t *testing.T) {
	opens := map[string]func(path string) error{
		"Open": func(path string) error {
			s, err := Open(path, nil)
			if err == nil {
				err = s.Close()
			}
			return err
		},
		"Edit": func(path string) error { return editStore(nil, path, func(*Editor) error { return nil }) },
		"Create": func(path string) error {
			w, err := Create(path, &Options{Overwrite: true})
			if err == nil {
				err = w.Abort()
			}
			return err
		},
	}
	for what, open := range opens {
		path := filepath.Join(t.TempDir(), "s.b2d")
		w, err := Create(path, nil)
		check(t, err, w.Close(), os.Rename(path, path+".tmp-old"))
		if err := open(path); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := os.Stat(filepath.Join(path, embedName)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
