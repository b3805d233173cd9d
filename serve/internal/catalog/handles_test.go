package catalog

import (
	"path/filepath"
	"sync"
	"testing"
	"time"
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
		if n := c.handles.count(); n > 2 {
			t.Errorf("%d are open after array %d", n, i)
		}
	}
	if c.handles.byName["data/"+numbered(0)] == nil || c.handles.byName["data/"+numbered(4)] == nil {
		t.Error("what is in use, or was used last, is not open")
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
	if n := c.handles.count(); n != 5 {
		t.Errorf("%d of 5 in use are open", n)
	}
	for i, a := range all {
		if got := first(t, a); got != int32(i) {
			t.Errorf("array %d begins with %d", i, got)
		}
		a.Release()
	}
	if n := c.handles.count(); n != 2 {
		t.Errorf("%d are open after all were released", n)
	}
}

// TestIdleHandlesAreClosed lets time pass in which nobody uses an array.
func TestIdleHandlesAreClosed(t *testing.T) {
	c, dir := folderOf(t, Options{Open: 10})
	save(t, filepath.Join(dir, "a.b2nd"), 3, 1)
	save(t, filepath.Join(dir, "b.b2nd"), 3, 2)
	array(t, c, "data/a.b2nd").Release()
	c.handles.mu.Lock()
	c.handles.byName["data/a.b2nd"].used = time.Now().Add(-2 * idle)
	c.handles.mu.Unlock()
	array(t, c, "data/b.b2nd").Release()
	if c.handles.byName["data/a.b2nd"] != nil || c.handles.count() != 1 {
		t.Errorf("%d are open", c.handles.count())
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
				if h := c.handles.count(); h != 1 {
					t.Errorf("%d handles", h)
				}
				a.Release()
			}
		})
	}
	all.Wait()
	if h := c.handles.byName["data/a.b2nd"]; h == nil || h.refs != 0 {
		t.Errorf("the handle is %+v", h)
	}
}
