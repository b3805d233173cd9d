package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// copyTable puts the leaves of a table, except some, under another key.
func copyTable(t *testing.T, e *Editor, s *Store, table, to string, except ...string) error {
	t.Helper()
	return e.PutAll(t.Context(), func(b *Bundle) error {
		for l := range s.Leaves() {
			name, ok := strings.CutPrefix(l.Key, strings.TrimSuffix(table, "/")+"/")
			if !ok || slices.Contains(except, name) {
				continue
			}
			err := b.PutFunc(leafIn(to, name), func(fsys storage.FS, path string) error {
				f, err := s.open(&l)
				if err != nil {
					return err
				}
				return errors.Join(frame.Copy(t.Context(), path, f.Snapshot(), &frame.CopyOptions{FS: fsys}), f.Close())
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// indexPaths returns the paths in the catalog of a table, and the number of its indexes.
func indexPaths(t *testing.T, s *Store, table string) (paths []string, count int) {
	t.Helper()
	f, err := s.Frame(leafIn(table, "_meta"))
	check(t, err)
	defer f.Close()
	v, err := unpackVL(f, "index_catalog")
	check(t, err)
	var walk func(v any)
	walk = func(v any) {
		m, _ := v.(meta.Map)
		for _, p := range m {
			if text, ok := p.Value.(string); ok && strings.HasSuffix(p.Key.(string), "path") {
				paths = append(paths, text)
			}
			walk(p.Value)
		}
	}
	walk(v)
	return paths, len(v.(meta.Map))
}

// TestIndexesFollowTheirTable copies tables to other keys of stores of all forms, twice: indexes
// name their own files there, and one whose file is missing is left out.
func TestIndexesFollowTheirTable(t *testing.T) {
	for path, table := range indexedTables(t) {
		s, err := Open(path, nil)
		check(t, err)
		was, indexes := indexPaths(t, s, table)
		for _, ext := range forms {
			to := filepath.Join(t.TempDir(), "n"+ext)
			makeStore(t, to)
			for _, except := range []string{"", "_indexes/a/bucket.offsets"} {
				e, err := Edit(to, nil)
				check(t, err)
				check(t, copyTable(t, e, s, table, "/x/t", except), e.Close())
				n, err := Open(to, nil)
				check(t, err)
				paths, count := indexPaths(t, n, "/x/t")
				if want := indexes - boolInt(except != ""); count != want || except == "" && len(paths) != len(was) {
					t.Errorf("%s to %s: %d indexes with %d files, had %d with %d", path, ext, count, len(paths), indexes, len(was))
				}
				for _, name := range paths {
					if _, err := n.Leaf(keyOf(name)); err != nil || !strings.HasPrefix(name, "x/t/_indexes/") {
						t.Errorf("%s to %s: %s: %v", path, ext, name, err)
					}
				}
				before, err := tableState(s, table)
				check(t, err)
				if after, err := tableState(n, "/x/t"); err != nil || except == "" && after != before {
					t.Errorf("%s to %s: %s became %s: %v", path, ext, before, after, err)
				}
				if _, err := n.Leaf("/x/t/_indexes/a/bucket.offsets"); (err == nil) != (except == "") {
					t.Errorf("%s to %s: the table was not replaced as a whole: %v", path, ext, err)
				}
				check(t, n.Close())
			}
			nothingLeft(t, to)
		}
		check(t, s.Close())
	}
}

// TestBundlesThatFailChangeNothing puts bundles of which one key is not free, and one that fails.
func TestBundlesThatFailChangeNothing(t *testing.T) {
	failure := errors.New("failure")
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		s, err := Open("testdata/indexed.b2z", nil)
		check(t, err)
		e, err := Edit(path, nil)
		check(t, err)
		check(t, copyTable(t, e, s, "/g/table", "/t"), e.Close())
		e, err = Edit(path, nil)
		check(t, err)
		kind, keys := e.kind, slices.Collect(e.Leaves())
		a := numbers(t, 4)
		put := func(keys ...string) error {
			return e.PutAll(t.Context(), func(b *Bundle) error {
				for _, key := range append([]string{"/new/n"}, keys...) {
					err := b.PutFunc(key, func(fsys storage.FS, path string) error {
						return a.Save(t.Context(), path, &ndarray.CopyOptions{FS: fsys, Sparse: new(false)})
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, c := range []struct{ err, want error }{
			{put("/new/n"), fs.ErrExist},
			{put("/t/_cols/c"), cairn.ErrUnsupported},
			{put("/t/c"), cairn.ErrUnsupported},
			{put("/"), cairn.ErrBounds},
			{put("/../x"), cairn.ErrBounds},
			{copyTable(t, e, s, "/g/table", "/g"), fs.ErrExist},
			{copyTable(t, e, s, "/g/table", "/t/_cols"), cairn.ErrUnsupported},
			{e.PutAll(t.Context(), func(*Bundle) error { return failure }), failure},
		} {
			if !errors.Is(c.err, c.want) {
				t.Errorf("%s: %v, want %v", ext, c.err, c.want)
			}
		}
		if kind == TreeStore {
			for _, key := range []string{"/g", "/a/b", "/new/n/below"} {
				if err := put(key); !errors.Is(err, fs.ErrExist) {
					t.Errorf("%s: %s: %v", ext, key, err)
				}
			}
		}
		if now := slices.Collect(e.Leaves()); !slices.Equal(now, keys) {
			t.Errorf("%s: leaves %v became %v", ext, keys, now)
		}
		check(t, e.Close(), a.Close(), s.Close())
		nothingLeft(t, path)
	}
}
