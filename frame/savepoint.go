package frame

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// A Savepoint is a state of a frame, staged changes included, that changes can go back to until they are committed or rolled back. It
// needs no releasing.
type Savepoint struct {
	frame           *Frame
	view, committed *View
	dirty           bool
}

// Savepoint returns the newest state as one to go back to. It reads and writes nothing.
func (f *Frame) Savepoint() Savepoint {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Savepoint{f, f.cur.Load(), f.committed, f.dirty}
}

// Gone reports whether there was a commit or a rollback since, or another process changed the frame, so that nothing can go back to s. The zero
// Savepoint is gone.
func (s Savepoint) Gone() bool {
	if s.frame == nil {
		return true
	}
	s.frame.mu.Lock()
	defer s.frame.mu.Unlock()
	return s.committed != s.frame.committed
}

// RollbackTo drops everything that was staged since s. It touches no storage, so that it works when storage fails. It is allowed inside of
// Atomically, and fails with ErrConflict if there was a commit or a rollback since, or another process changed the frame.
func (f *Frame) RollbackTo(s Savepoint) error {
	if err := f.flushFirst(context.Background()); err != nil {
		return err
	}
	return f.rollbackTo(s, func(_, to *View) (*View, bool) { return to, s.dirty })
}

// RollbackChunksTo is RollbackTo for the chunks and the fixed metalayers of the given names: other metalayers stay as they are now.
func (f *Frame) RollbackChunksTo(s Savepoint, names ...string) error {
	return f.rollbackTo(s, func(now, to *View) (*View, bool) {
		back := to.cloned()
		back.layers, back.vl = withLayersOf(now.layers, to.layers, names), now.vl
		back.head.headerLen = now.head.headerLen + headerSize(back.layers) - headerSize(now.layers)
		return back, s.dirty || !sameLayers(back.layers, to.layers) || !sameLayers(now.vl, to.vl)
	})
}

func (f *Frame) rollbackTo(s Savepoint, state func(now, to *View) (*View, bool)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ready(context.Background()); err != nil {
		return f.env.place(err)
	}
	if s.frame != f || s.committed != f.committed {
		return f.env.place(fmt.Errorf("frame: the savepoint is gone with a commit or rollback: %w", cairn.ErrConflict))
	}
	f.restore(state(f.cur.Load(), s.view))
	return f.env.place(f.letGoUnused())
}

// withLayersOf returns layers with those of the given names as they are in from.
func withLayersOf(layers, from []meta.Layer, names []string) []meta.Layer {
	layers = slices.Clone(layers)
	for _, name := range names {
		i, k := layerNamed(layers, name), layerNamed(from, name)
		switch {
		case i >= 0 && k >= 0:
			layers[i] = from[k]
		case i >= 0:
			layers = slices.Delete(layers, i, i+1)
		case k >= 0:
			layers = append(layers, from[k])
		}
	}
	return layers
}

func sameLayers(a, b []meta.Layer) bool {
	return slices.EqualFunc(a, b, func(x, y meta.Layer) bool { return x.Name == y.Name && bytes.Equal(x.Content, y.Content) })
}
