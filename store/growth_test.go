package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// linear fails if eight times as much work takes far more than eight times as long. Quadratic work
// takes 64 times as long. On a busy machine some tries may fail.
func linear(t *testing.T, what string, n int, run func(n int)) {
	t.Helper()
	took := func(n int) time.Duration {
		start := time.Now()
		run(n)
		return time.Since(start)
	}
	few, many := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range 12 {
		few, many = min(few, took(n)), min(many, took(8*n))
		if many <= 28*few {
			return
		}
	}
	t.Errorf("%s: %v for %d, %v for %d", what, few, n, many, 8*n)
}

// TestWalksThroughTreesAreLinear calls every method for every group of a large tree.
func TestWalksThroughTreesAreLinear(t *testing.T) {
	linear(t, "groups", 2000, func(n int) {
		s := &Store{}
		for i := range n {
			s.leaves.all = append(s.leaves.all, Leaf{Key: fmt.Sprintf("/group%06d/a", i)})
		}
		count := 0
		for node, err := range ndarray.Walk(t.Context(), s, "/") {
			check(t, err)
			if count++; node.Kind != ndarray.GroupNode {
				continue
			}
			_, err := s.Attributes(t.Context(), node.Key)
			check(t, err)
			if _, err := s.Leaf(node.Key); err == nil {
				t.Fatalf("%s is a leaf", node.Key)
			}
		}
		if count != 2*n {
			t.Fatalf("%d nodes, want %d", count, 2*n)
		}
	})
}

// TestManyEditsAreLinear puts many leaves into stores and deletes some.
func TestManyEditsAreLinear(t *testing.T) {
	a := numbers(t, 1, 2, 3)
	defer a.Close()
	dir := t.TempDir()
	for _, ext := range []string{".b2d", ".b2z", "new.b2d", "new.b2z"} {
		path := filepath.Join(dir, "s"+ext)
		makeStore(t, path)
		linear(t, ext, 200, func(n int) {
			m := inMemory(t, path)
			o := OpenOptions{FS: m, Workers: 1}
			open := func() (*Editor, error) { return Edit("s"+ext, &o) }
			if ext[0] != '.' {
				open = func() (*Editor, error) { return Create("s"+ext, &Options{OpenOptions: o, Overwrite: true}) }
			}
			e, err := open()
			check(t, err)
			for i := range n {
				check(t, e.Put(t.Context(), fmt.Sprintf("/new/leaf%06d", i), a, nil))
			}
			for i := range n / 2 {
				check(t, e.Delete(t.Context(), fmt.Sprintf("/new/leaf%06d", 2*i)))
			}
			check(t, e.Close())
		})
	}
}

// TestLeavesMayBeDeletedDuringALoop deletes leaves in a loop over them.
func TestLeavesMayBeDeletedDuringALoop(t *testing.T) {
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		e, err := Edit(path, nil)
		check(t, err)
		seen := 0
		for l := range e.Leaves() {
			seen++
			check(t, e.Delete(t.Context(), l.Key))
		}
		check(t, e.Close())
		if left := keysOf(t, path); seen != 4 || len(left) != 0 {
			t.Errorf("%s: %d leaves, left are %q", ext, seen, left)
		}
	}
}

// listing counts listings of directories.
type listing struct {
	storage.FS
	lists atomic.Int64
}

func (l *listing) ReadDir(name string) ([]storage.Info, error) {
	l.lists.Add(1)
	return l.FS.ReadDir(name)
}

// TestChangesListNothing changes a directory that no other process changes. Neither failed nor
// successful changes may list the tree again.
func TestChangesListNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.b2d")
	makeStore(t, path)
	fsys := &listing{FS: inMemory(t, path)}
	e, err := Edit("s.b2d", &OpenOptions{FS: fsys})
	check(t, err)
	a := numbers(t, 1)
	check(t, e.Put(t.Context(), "/first", a, nil))
	before := fsys.lists.Load()
	for range 3 {
		if err := e.Put(t.Context(), "/first/below", a, nil); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v", err)
		}
		if err := e.Delete(t.Context(), "/missing"); !errors.Is(err, cairn.ErrNotFound) {
			t.Errorf("%v", err)
		}
		check(t, e.SetAttribute(t.Context(), "/", "title", "x"))
	}
	if n := fsys.lists.Load() - before; n != 0 {
		t.Errorf("directories were listed %d times", n)
	}
	check(t, a.Close(), e.Close())
}
