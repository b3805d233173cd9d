package catalog

import (
	"container/list"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/cairn-go/cairn/ndarray"
)

// A handle is an open file, tree or array, in one state, which several requests share.
type handle struct {
	kept    kept
	name    string
	version string
	src     ndarray.Source // of an array
	tree    *tree          // of a tree
	closer  io.Closer      // or nil
	parent  *handle        // that must stay open, or nil

	ready chan struct{} // closed when it is open, or err says why not
	err   error
	refs  int
	gone  bool // no longer in the table
	used  time.Time
	at    *list.Element
}

// handles are what is open. Those in use stay open even if there are too many.
type handles struct {
	most int

	mu     sync.Mutex
	byName map[string]*handle
	recent list.List // of *handle, the last used first
	open   int
}

// idle is how long something stays open that nobody uses.
const idle = 2 * time.Minute

// get returns the handle of a name in a version, which open opens unless it is there.
func (t *handles) get(ctx context.Context, name, version string, open func(h *handle) error) (*handle, error) {
	t.mu.Lock()
	h := t.byName[name]
	if h != nil && h.version == version {
		h.refs++
		t.touch(h)
		t.mu.Unlock()
		select {
		case <-h.ready:
		case <-ctx.Done():
			t.release(h)
			return nil, ctx.Err()
		}
		if h.err != nil {
			t.release(h)
			return nil, h.err
		}
		return h, nil
	}
	var unused []*handle
	if h != nil {
		unused = t.drop(h, unused)
	}
	h = &handle{name: name, version: version, ready: make(chan struct{}), refs: 1}
	if t.byName == nil {
		t.byName = map[string]*handle{}
	}
	t.byName[name] = h
	t.open++
	t.touch(h)
	unused = t.evict(unused)
	t.mu.Unlock()
	t.closeAll(unused)
	t.fill(h, open)
	if h.err != nil {
		t.release(h)
		return nil, h.err
	}
	return h, nil
}

// fill opens a handle, and takes it out of the table if that fails.
func (t *handles) fill(h *handle, open func(h *handle) error) {
	h.err = errors.New("opening failed")
	defer func() {
		close(h.ready)
		if h.err != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.drop(h, nil)
		}
	}()
	h.err = open(h)
}

// touch notes that a handle is used. The caller holds the lock, as of drop and evict.
func (t *handles) touch(h *handle) {
	h.used = time.Now()
	if h.at == nil {
		h.at = t.recent.PushFront(h)
		return
	}
	t.recent.MoveToFront(h.at)
}

// drop takes a handle out of the table, and appends it to those to close if nobody uses it.
func (t *handles) drop(h *handle, unused []*handle) []*handle {
	if h.gone {
		return unused
	}
	h.gone = true
	if t.byName[h.name] == h {
		delete(t.byName, h.name)
	}
	t.recent.Remove(h.at)
	t.open--
	if h.refs == 0 {
		unused = append(unused, h)
	}
	return unused
}

// evict drops handles that nobody uses: the oldest while there are too many, and old ones.
func (t *handles) evict(unused []*handle) []*handle {
	for at := t.recent.Back(); at != nil; {
		h := at.Value.(*handle)
		at = at.Prev()
		if t.open <= t.most && time.Since(h.used) < idle {
			break
		}
		if h.refs == 0 {
			unused = t.drop(h, unused)
		}
	}
	return unused
}

// release ends a use of a handle.
func (t *handles) release(h *handle) {
	t.mu.Lock()
	h.refs--
	var unused []*handle
	if h.refs == 0 && h.gone {
		unused = append(unused, h)
	}
	unused = t.evict(unused)
	t.mu.Unlock()
	t.closeAll(unused)
}

// closeAll closes handles that nobody uses and nobody can get. They release what they depend on.
func (t *handles) closeAll(unused []*handle) (err error) {
	for _, h := range unused {
		if h.closer != nil {
			err = errors.Join(err, h.closer.Close())
		}
		if h.parent != nil {
			t.release(h.parent)
		}
	}
	return err
}

// close drops everything.
func (t *handles) close() error {
	t.mu.Lock()
	var unused []*handle
	for at := t.recent.Front(); at != nil; at = t.recent.Front() {
		unused = t.drop(at.Value.(*handle), unused)
	}
	t.mu.Unlock()
	return t.closeAll(unused)
}

func (t *handles) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

// keep makes a handle that is in use stay open until it is released once more.
func (t *handles) keep(h *handle) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h.refs++
}
