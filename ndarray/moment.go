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
type moment struct {
	part  *grid.Partition
	base  *grid.Partition // as the frame has it: part, unless a shape waits
	layer []byte          // the metalayer that base was made of
	view  *frame.Frame
	held  *held    // what waits of writes, or nil: see behind.go
	proxy *fetched // of a proxy, or nil
}

// moment returns the state that a read works on: the newest one, or while a write runs that from
// before it.
func (u *Untyped) moment() (*moment, error) { return u.momentFor(false) }

// momentFor is moment; reading says that items will be read, so that blocks that wait must not
// change any more.
func (u *Untyped) momentFor(reading bool) (*moment, error) {
	if u.frozen {
		if u.closed.Load() {
			return nil, u.inArray(fmt.Errorf("snapshot: %w", cairn.ErrClosed))
		}
		return u.last.Load(), nil
	}
	u.state.Lock()
	defer u.state.Unlock()
	if reading {
		u.behind.seen = u.behind.stamp
	}
	if u.stable != nil {
		return u.stable, nil
	}
	return u.newest()
}

// geometry returns the current partition. All but the shape, and what follows from that, stays as
// it was when the array was opened.
func (u *Untyped) geometry() *grid.Partition {
	if at, err := u.moment(); err == nil {
		return at.part
	}
	return u.last.Load().part
}

// newest returns the frame's newest state, staged changes included. The caller holds state. It
// fails if the frame is not the same array any more.
func (u *Untyped) newest() (*moment, error) {
	last, view, held := u.last.Load(), u.frame.Snapshot(), u.behind.now
	if last.view == view && last.held == held {
		return last, nil
	}
	now := &moment{base: last.base, layer: last.layer, view: view, held: held, proxy: last.proxy}
	if last.view != view {
		if err := u.follows(now, last); err != nil {
			return nil, u.inArray(err)
		}
	}
	now.part = now.base
	if held != nil && held.part != nil {
		if held.part.ChunkGrid != now.base.ChunkGrid {
			return nil, u.inArray(fmt.Errorf("the frame was changed beneath writes that wait: %w",
				cairn.ErrConflict))
		}
		now.part = held.part
	}
	u.last.Store(now)
	return now, nil
}

// follows fills in what a newer view says of the array.
func (u *Untyped) follows(now, last *moment) error {
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
func (u *Untyped) frozenAt(at *moment) *Untyped {
	s := &Untyped{fixed: u.fixed, frozen: true}
	s.readOnly, s.locking = true, false
	s.last.Store(at)
	return s
}

// as returns the state as that of an array of another partition with the same chunks in the same
// order.
func (at *moment) as(part *grid.Partition) *moment {
	now := *at
	now.part = part
	return &now
}

// lookAtNewest returns the newest state. With show, it is what reads see from now on, until the
// caller ends that.
func (u *Untyped) lookAtNewest(show bool) (*moment, error) {
	u.state.Lock()
	defer u.state.Unlock()
	now, err := u.newest()
	if show {
		u.stable = now
	}
	return now, err
}

// underWrite returns the newest state for the write that is under way, which others do not see yet.
func (u *Untyped) underWrite() (*moment, error) { return u.lookAtNewest(false) }
