package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/frame"
)

// waiting returns what waits of a chunk, or nil.
func (at *moment) waiting(number int64) *heldChunk { return at.held.chunk(number) }

// readOver is read for a chunk of which something waits: that comes from memory, the other blocks from the frame.
func (w *worker) readOver(u *Untyped, view *frame.Frame, c *heldChunk, dst []byte) error {
	met, missing := w.piece.Blocks(), false
	for k := 0; k < met && !missing; k++ {
		missing = c.blocks[w.piece.Block(k)].data == nil
	}
	if missing {
		w.over = c
		err := w.readFrame(u, view, dst)
		w.over = nil
		if err != nil {
			return err
		}
	}
	for k := range met {
		b := w.piece.Block(k)
		if data := c.blocks[b].data; data != nil {
			w.piece.Scatter(dst, b, data)
		}
	}
	return nil
}

// leaveOut takes the blocks that wait out of those to decode.
func (c *heldChunk) leaveOut(want []bool) {
	for b := range want {
		want[b] = want[b] && c.blocks[b].data == nil
	}
}

// enter begins a read of one state that the frame has as a whole, under the lock if there is one. What waits is flushed before. The read ends with leave.
func (u *Untyped) enter(ctx context.Context) (at *moment, release func() error, err error) {
	for {
		if at, release, err = u.enterHeld(ctx); err != nil || at.held == nil {
			return at, release, err
		}
		if leave(release, &err); err == nil {
			err = u.flushNow(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}
