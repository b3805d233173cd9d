package frame

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/meta"
)

// savepoint is a state to which a rollback can return.
type savepoint struct {
	edit          *editor
	at, committed *state
	dirty         bool
	broken        *error // see fail
}

// Savepoint returns a savepoint of the newest state.
func (d *insideFrame) Savepoint() inside.Savepoint {
	e := d.edit
	e.mu.Lock()
	defer e.mu.Unlock()
	return &savepoint{e, e.cur.Load(), e.committed, e.dirty, e.broken.Load()}
}

// Gone reports whether s is no longer valid.
func (s *savepoint) Gone() bool {
	s.edit.mu.Lock()
	defer s.edit.mu.Unlock()
	return s.committed != s.edit.committed
}

// RollbackTo drops all changes since a savepoint.
func (d *insideFrame) RollbackTo(to inside.Savepoint) error {
	e := d.edit
	if err := e.flushFirst(context.Background()); err != nil {
		return err
	}
	return e.rollbackTo(to, func(_ *state, s *savepoint) (*state, bool) {
		e.broken.Store(s.broken)
		return s.at, s.dirty
	})
}

// RollbackChunksTo is RollbackTo for the chunks and the fixed metalayers of the given names. Other
// metalayers keep their changes.
func (d *insideFrame) RollbackChunksTo(to inside.Savepoint, names ...string) error {
	e := d.edit
	return e.rollbackTo(to, func(now *state, s *savepoint) (*state, bool) {
		e.broken.Store(s.broken) // the caller reports the failure, if it is one
		back := s.at.draft()
		back.layers = withLayersOf(now.layers, s.at.layers, names)
		back.vl = now.vl
		back.head.HeaderLen = now.head.HeaderLen + format.HeaderSize(back.layers) - format.HeaderSize(now.layers)
		return &back.state, s.dirty || !sameLayers(back.layers, s.at.layers) || !sameLayers(now.vl, s.at.vl)
	})
}

// rollbackTo restores the state that back returns for the newest state and a savepoint. back also
// reports whether that state differs from the durable one.
func (e *editor) rollbackTo(to inside.Savepoint, back func(now *state, s *savepoint) (*state, bool)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.checkWritable(context.Background()); err != nil {
		return e.env.place(err)
	}
	s, ok := to.(*savepoint)
	if !ok || s.edit != e || s.committed != e.committed {
		return e.env.place(fmt.Errorf("frame: the savepoint ended with a commit or rollback: %w", cairn.ErrConflict))
	}
	e.restore(back(e.cur.Load(), s))
	return e.env.place(e.releaseUnusedLock())
}

// withLayersOf returns layers, with those of the given names replaced by the ones in from.
func withLayersOf(layers, from []meta.Layer, names []string) []meta.Layer {
	layers = slices.Clone(layers)
	for _, name := range names {
		if k := layerNamed(from, name); k >= 0 {
			layers = withLayer(layers, from[k])
			continue
		}
		layers = slices.DeleteFunc(layers, func(l meta.Layer) bool { return l.Name == name })
	}
	return layers
}

func sameLayers(a, b []meta.Layer) bool {
	return slices.EqualFunc(a, b, func(x, y meta.Layer) bool { return x.Name == y.Name && bytes.Equal(x.Content, y.Content) })
}
