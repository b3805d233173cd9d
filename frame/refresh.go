package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// A handle shows the state that it was opened with, and its own changes, until Refresh is called.
// Refresh compares the header and the end of the trailer in the file with those that were read.

// reload reads the frame again. The caller holds the mutex, and nothing is staged.
func (e *editor) reload(ctx context.Context) error {
	g, err := e.location.open(ctx, &e.location.options, e.sameFile())
	if err != nil {
		return err
	}
	if err := e.become(&g.edit); err != nil {
		return errors.Join(err, g.edit.closeUnchanged())
	}
	return nil
}

// sameFile returns the open file of a frame opened for reading, if the path still refers to it, or
// nil.
func (e *editor) sameFile() storage.File {
	file, ok := e.committed.oneFile().(storage.Claimer)
	if !ok || e.writer != nil {
		return nil
	}
	if same, err := file.Is(e.location.path); err != nil || !same {
		return nil
	}
	return file
}

// become makes the handle show the state of g, of another handle of the same frame, and takes over
// its files.
func (e *editor) become(g *editor) error {
	old := e.cur.Load()
	now := g.cur.Load()
	alike := now.head.TypeSize == old.head.TypeSize && now.head.Sparse() == old.head.Sparse()
	if !alike || !slices.Equal(g.env.shape, e.env.shape) || g.env.zarrBlocks != e.env.zarrBlocks {
		return fmt.Errorf("the frame was replaced by another one: %w", cairn.ErrConflict)
	}

	next := now.draft()
	next.env = e.env
	next.source.book().id.renew(&e.env.sources)
	if c, ok := e.writer.(claimant); ok {
		_ = c.unclaim() // its file will be closed
	}

	if e.writer != nil || g.closer != nil { // otherwise the file is the same
		e.env.retire(e.committed.source)
		e.closer = g.closer
	}
	if w, ok := g.writer.(reuser); ok {
		w.inherit(e.writer)
	}

	e.writer = g.writer
	e.committed = &next.state
	e.dirty = false
	e.show(&next.state)
	return nil
}
