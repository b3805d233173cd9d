package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// numbers returns an array in memory.
func numbers(t *testing.T, values ...int32) *ndarray.Untyped {
	a, err := ndarray.FromSlice(values, ndarray.Shape{int64(len(values))}, nil)
	check(t, err)
	check(t, a.Frame().SetVL("units", []byte("\xa1K")))
	return a.Untyped
}

// putFrame puts a copy of a frame.
func putFrame(ctx context.Context, e *Editor, key string, v *frame.Frame) error {
	return e.PutFunc(ctx, key, func(fsys storage.FS, path string) error {
		return frame.Copy(ctx, path, v.Snapshot(), &frame.CopyOptions{Sparse: new(false), FS: fsys})
	})
}

// openArray opens a leaf for changes in place.
func openArray(e *Editor, key string) (*ndarray.Untyped, error) {
	path, fsys, err := e.Place(key)
	if err != nil {
		return nil, err
	}
	return ndarray.Open(path, &ndarray.OpenOptions{FS: fsys, Mode: ndarray.ReadWrite})
}

// fill puts a small tree.
func fill(t *testing.T, w *Editor) {
	ctx := t.Context()
	a := numbers(t, 1, 2, 3)
	defer a.Close()
	check(t, w.Put(ctx, "/a", a.View(), nil), w.Put(ctx, "g/b", a, &ndarray.CopyOptions{Level: 9}))
	check(t, w.PutFunc(ctx, "/g/h/c", func(fsys storage.FS, path string) error {
		u, err := ndarray.CreateUntyped(path, "<f8", ndarray.Shape{30, 40}, &ndarray.Options{FS: fsys})
		if err != nil {
			return err
		}
		return errors.Join(u.Fill(ctx, 1.5), u.Close())
	}))
	f, err := frame.New(&frame.Options{TypeSize: 1})
	check(t, err)
	_, err = f.Append(ctx, []byte("some bytes"))
	check(t, err, putFrame(ctx, w, "/g/bytes", f), f.Close())
}

func TestWrittenStoresReadBack(t *testing.T) {
	for _, name := range []string{"t.b2d", "t.b2z"} {
		path := filepath.Join(t.TempDir(), name)
		w, err := Create(path, nil)
		check(t, err)
		fill(t, w)
		check(t, w.SetAttribute(t.Context(), "/", "title", "x"),
			w.SetAttribute(t.Context(), "g", "pair", meta.Tuple{int64(1), "y"}),
			w.SetAttribute(t.Context(), "/", "title", "a tree"), w.Close())
		s, err := Open(path, nil)
		check(t, err)
		if s.kind != TreeStore || s.name != path {
			t.Errorf("%s is a %s", s.name, s.kind)
		}
		var keys []string
		for l := range s.Leaves() {
			kind, err := s.Kind(l.Key)
			check(t, err)
			keys = append(keys, l.Key+" "+kind.String())
		}
		if want := []string{"/a array", "/g/b array", "/g/bytes frame", "/g/h/c array"}; !slices.Equal(keys, want) {
			t.Errorf("%s: leaves %q", name, keys)
		}
		compareTree(t, s)
		check(t, s.Close())
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
			t.Errorf("%s: left behind %q", name, left)
		}
	}
}

// compareTree checks the leaves of fill.
func compareTree(t *testing.T, s *Store) {
	t.Helper()
	for group, want := range map[string][]string{"/": {"/a", "/g"}, "/g": {"/g/b", "/g/bytes", "/g/h"}, "g/h/": {"/g/h/c"}} {
		nodes, err := s.Children(t.Context(), group)
		var got []string
		for _, n := range nodes {
			got = append(got, n.Key)
			if group := n.Key == "/g" || n.Key == "/g/h"; group != (n.Kind == ndarray.GroupNode) {
				t.Errorf("%s is of kind %v", n.Key, n.Kind)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("children of %q: %q, %v", group, got, err)
		}
	}
	if nodes, err := s.Children(t.Context(), "a"); err != nil || len(nodes) != 1 || nodes[0] != (ndarray.Node{Key: "/a", Kind: ndarray.ArrayNode}) {
		t.Errorf("a leaf: %v, %v", nodes, err)
	}
	if _, err := s.Children(t.Context(), "/none"); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("children of nothing: %v", err)
	}
	u, err := s.Array(t.Context(), "g/b")
	check(t, err)
	a, err := ndarray.As[int32](u)
	check(t, err)
	got, err := a.Read(t.Context())
	units, vlErr := u.Frame().VL("units")
	if !slices.Equal(got, []int32{1, 2, 3}) || string(units) != "\xa1K" || u.Info().Level != 9 {
		t.Errorf("/g/b: %v, %q, level %d", got, units, u.Info().Level)
	}
	check(t, err, vlErr, u.Close())
	root, err := s.Attributes(t.Context(), "/")
	title, _ := root.Get("title")
	g, gErr := s.Attributes(t.Context(), "/g")
	pair, _ := g.Get("pair")
	if p, ok := pair.(meta.Tuple); title != "a tree" || !ok || len(p) != 2 || p[1] != "y" {
		t.Errorf("attributes %v and %v", root, g)
	}
	none, noneErr := s.Attributes(t.Context(), "/g/h")
	check(t, err, gErr, noneErr)
	if len(none) != 0 {
		t.Errorf("attributes of /g/h: %v", none)
	}
}

func TestWritersReplaceOnlyIfAsked(t *testing.T) {
	for _, name := range []string{"s.b2d", "s.b2z"} {
		path := filepath.Join(t.TempDir(), name)
		for range 2 { // the second replaces the first
			w, err := Create(path, &Options{Dict: true, Overwrite: true})
			check(t, err)
			a := numbers(t, 7)
			check(t, w.Put(t.Context(), "/x", a, nil), a.Close(), w.Close())
		}
		if _, err := Create(path, nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
		w, err := Create(path, &Options{Overwrite: true})
		check(t, err)
		check(t, w.Abort())
		s, err := Open(path, nil)
		check(t, err)
		if _, err := s.Leaf("/x"); err != nil || s.kind != DictStore {
			t.Errorf("%s: an aborted writer changed it: %s, %v", name, s.kind, err)
		}
		check(t, s.Close())
		if err := w.Close(); !errors.Is(err, cairn.ErrClosed) {
			t.Errorf("%s: closing an aborted writer: %v", name, err)
		}
	}
}

// TestWritersDoNotReplaceNewerFrames creates another store between Create and Close.
func TestWritersDoNotReplaceNewerFrames(t *testing.T) {
	for _, name := range []string{"s.b2d", "s.b2z"} {
		path := filepath.Join(t.TempDir(), name)
		w, err := Create(path, nil)
		check(t, err)
		other, err := Create(path, &Options{Dict: true})
		check(t, err)
		check(t, other.Close())
		if err := w.Close(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
		s, err := Open(path, nil)
		check(t, err)
		if s.kind != DictStore {
			t.Errorf("%s: was replaced", name)
		}
		check(t, s.Close())
	}
}

// TestOnlyStoresAreReplaced checks that Overwrite does not replace a folder of other files.
func TestOnlyStoresAreReplaced(t *testing.T) {
	for _, name := range []string{"mine", "mine.b2d", "mine.b2z", "mine.b2e"} {
		path := filepath.Join(t.TempDir(), name)
		kept := filepath.Join(path, "thesis.txt")
		check(t, os.Mkdir(path, 0o755))
		check(t, os.WriteFile(kept, []byte("years"), 0o644))
		if _, err := Create(path, &Options{Overwrite: true}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := os.ReadFile(kept); err != nil || string(b) != "years" {
			t.Errorf("%s: the file is %q, %v", name, b, err)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]string{"/a": "/a", "a": "/a", "/a/b/": "/a/b", "/": "/", "": "/", "/é è": "/é è",
		"/cam:1": "/cam:1", "/a::b": "/a::b", "/a\n": "/a\n"} {
		if got, err := cleanKey(key); err != nil || got != want {
			t.Errorf("%q: %q, %v", key, got, err)
		}
	}
	for _, key := range []string{"//a", "/a//b", "/../a", "/a/./b", "/..", "a\x00"} {
		if got, err := cleanKey(key); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%q: %q, %v", key, got, err)
		}
	}
	w, err := Create(filepath.Join(t.TempDir(), "s.b2d"), nil)
	check(t, err)
	defer w.Abort()
	a := numbers(t, 1)
	defer a.Close()
	check(t, w.Put(t.Context(), "/g/a", a, nil))
	for key, want := range map[string]error{
		"/g": fs.ErrExist, "/g/a/b": fs.ErrExist, "/": cairn.ErrBounds,
		"/__vlmeta__": cairn.ErrBounds, "/../x": cairn.ErrBounds, "/a\nb": cairn.ErrBounds, "/a\tb": cairn.ErrBounds,
		"/a\xff": cairn.ErrBounds, "/" + strings.Repeat("x", 248): cairn.ErrBounds,
		"/cam:1": nil, "/g/a b.c": nil, "/g/*?[$(x)'\"": nil, "/h:1/x": nil, "/" + strings.Repeat("x", 247): nil,
	} {
		if err := w.Put(t.Context(), key, a, nil); !errors.Is(err, want) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestFilesThatAreNoStores(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.b2nd")
	a := numbers(t, 1)
	check(t, a.Save(t.Context(), path, nil), a.Close(), os.WriteFile(filepath.Join(dir, "junk"), []byte("PK\x03\x04 and nothing"), 0o644))
	if _, err := Open(path, nil); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("an array: %v", err)
	}
	if _, err := Open(dir, nil); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "junk"), nil); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("junk: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "nothing"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// TestSizesOfFiles opens a directory, whose files are listed without their sizes, and asks for
// these one by one, all together, and after changes.
func TestSizesOfFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s.b2d")
	e, err := Create(dir, nil)
	check(t, err)
	sizes := map[string]int64{}
	put := func(key string, n int) {
		t.Helper()
		a, err := ndarray.New[uint8](ndarray.Shape{int64(n)}, &ndarray.Options{Level: chunk.Stored})
		check(t, err)
		check(t, a.Fill(t.Context(), uint8(n)))
		check(t, e.Put(t.Context(), key, a.View(), nil))
		check(t, a.Abort())
	}
	for i := range 20 {
		put(fmt.Sprintf("/group%d/a%d", i%3, i), 1+i*100)
	}
	check(t, e.Close())

	same := func(s *Store) {
		t.Helper()
		for key := range sizes {
			delete(sizes, key)
		}
		check(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isLeafFile(name) {
				return err
			}
			info, err := d.Info()
			rel, _ := filepath.Rel(dir, name)
			sizes[keyOf(filepath.ToSlash(rel))] = info.Size()
			return err
		}))
		for key, want := range sizes {
			if l, err := s.Leaf(key); err != nil || l.Size != want || l.Size <= 0 {
				t.Fatalf("%s has %d bytes, want %d: %v", key, l.Size, want, err)
			}
		}
		n := 0
		for l := range s.Leaves() {
			n++
			if l.Size != sizes[l.Key] {
				t.Fatalf("%s is listed with %d bytes, want %d", l.Key, l.Size, sizes[l.Key])
			}
		}
		if n != len(sizes) {
			t.Fatalf("%d leaves, want %d", n, len(sizes))
		}
	}
	s, err := Open(dir, nil)
	check(t, err)
	same(s)
	check(t, s.Close())

	e, err = Edit(dir, nil)
	check(t, err)
	put("/group1/new", 5000)
	put("/group1/a1", 7000)
	same(e.Store)
	check(t, e.Rename(t.Context(), "/group2", "/other"))
	same(e.Store)
	check(t, e.Close())
}
