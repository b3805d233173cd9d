package ndarray

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
)

// A state is an immutable state of an array: its geometry, and the chunks that belong to it. Shape
// and items read through one state always fit together, whatever others do to the array.
type state struct {
	part    *grid.Partition
	base    *grid.Partition // the frame's geometry: part, unless a new shape is pending
	layer   []byte          // the metalayer that describes base
	view    *frame.Snapshot
	pending *pendingWrites // nil if nothing is: see buffer.go
	proxy   *fetchedBlocks // nil if the array is not a proxy
}

// state returns the state for a read: the newest one, or during a write the one before it.
func (u *Untyped) state() (*state, error) { return u.stateFor(false) }

// stateFor is state; reading says that items will be read, so that pending blocks in it must not
// change any more.
func (u *Untyped) stateFor(reading bool) (*state, error) {
	if u.frozen {
		if u.closed.Load() {
			return nil, u.inArray(fmt.Errorf("snapshot: %w", cairn.ErrClosed))
		}
		return u.last.Load(), nil
	}
	u.stateMu.Lock()
	defer u.stateMu.Unlock()
	if reading {
		u.buffer.readStamp = u.buffer.stamp
	}
	if u.stable != nil {
		return u.stable, nil
	}
	return u.newest()
}

// geometry returns the current partition. Only the shape, and what follows from it, can differ from
// the partition at opening.
func (u *Untyped) geometry() *grid.Partition {
	if at, err := u.state(); err == nil {
		return at.part
	}
	return u.last.Load().part
}

// newest returns the newest state, staged and pending changes included. The caller holds stateMu.
// It fails if the frame no longer holds the same array.
func (u *Untyped) newest() (*state, error) {
	last, view, pending := u.last.Load(), u.frame.Inside().Newest(), u.buffer.pending
	if last.view == view && last.pending == pending {
		return last, nil
	}
	now := &state{base: last.base, layer: last.layer, view: view, pending: pending, proxy: last.proxy}
	if last.view != view {
		if err := u.updateState(now, last); err != nil {
			return nil, u.inArray(err)
		}
	}
	now.part = now.base
	if pending != nil && pending.part != nil {
		if pending.part.ChunkGrid != now.base.ChunkGrid {
			return nil, u.inArray(fmt.Errorf("the frame was changed while writes to the array were pending: %w",
				cairn.ErrConflict))
		}
		now.part = pending.part
	}
	u.last.Store(now)
	return now, nil
}

// updateState fills in what a newer view says about the array.
func (u *Untyped) updateState(now, last *state) error {
	content, err := layerContent(now.view)
	if err != nil {
		return err
	}
	if last.proxy != nil {
		if now.proxy, err = fetchedOf(now.view); err != nil {
			return err
		}
	}
	if bytes.Equal(content, last.layer) {
		return nil
	}
	now.layer = content
	if now.base, err = u.parseReshaped(content); err == nil && *now.base == *last.part {
		now.base = last.part // the shape that was pending
	}
	return err
}

// parseReshaped returns the partition that a metalayer describes. It fails if this differs in more
// than the shape from the partition at opening.
func (u *Untyped) parseReshaped(content []byte) (*grid.Partition, error) {
	part, dtype, err := parseLayer(content, u.frame.TypeSize())
	if err != nil {
		return nil, err
	}
	if p := u.part; part.Dims != p.Dims || part.Chunk != p.Chunk || part.Block != p.Block ||
		part.ItemSize != p.ItemSize || dtype != u.dtypeText {
		return nil,
			fmt.Errorf("the array was replaced by one of other chunks, blocks or items: %w", cairn.ErrConflict)
	}
	return part, nil
}

// Snapshot returns a read-only array with the current state, staged changes included. Later changes
// of u do not affect it. Making one costs only the flush of pending writes. Any number of
// goroutines may read it. The caller closes it before u: after Close of u its reads fail with
// [cairn.ErrClosed]. If a compaction replaces the file, the old one stays on disk while a snapshot
// uses it. With Locking, Snapshot starts from the newest state that other processes committed. A
// snapshot does not hold the lock, and C-Blosc2, which overwrites bytes in place, can destroy its
// data.
func (u *Untyped) Snapshot(ctx context.Context) (s *Untyped, err error) {
	u = u.self()
	at, release, err := u.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)
	return u.snapshotAt(at), nil
}

// snapshotAt returns a snapshot of a state of the array that is being read.
func (u *Untyped) snapshotAt(at *state) *Untyped {
	s := &Untyped{handleCore: u.handleCore, frozen: true}
	if u.unhold != nil {
		s.unkeep = u.frame.Inside().Keep(at.view)
	}
	s.readOnly, s.locking = true, false
	s.last.Store(at)
	return s
}

// withPartition returns the state with another partition, which must have the same chunks in the
// same order.
func (at *state) withPartition(part *grid.Partition) *state {
	now := *at
	now.part = part
	return &now
}

// within returns a state for one call, all of whose requests end with ctx, if there are any.
func (u *handleCore) within(ctx context.Context, at *state) *state {
	if u.requests == 0 {
		return at
	}
	now := *at
	now.view = at.view.Inside().Within(ctx)
	return &now
}

// newestState returns the newest state. With show, reads see this state until the caller clears
// stable.
func (u *Untyped) newestState(show bool) (*state, error) {
	u.stateMu.Lock()
	defer u.stateMu.Unlock()
	now, err := u.newest()
	if show {
		u.stable = now
	}
	return now, err
}

// stateInWrite returns the newest state for the write in progress, which reads do not see yet.
func (u *Untyped) stateInWrite() (*state, error) { return u.newestState(false) }
