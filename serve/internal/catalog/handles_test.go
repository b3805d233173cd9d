package catalog

import (
	"path/filepath"
	"sync"
	"testing"
)

// TestHandlesAreEvicted opens more arrays than stay open: those that nobody uses are closed, the
// least recently used first, and those in use are not.
func TestHandlesAreEvicted(t *testing.T) {
	c, dir := folderOf(t, Options{Open: 2})
	for i := range 5 {
		save(t, filepath.Join(dir, numbered(i)), 3, int32(i))
	}
	used := array(t, c, "data/"+numbered(0))
	for i := range 5 {
		a := array(t, c, "data/"+numbered(i))
		if got := first(t, a); got != int32(i) {
			t.Errorf("array %d begins with %d", i, got)
		}
		a.Release()
		if n := c.OpenCount(); n > 2 {
			t.Errorf("%d are open after array %d", n, i)
		}
	}
	for _, i := range []int{0, 4} {
		if _, open := c.handles.Kept("data/" + numbered(i)); !open {
			t.Errorf("array %d, in use or used last, is not open", i)
		}
	}
	if got := first(t, used); got != 0 {
		t.Errorf("an array in use begins with %d", got)
	}
	used.Release()
	used.Release() // does nothing

	// More than the most may be in use at a time; they are closed when they are released.
	var all []*Array
	for i := range 5 {
		all = append(all, array(t, c, "data/"+numbered(i)))
	}
	if n := c.OpenCount(); n != 5 {
		t.Errorf("%d of 5 in use are open", n)
	}
	for i, a := range all {
		if got := first(t, a); got != int32(i) {
			t.Errorf("array %d begins with %d", i, got)
		}
		a.Release()
	}
	if n := c.OpenCount(); n != 2 {
		t.Errorf("%d are open after all were released", n)
	}
}

// TestOneHandleForAll opens an array by many goroutines, which share a handle.
func TestOneHandleForAll(t *testing.T) {
	c, dir := folderOf(t, Options{})
	save(t, filepath.Join(dir, "a.b2nd"), 3, 7)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 20 {
				a, err := c.Array(t.Context(), "data/a.b2nd")
				if err != nil {
					t.Error(err)
					return
				}
				if h := c.OpenCount(); h != 1 {
					t.Errorf("%d handles", h)
				}
				a.Release()
			}
		})
	}
	all.Wait()
	if _, open := c.handles.Kept("data/a.b2nd"); !open || c.OpenCount() != 1 {
		t.Errorf("%d are open", c.OpenCount())
	}
}
