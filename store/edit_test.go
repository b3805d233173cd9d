package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// forms are the extensions of the three forms of a store.
var forms = []string{".b2d", ".b2z", ".b2e"}

// makeStore creates a store with the leaves of fill.
func makeStore(t *testing.T, path string) {
	t.Helper()
	w, err := Create(path, nil)
	check(t, err)
	fill(t, w)
	if filepath.Ext(path) != ".b2e" {
		check(t, w.SetAttribute(t.Context(), "/", "title", "x"),
			w.SetAttribute(t.Context(), "/g", "pair", meta.Tuple{int64(1), "y"}))
	}
	check(t, w.Close())
}

// keysOf returns the keys of the leaves of a store, after opening each of them.
func keysOf(t *testing.T, path string) []string {
	t.Helper()
	s, err := Open(path, nil)
	check(t, err)
	defer s.Close()
	var keys []string
	for l := range s.Leaves() {
		f, err := s.Frame(l.Key)
		check(t, err)
		check(t, f.Close())
		keys = append(keys, l.Key)
	}
	return keys
}

func itemsOf(t *testing.T, path, key string) []int32 {
	t.Helper()
	s, err := Open(path, nil)
	check(t, err)
	defer s.Close()
	return leafOf[int32](t, s, key)
}

// nothingLeft checks that a directory contains a single entry.
func nothingLeft(t *testing.T, path string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("%s: left behind %q", filepath.Base(path), left)
	}
}

func TestStoresAreEdited(t *testing.T) {
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		ctx := t.Context()
		e, err := Edit(path, nil)
		check(t, err)
		a := numbers(t, 4, 5)
		check(t, e.Put(ctx, "/new/leaf", a, &ndarray.CopyOptions{Level: 1}), e.Put(ctx, "/a", a, nil), e.Delete(ctx, "/g/bytes"))
		check(t, e.Change(ctx, "g/b", func(u *ndarray.Untyped) error {
			return errors.Join(u.Resize(ctx, ndarray.Shape{5}, nil), u.Fill(ctx, 9, ndarray.From(3)), u.Frame().SetVL("units", []byte("\xa1C")))
		}))
		check(t, putFrame(ctx, e, "/g/bytes", a.Frame()), e.Delete(ctx, "/g/h"), a.Close())
		if got := leafOf[int32](t, e.Store, "/g/b"); !slices.Equal(got, []int32{1, 2, 3, 9, 9}) {
			t.Errorf("%s: the editor reads %v", ext, got)
		}
		check(t, e.Close())
		if got, want := keysOf(t, path), []string{"/a", "/g/b", "/g/bytes", "/new/leaf"}; !slices.Equal(got, want) {
			t.Errorf("%s: leaves %q", ext, got)
		}
		for key, want := range map[string][]int32{"/a": {4, 5}, "/new/leaf": {4, 5}, "/g/b": {1, 2, 3, 9, 9}, "/g/bytes": {4, 5}} {
			if got := itemsOf(t, path, key); !slices.Equal(got, want) {
				t.Errorf("%s: %s holds %v", ext, key, got)
			}
		}
		nothingLeft(t, path)
		if err := e.Put(ctx, "/x", numbers(t, 1), nil); !errors.Is(err, cairn.ErrClosed) {
			t.Errorf("%s: after Close: %v", ext, err)
		}
	}
}

func TestAttributesAreEdited(t *testing.T) {
	for _, ext := range forms[:2] {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		ctx := t.Context()
		e, err := Edit(path, nil)
		check(t, err)
		check(t, e.SetAttribute(ctx, "/", "title", "changed"), e.SetAttribute(ctx, "/new", "empty", true), e.DeleteAttribute(ctx, "g", "pair"))
		if err := e.DeleteAttribute(ctx, "/new", "none"); !errors.Is(err, cairn.ErrNotFound) {
			t.Errorf("%s: %v", ext, err)
		}
		check(t, e.Close())
		s, err := Open(path, nil)
		check(t, err)
		root, err := s.Attributes(t.Context(), "/")
		group, groupErr := s.Attributes(t.Context(), "/new")
		g, gErr := s.Attributes(t.Context(), "/g")
		check(t, err, groupErr, gErr, s.Close())
		title, _ := root.Get("title")
		empty, _ := group.Get("empty")
		if title != "changed" || empty != true || len(g) != 0 {
			t.Errorf("%s: %v, %v, %v", ext, root, group, g)
		}
	}
}

// TestEditsThatFailChangeNothing runs changes that return errors.
func TestEditsThatFailChangeNothing(t *testing.T) {
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		ctx, a, failure := t.Context(), numbers(t, 4), errors.New("failure")
		e, err := Edit(path, nil)
		check(t, err)
		for _, c := range []struct {
			err  error
			want error
		}{
			{e.Change(ctx, "/a", func(u *ndarray.Untyped) error { return errors.Join(u.Fill(ctx, 3), failure) }), failure},
			{e.ChangeFrame(ctx, "/g/bytes", func(f *frame.Frame) error { return errors.Join(f.SetVL("x", []byte{1}), failure) }), failure},
			{e.PutFunc(ctx, "/n", func(storage.FS, string) error { return failure }), failure},
			{e.Put(ctx, "/", a, nil), cairn.ErrBounds},
			{e.Put(ctx, "/__vlmeta__", a, nil), cairn.ErrBounds},
			{e.Put(ctx, "/../x", a, nil), cairn.ErrBounds},
			{e.Delete(ctx, "/nothing"), cairn.ErrNotFound},
			{e.Delete(ctx, "/"), cairn.ErrBounds},
			{e.Change(ctx, "/nothing", nil), cairn.ErrNotFound},
			{e.SetAttribute(ctx, "/a", "x", 1), cairn.ErrUnsupported},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s: %v, want %v", ext, c.err, c.want)
			}
		}
		if e.kind == TreeStore {
			for _, key := range []string{"/g", "/a/b"} {
				if err := e.Put(ctx, key, a, nil); !errors.Is(err, fs.ErrExist) {
					t.Errorf("%s: %s: %v", ext, key, err)
				}
			}
		}
		check(t, e.Close(), a.Close())
		if got := itemsOf(t, path, "/a"); !slices.Equal(got, []int32{1, 2, 3}) {
			t.Errorf("%s: /a is %v", ext, got)
		}
		if got := keysOf(t, path); len(got) != 4 {
			t.Errorf("%s: leaves %q", ext, got)
		}
		nothingLeft(t, path)
	}
}

// TestCloseAfterAFailedEditCommitsNoHalf closes an editor as a program does that only defers Close.
func TestCloseAfterAFailedEditCommitsNoHalf(t *testing.T) {
	ctx, failure := t.Context(), errors.New("failure")
	for _, ext := range forms {
		path, a := filepath.Join(t.TempDir(), "s"+ext), numbers(t, 4)
		e, err := Create(path, nil)
		check(t, err, e.Put(ctx, "/n", a, nil))
		if err := e.PutFunc(ctx, "/m", func(storage.FS, string) error { return failure }); !errors.Is(err, failure) {
			t.Errorf("%s: %v", ext, err)
		}
		check(t, e.Put(ctx, "/o", a, nil))
		if err := e.Close(); !errors.Is(err, failure) {
			t.Errorf("%s: Close: %v", ext, err)
		}
		if _, err := Open(path, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: half of a new store is there: %v", ext, err)
		}

		makeStore(t, path)
		before := keysOf(t, path)
		e, err = Edit(path, nil)
		check(t, err, e.Put(ctx, "/n", a, nil))
		if err := e.Put(ctx, "/../x", a, nil); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s: %v", ext, err)
		}
		// Each change of a directory is durable when it returns.
		if err := e.Close(); (err == nil) != (ext == ".b2d") {
			t.Errorf("%s: Close: %v", ext, err)
		}
		if now := keysOf(t, path); slices.Equal(now, before) != (ext != ".b2d") {
			t.Errorf("%s: leaves %q, before %q", ext, now, before)
		}
		check(t, a.Close())
		nothingLeft(t, path)
	}
}

// TestAbortedEdits checks that Abort discards all changes, except in a directory.
func TestAbortedEdits(t *testing.T) {
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		e, err := Edit(path, nil)
		check(t, err)
		a := numbers(t, 4)
		check(t, e.Put(t.Context(), "/n", a, nil), e.Delete(t.Context(), "/a"), a.Close(), e.Abort(), e.Abort())
		_, err = Open(path, nil)
		check(t, err)
		keys := keysOf(t, path)
		if gone := !slices.Contains(keys, "/a"); gone != (ext == ".b2d") {
			t.Errorf("%s: leaves %q", ext, keys)
		}
		nothingLeft(t, path)
	}
}

// TestOneEditorAtATime opens a second editor while the first is open.
func TestOneEditorAtATime(t *testing.T) {
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		a, ctx := numbers(t, 4), t.Context()
		one, err := Edit(path, nil)
		check(t, err)
		two, err := Edit(path, nil)
		if err == nil {
			check(t, one.Put(ctx, "/one", a, nil))
			err = two.Put(ctx, "/two", a, nil)
			check(t, two.Abort())
		}
		if !errors.Is(err, cairn.ErrConflict) {
			t.Errorf("%s: a second editor: %v", ext, err)
		}
		check(t, one.Close())
		if got := keysOf(t, path); slices.Contains(got, "/two") {
			t.Errorf("%s: leaves %q", ext, got)
		}
	}
}

// TestLockingEditors makes two editors take turns.
func TestLockingEditors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2d")
	makeStore(t, path)
	a, ctx := numbers(t, 4), t.Context()
	one, err := Edit(path, &OpenOptions{Locking: true})
	check(t, err)
	two, err := Edit(path, &OpenOptions{Locking: true})
	check(t, err)
	check(t, one.Put(ctx, "/one", a, nil), two.Put(ctx, "/two", a, nil), one.Delete(ctx, "/two"), two.Put(ctx, "/three", a, nil))
	if _, err := two.Leaf("/one"); err != nil {
		t.Error(err)
	}
	check(t, one.Close(), two.Close())
	if got, want := keysOf(t, path), []string{"/a", "/g/b", "/g/bytes", "/g/h/c", "/one", "/three"}; !slices.Equal(got, want) {
		t.Errorf("leaves %q", got)
	}
}

// TestEmbeddedLeavesOfATree edits trees that python-blosc2 wrote with all leaves embedded.
func TestEmbeddedLeavesOfATree(t *testing.T) {
	for _, ext := range forms[:2] {
		path, ctx := filepath.Join(t.TempDir(), "s"+ext), t.Context()
		golden, err := Open("testdata/embedded.b2z", nil)
		check(t, err)
		check(t, golden.Close())
		unpackGolden(t, path)
		e, err := Edit(path, nil)
		check(t, err)
		check(t, e.Change(ctx, "/a", func(u *ndarray.Untyped) error { return u.Fill(ctx, 7, ndarray.To(2)) }), e.SetAttribute(ctx, "/g", "units", "C"))
		l, err := e.Leaf("/a")
		check(t, err)
		if _, err := openArray(e, "/a"); !l.Embedded || !errors.Is(err, cairn.ErrUnsupported) {
			t.Errorf("%s: %v", ext, err)
		}
		a := numbers(t, 4)
		check(t, e.Put(ctx, "/g/b", a, nil), e.Delete(ctx, "/g"), e.Put(ctx, "/g/new", a, nil), e.Close(), a.Close())
		if got := itemsOf(t, path, "/a"); len(got) != 1000 || got[0] != 7 || got[2] != 2 {
			t.Errorf("%s: /a is %v", ext, got[:5])
		}
		if got := keysOf(t, path); !slices.Equal(got, []string{"/a", "/g/new"}) {
			t.Errorf("%s: leaves %q", ext, got)
		}
	}
}

// unpackGolden copies the archive with embedded leaves to a path, as a directory if that ends in
// .b2d.
func unpackGolden(t *testing.T, path string) {
	t.Helper()
	raw := unpackedFiles(t, "testdata/embedded.b2z")
	if filepath.Ext(path) == ".b2d" {
		writeTree(t, path, raw)
		return
	}
	copyFile(t, "testdata/embedded.b2z", path)
}

func TestLeavesInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2d")
	makeStore(t, path)
	e, err := Edit(path, nil)
	check(t, err)
	u, err := openArray(e, "/a")
	check(t, err)
	check(t, u.Fill(t.Context(), 8), u.Close(), e.Close())
	if got := itemsOf(t, path, "/a"); !slices.Equal(got, []int32{8, 8, 8}) {
		t.Errorf("/a is %v", got)
	}
}

// TestChangesKeepLoss appends to a rounded array of stores, with editors that keep its bound and
// with others.
func TestChangesKeepLoss(t *testing.T) {
	ctx := t.Context()
	items := make([]float32, 200)
	for i := range items {
		items[i] = float32(i) / 7
	}
	a, err := ndarray.FromSlice(items, ndarray.Shape{200}, &ndarray.Options{Loss: ndarray.Loss{MaxError: 0.1}})
	check(t, err)
	defer a.Close()
	want, err := a.Read(ctx)
	check(t, err)

	for _, ext := range []string{".b2d", ".b2z", ".b2e"} {
		for _, keep := range []*ndarray.LossErrors{nil, {}} {
			path := filepath.Join(t.TempDir(), "s"+ext)
			e, err := Create(path, &Options{OpenOptions: OpenOptions{KeepLoss: keep}})
			check(t, err, e.Put(ctx, "/a", a, nil))
			check(t, e.Change(ctx, "/a", func(u *ndarray.Untyped) error {
				grown, err := ndarray.As[float32](u)
				return errors.Join(err, grown.Append(ctx, 0, items))
			}), e.Close())

			s, err := Open(path, nil)
			check(t, err)
			defer s.Close()
			u, err := s.Array(ctx, "/a")
			check(t, err)
			defer u.Close()
			grown, err := ndarray.As[float32](u)
			check(t, err)
			got, err := grown.Read(ctx)
			check(t, err)
			if keep == nil && !slices.Equal(got[200:], items) ||
				keep != nil && (!slices.Equal(got[200:], want) || keep.Absolute == 0) || !slices.Equal(got[:200], want) {
				t.Errorf("%s, KeepLoss %v: appended %v", ext, keep, got[200:])
			}
		}
	}
}
