package store

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// renamedContent returns what a store holds after a renaming, from what it held before.
func renamedContent(before map[string]string, from, to string) map[string]string {
	after := map[string]string{}
	for key, content := range before {
		if key == from || isBelow(key, from) {
			key = to + strings.TrimPrefix(key, from)
		}
		after[key] = content
	}
	return after
}

func TestLeavesAndGroupsAreRenamed(t *testing.T) {
	for name, image := range crashStores(t) {
		for _, keys := range [][2]string{
			{"/a", "/b"}, {"/a", "/x/y/z"}, {"/g/b", "/a2"}, {"/g/b", "/g/c/d"}, {"/g", "/h"}, {"g/", "/x/y/g"}, {"/g", "/gg"},
		} {
			fsys := cloneMemory(t, image)
			before, err := contentOf(fsys, name)
			check(t, err)
			check(t, editStore(fsys, name, func(e *Editor) error { return e.Rename(t.Context(), keys[0], keys[1]) }))
			after, err := contentOf(fsys, name)
			check(t, err)
			clean, err := cleanKey(keys[0])
			check(t, err)
			if want := renamedContent(before, clean, keys[1]); !maps.Equal(after, want) {
				t.Errorf("%s: %v: %d leaves, want %d", name, keys, len(after), len(want))
			}
			if _, left := after[clean]; left {
				t.Errorf("%s: %q is still there", name, clean)
			}
		}
	}
}

// TestRenamesFollowOneAnother renames what was put, changed and renamed by the same editor, which
// closes a new or an old store.
func TestRenamesFollowOneAnother(t *testing.T) {
	ctx := t.Context()
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		e, err := Create(path, nil)
		check(t, err)
		steps := func() {
			a := numbers(t, 1, 2)
			check(t, e.Put(ctx, "/a", a, nil), e.Rename(ctx, "/a", "/g/b"), e.Put(ctx, "/a", a, nil),
				e.Rename(ctx, "/g", "/h"), e.Rename(ctx, "/a", "/g/b"), e.Rename(ctx, "/g/b", "/g/c"),
				e.Change(ctx, "/h/b", func(u *ndarray.Untyped) error { return u.Fill(ctx, 7) }),
				e.Rename(ctx, "/h", "/new/h"), a.Close())
			if got := leafOf[int32](t, e.Store, "/new/h/b"); got[0] != 7 {
				t.Errorf("%s: the editor reads %v", ext, got)
			}
			check(t, e.Close())
			if got := strings.Join(keysOf(t, path), " "); got != "/g/c /new/h/b" {
				t.Errorf("%s: %s", ext, got)
			}
		}
		steps()
		e, err = Edit(path, nil)
		check(t, err)
		check(t, e.Delete(ctx, "/g"), e.Delete(ctx, "/new"))
		steps()
	}
}

func TestRenamesThatCannotBe(t *testing.T) {
	ctx := t.Context()
	for name, image := range crashStores(t) {
		before, err := contentOf(image, name)
		check(t, err)
		for _, c := range []struct {
			from, to string
			want     error
		}{
			{"/a", "/a", fs.ErrExist}, {"/a", "/g/b", fs.ErrExist}, {"/g", "/g", fs.ErrExist},
			{"/missing", "/x", cairn.ErrNotFound}, {"/a/b", "/x", cairn.ErrNotFound}, {"/", "/x", cairn.ErrBounds},
			{"/g", "/g/h", cairn.ErrBounds}, {"/a", "/x//y", cairn.ErrBounds}, {"/a", "/", cairn.ErrBounds},
			{"/a", "/x/__vlmeta__", cairn.ErrBounds}, {"/a", "/x\ty", cairn.ErrBounds}, {"../a", "/x", cairn.ErrBounds},
		} {
			fsys := cloneMemory(t, image)
			e, err := Edit(name, &OpenOptions{FS: fsys})
			check(t, err)
			if err := e.Rename(ctx, c.from, c.to); !errors.Is(err, c.want) {
				t.Errorf("%s: %s to %s: %v, want %v", name, c.from, c.to, err, c.want)
			}
			check(t, e.Abort())
			if after, err := contentOf(fsys, name); err != nil || !maps.Equal(after, before) {
				t.Errorf("%s: %s to %s leaves something else: %v", name, c.from, c.to, err)
			}
		}
	}
	// In trees, no key is a leaf and a group.
	path := filepath.Join(t.TempDir(), "s.b2d")
	makeStore(t, path)
	e, err := Edit(path, nil)
	check(t, err)
	defer e.Abort()
	for _, keys := range [][2]string{{"/g/b", "/a/x"}, {"/g", "/a/x"}, {"/a", "/g"}} {
		if err := e.Rename(ctx, keys[0], keys[1]); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v: %v", keys, err)
		}
	}
}

func TestTablesAreNotRenamed(t *testing.T) {
	ctx := t.Context()
	for path, table := range indexedTables(t) {
		e, err := Edit(path, nil)
		check(t, err)
		for _, from := range []string{table, leafIn(table, "_cols"), leafIn(table, "_meta")} {
			if from == "/" {
				continue
			}
			if err := e.Rename(ctx, from, "/elsewhere"); !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s: %s: %v", path, from, err)
			}
		}
		check(t, e.Abort())
	}
	// An array knows its indexes by their paths.
	path := filepath.Join(t.TempDir(), "s.b2d")
	e, err := Create(path, nil)
	check(t, err)
	check(t, e.PutFunc(ctx, "/g/a", func(fsys storage.FS, name string) error {
		u, err := ndarray.NewUntyped("<i4", ndarray.Shape{2}, &ndarray.Options{FS: fsys})
		check(t, err)
		check(t, u.Frame().SetVL("blosc2_indexes", []byte{0x80}))
		raw, err := u.Bytes()
		check(t, err, u.Close())
		return writeFile(fsys, name, strings.NewReader(string(raw)))
	}))
	for _, from := range []string{"/g/a", "/g"} {
		if err := e.Rename(ctx, from, "/b"); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("an array with indexes: %v", err)
		}
	}
	check(t, e.Abort())
}

func TestGroupsAreMade(t *testing.T) {
	ctx := t.Context()
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		e, err := Edit(path, nil)
		check(t, err)
		err = e.MakeGroup(ctx, "/new/deep")
		if ext == ".b2e" {
			if !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("a group of an embed store: %v", err)
			}
			check(t, e.Abort())
			continue
		}
		check(t, err, e.MakeGroup(ctx, "/g"), e.MakeGroup(ctx, "/new"), e.PutAll(ctx, func(b *Bundle) error {
			return errors.Join(b.MakeGroup("/other"), b.MakeGroup("/other"), b.MakeGroup("/g"))
		}))
		check(t, e.Delete(ctx, "/g/h"), e.Close())
		e, err = Edit(path, nil)
		check(t, err)
		if err := e.MakeGroup(ctx, "/a"); !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("%s: a group where a leaf is: %v", ext, err)
		}
		check(t, e.Abort())
		s, err := Open(path, nil)
		check(t, err)
		if got := strings.Join(groupsOf(t.Context(), s), " "); got != "/ /g /new /new/deep /other" {
			t.Errorf("%s: groups %s", ext, got)
		}
		check(t, s.Close())
	}
}
