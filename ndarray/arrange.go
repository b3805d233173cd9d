package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/meta"
)

// A change of the shape has three steps. Reads see the old state until the last step is done.
//
//	arrange   lists the chunks of the new grid, old chunks and new special ones, and writes the
//	          metalayer. No chunk is read
//	shift     encodes chunks again in which items have another place (shift.go)
//	fill      overwrites padding that becomes visible in old chunks (resize.go)
//
// Chunks move only along the axis that changes, so they keep their order and the new arrangement
// consists of runs of chunks (docs/format/b2nd.md#changes-of-the-shape).

// axisChange describes the change of the chunk grid along one axis: before chunk cut of the old
// grid, added chunks are inserted or dropped chunks are removed.
type axisChange struct{ cut, added, dropped int64 }

// reshaping is a change of the shape in progress.
type reshaping struct {
	a     *array
	at    *state          // the state before
	part  *grid.Partition // the geometry after
	axes  [grid.MaxDims]axisChange
	store *frame.Snapshot // the chunks that arrange has listed
}

// changeShape changes the shape: set prepares the change for the newest state, and run applies it.
// grow may be nil; otherwise it is called first, and reports whether it has put the change into the
// write buffer. After an error nothing has changed.
func (a *array) changeShape(ctx context.Context, what string, set func(r *reshaping) error,
	grow func(r *reshaping) (bool, error), run func(r *reshaping) error) (err error) {
	defer a.noteFailure(&err)

	at, err := a.beginWrite(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if failed := a.endWrite(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()

	if have := int64(at.view.NumChunks()); have < at.part.ChunkCount {
		return a.missingChunk(have, have, at.part.ChunkCount)
	}

	if grow != nil {
		r := &reshaping{a: a, at: at}
		if err := set(r); err != nil {
			return naming.In(what, err)
		}
		grown, err := grow(r)
		if err != nil {
			return naming.In(what, err)
		}
		if grown {
			return nil
		}
	}

	// The change moves chunks of the frame, so pending writes must be in them.
	if err := a.flush(ctx); err != nil {
		return err
	}
	at, err = a.stateInWrite()
	if err != nil {
		return err
	}

	return a.undoOnError(func() (bool, error) {
		r := &reshaping{a: a, at: at}
		if err := set(r); err != nil {
			return false, naming.In(what, err)
		}
		err := run(r)
		return r.store != nil, naming.In(what, err)
	}, meta.LayerB2ND, meta.LayerCaterva)
}

// stateWith returns the state with the new shape and the chunks of view.
func (r *reshaping) stateWith(view *frame.Snapshot) *state { return &state{part: r.part, view: view} }

// to sets the new shape.
func (r *reshaping) to(shape []int64) error {
	p := r.at.part
	part, err := grid.New(shape, p.Chunk[:p.Dims], p.Block[:p.Dims], p.ItemSize)
	if err != nil {
		return fmt.Errorf("%w: %w", err, cairn.ErrBounds)
	}
	if part.ChunkCount > maxChunks {
		return fmt.Errorf("shape %v in chunks of %v: %d chunks: %w: at most %d are possible",
			shape, r.a.chunkShape(), part.ChunkCount, cairn.ErrLimit, maxChunks)
	}

	r.part = part
	return nil
}

// arrange builds the new sequence of chunks. New chunks repeat item, or are zeros if item is nil.
func (r *reshaping) arrange(ctx context.Context, item []byte) error {
	encoded, err := r.a.repeatedChunk(nil, item)
	if err != nil {
		return err
	}

	runs := func(yield func(inside.Run) bool) {
		w := runWriter{r: r, encoded: encoded, yield: yield}
		w.steps()
		_ = w.walk(0, 0) && w.flush()
	}
	layer := meta.Layer{
		Name:    r.at.layerName(),
		Content: meta.Reshape(r.at.layer, r.part.Shape[:r.part.Dims]),
	}
	if err := r.a.frame.Inside().Arrange(ctx, runs, layer); err != nil {
		return err
	}

	r.store = r.a.frame.Inside().Newest()
	return nil
}

// runWriter yields the runs of an arrangement and merges adjacent runs.
type runWriter struct {
	r                *reshaping
	encoded          []byte
	yield            func(inside.Run) bool
	pending          inside.Run
	last             int      // the last axis whose grid changes, -1 if none does
	oldStep, newStep grid.Vec // chunks between neighbours along each axis
}

func (w *runWriter) steps() {
	w.last = -1
	before := int64(1)
	after := int64(1)
	for i := w.r.part.Dims - 1; i >= 0; i-- {
		w.oldStep[i] = before
		w.newStep[i] = after
		before *= w.r.at.part.ChunkGrid[i]
		after *= w.r.part.ChunkGrid[i]

		if c := w.r.axes[i]; w.last < 0 && c.added+c.dropped > 0 {
			w.last = i
		}
	}
}

// walk yields the runs of a part of the grid: the chunks at all coordinates along the axes from
// axis on. The coordinates along the axes before it are fixed, and old is the number of the first
// chunk.
func (w *runWriter) walk(axis int, old int64) bool {
	switch {
	case w.r.part.ChunkCount == 0:
		return true
	case w.r.at.part.ChunkCount == 0:
		return w.add(w.r.part.ChunkCount)
	case w.last < 0:
		return w.keep(0, w.r.part.ChunkCount)
	}

	c := w.r.axes[axis]
	step := w.oldStep[axis]
	added := c.added * w.newStep[axis]
	cut := c.cut
	behind := cut + c.dropped
	end := w.r.at.part.ChunkGrid[axis]

	// Along the last axis that changes, all that is before the cut or behind it is one run.
	if axis == w.last {
		return w.keep(old, cut*step) && w.add(added) && w.keep(old+behind*step, (end-behind)*step)
	}

	for k := range cut {
		if !w.walk(axis+1, old+k*step) {
			return false
		}
	}

	if !w.add(added) {
		return false
	}

	for k := behind; k < end; k++ {
		if !w.walk(axis+1, old+k*step) {
			return false
		}
	}
	return true
}

// keep yields existing chunks.
func (w *runWriter) keep(first, count int64) bool {
	if p := &w.pending; p.Encoded == nil && int64(p.First+p.Count) == first {
		p.Count += int(count)
		return true
	}

	return count == 0 || w.flush() && w.begin(inside.Run{First: int(first), Count: int(count)})
}

// add yields new chunks.
func (w *runWriter) add(count int64) bool {
	if p := &w.pending; p.Encoded != nil {
		p.Count += int(count)
		return true
	}

	return count == 0 || w.flush() && w.begin(inside.Run{Count: int(count), Encoded: w.encoded})
}

func (w *runWriter) begin(r inside.Run) bool {
	w.pending = r
	return true
}

func (w *runWriter) flush() bool {
	return w.pending.Count == 0 || w.yield(w.pending)
}
