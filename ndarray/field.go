package ndarray

import (
	"context"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
)

// writeMasked stages the items of a plan, of which only the bytes of a mask, one bool per byte of an
// item, are taken; of the others the array keeps what it has. Without a mask all are.
func (u *Untyped) writeMasked(
	ctx context.Context, part *grid.Partition, plan plan, src []byte, mask []bool,
) (err error) {
	if mask == nil {
		return u.writePlan(ctx, part, plan, src, (*worker).encode)
	}
	at, err := u.beginHeld(ctx, part)
	if err != nil {
		return err
	}
	defer func() {
		if failed := u.endWrite(); failed != nil && err == nil {
			err = failed
		}
	}()
	if d := u.demand(at, plan); d.few && plan.pieces() > 0 {
		return u.hold(ctx, at, plan, src, d, holding{mask: mask})
	}
	if at, err = u.flushMet(ctx, at, plan); err != nil {
		return err
	}
	return u.undoing(func() (bool, error) {
		encode := func(w *worker, u *Untyped, store *frame.Frame, out, src []byte) ([]byte, error) {
			return w.encodeMasked(u, store, out, src, mask)
		}
		done, err := u.stagePlan(ctx, at.view, plan, src, encode)
		return done > 0, err
	})
}

// encodeMasked appends the chunk at hand with the masked bytes of the plan's items in it.
func (w *worker) encodeMasked(u *Untyped, store *frame.Frame, out, src []byte, mask []bool) ([]byte, error) {
	stored, h, err := w.fetch(u, store)
	if err != nil {
		return out, err
	}
	if err := w.decodeRaw(u, store, &h, stored); err != nil {
		return out, err
	}
	size := u.part.BlockSize
	for k := range w.piece.Blocks() {
		b := w.piece.Block(k)
		w.gatherMasked(w.raw[int64(b)*size:][:size], b, src, mask)
	}
	return w.enc.Append(out, w.raw)
}

// gatherMasked puts the masked bytes of the items that the plan has of block b into it.
func (w *worker) gatherMasked(block []byte, b int, src []byte, mask []bool) {
	w.item = append(w.item[:0], block...)
	w.piece.Gather(block, b, src)
	// What was not gathered is the same in both.
	for item := w.item; len(item) >= len(mask); item, block = item[len(mask):], block[len(mask):] {
		for i, taken := range mask {
			if !taken {
				block[i] = item[i]
			}
		}
	}
}
