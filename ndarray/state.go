package ndarray

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
)

// A moment is one state of an array: its geometry, and the chunks that belong to it. It never
// changes, so that whoever holds one sees shape and items that go together, whatever others do to
// the array.
type state struct {
	part    *grid.Partition
	base    *grid.Partition // as the frame has it: part, unless a shape waits
	layer   []byte          // the metalayer that base was made of
	view    *frame.Frame
	pending *pendingWrites // what waits of writes, or nil: see behind.go
	proxy   *fetched       // of a proxy, or nil
}

// moment returns the state that a read works on: the newest one, or while a write runs that from
// before it.
func (u *Untyped) state() (*state, error) { return u.stateFor(false) }

// momentFor is moment; reading says that items will be read, so that blocks that wait must not
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
		u.buffer.seen = u.buffer.stamp
	}
	if u.stable != nil {
		return u.stable, nil
	}
	return u.newest()
}

// geometry returns the current partition. All but the shape, and what follows from that, stays as
// it was when the array was opened.
func (u *Untyped) geometry() *grid.Partition {
	if at, err := u.state(); err == nil {
		return at.part
	}
	return u.last.Load().part
}

// newest returns the frame's newest state, staged changes included. The caller holds state. It
// fails if the frame is not the same array any more.
func (u *Untyped) newest() (*state, error) {
	last, view, pending := u.last.Load(), u.frame.Snapshot(), u.buffer.pending
	if last.view == view && last.pending == pending {
		return last, nil
	}
	now := &state{base: last.base, layer: last.layer, view: view, pending: pending, proxy: last.proxy}
	if last.view != view {
		if err := u.follows(now, last); err != nil {
			return nil, u.inArray(err)
		}
	}
	now.part = now.base
	if pending != nil && pending.part != nil {
		if pending.part.ChunkGrid != now.base.ChunkGrid {
			return nil, u.inArray(fmt.Errorf("the frame was changed beneath writes that wait: %w",
				cairn.ErrConflict))
		}
		now.part = pending.part
	}
	u.last.Store(now)
	return now, nil
}

// follows fills in what a newer view says of the array.
func (u *Untyped) follows(now, last *state) error {
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
	if now.base, err = u.reshaped(content); err == nil && *now.base == *last.part {
		now.base = last.part // the shape that waited
	}
	return err
}

// reshaped returns the partition of a metalayer that may differ from the one that the array was
// opened with in the shape alone.
func (u *Untyped) reshaped(content []byte) (*grid.Partition, error) {
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

// Snapshot returns the array as it is now, staged changes included, for reading: no later change of
// u is seen through it, and it changes nothing. It costs nothing to make but flushing what waits,
// and any number of goroutines may read it. The caller closes it, before u: after Close of u its
// reads fail with [cairn.ErrClosed]. The file that a compaction replaces stays on the disk for as
// long as there is a snapshot of it. With Locking it begins with the newest state that other
// processes committed; it does not hold the lock, and C-Blosc2, which overwrites what it changes,
// can pull its bytes away.
func (u *Untyped) Snapshot(ctx context.Context) (s *Untyped, err error) {
	u = u.own()
	at, release, err := u.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave(release, &err)
	return u.frozenAt(at), nil
}

// frozenAt returns a snapshot of a state of the array.
func (u *Untyped) frozenAt(at *state) *Untyped {
	s := &Untyped{fixed: u.fixed, frozen: true}
	s.readOnly, s.locking = true, false
	s.last.Store(at)
	return s
}

// as returns the state as that of an array of another partition with the same chunks in the same
// order.
func (at *state) as(part *grid.Partition) *state {
	now := *at
	now.part = part
	return &now
}

// lookAtNewest returns the newest state. With show, it is what reads see from now on, until the
// caller ends that.
func (u *Untyped) newestState(show bool) (*state, error) {
	u.stateMu.Lock()
	defer u.stateMu.Unlock()
	now, err := u.newest()
	if show {
		u.stable = now
	}
	return now, err
}

// underWrite returns the newest state for the write that is under way, which others do not see yet.
func (u *Untyped) stateInWrite() (*state, error) { return u.newestState(false) }
