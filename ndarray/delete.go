package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
)

// Delete stages that the items from one position along an axis up to, not including, another one go, and those behind move up. Negative positions and axes count from
// the end. Where the number of items is a multiple of the chunk's extent the chunks behind move as they are, and at most the one that the
// deletion begins in is made anew; at the end of the axis nothing is. Otherwise all behind are decoded and encoded again, as in Insert. The bytes of chunks that went stay in a
// contiguous file until it is compacted.
//
// The positions are those in the newest state. Errors match [cairn.ErrBounds] for positions that are none, and nothing has changed then.
func (u *Untyped) Delete(ctx context.Context, axis int, from, to int64) error {
	u = u.own()
	return u.changeShape(ctx, "delete", nil, func(r *reshaping) error {
		p := r.at.part
		axis, err := r.axis(axis)
		if err != nil {
			return err
		}
		begin, err := position(from, p.Shape[axis])
		if err != nil {
			return err
		}
		end, err := position(to, p.Shape[axis])
		if err != nil {
			return err
		}
		s := splice{axis: axis, at: begin, del: end - begin}
		switch {
		case s.del < 0:
			return fmt.Errorf("items from %d to %d: %w", from, to, cairn.ErrBounds)
		case s.del == 0:
			return ctx.Err()
		}
		if err := r.splice(s); err != nil {
			return err
		}
		if err := r.arrange(ctx, make([]byte, u.TypeSize())); err != nil {
			return err
		}
		_, _, err = r.shift(ctx, s, &boxPlan{}, nil)
		return err
	})
}
