package frame

import (
	"context"
	"fmt"
	"iter"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/meta"
)

// Arrange replaces the chunks of the frame by runs of old and new chunks, and sets fixed
// metalayers.
func (d *insideFrame) Arrange(ctx context.Context, runs iter.Seq[inside.Run], layers ...meta.Layer) error {
	return d.edit.change(ctx, func(next change) error {
		for _, l := range layers {
			if err := next.setLayer(l); err != nil {
				return err
			}
		}
		a := arranger{v: next, out: index.Repeat(0, next.index.Fill())}
		for r := range runs {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := a.add(ctx, r); err != nil {
				return err
			}
		}
		return a.finish(ctx)
	})
}

// arranger is the state of one call of Arrange.
type arranger struct {
	v    change // has the old index until finish
	out  index.Index
	next int   // the first old chunk behind those of earlier runs
	last int64 // decoded bytes of the old last chunk; set by checkEven
	done bool  // out ends with a short chunk, so nothing may follow
}

// add appends a run.
func (a *arranger) add(ctx context.Context, r inside.Run) error {
	switch {
	case r.Count < 0 || r.Encoded == nil && (r.First < a.next || r.Count > a.v.index.Len()-r.First):
		return fmt.Errorf("%d chunks from chunk %d on, behind chunk %d of %d: %w",
			r.Count, r.First, a.next-1, a.v.index.Len(), cairn.ErrBounds)
	case r.Count > format.MaxChunks-a.out.Len():
		return fmt.Errorf("%d more chunks than %d: %w: at most %d are possible",
			r.Count, a.out.Len(), cairn.ErrLimit, format.MaxChunks)
	case r.Count == 0:
		return nil
	case a.done:
		return fmt.Errorf("a chunk of %d bytes before others of %d: %w", a.last, a.v.head.ChunkSize,
			cairn.ErrUnsupported)
	}
	if err := a.checkEven(); err != nil {
		return err
	}

	if r.Encoded != nil {
		return a.addNew(ctx, r)
	}
	if err := a.drop(ctx, r.First); err != nil {
		return err
	}

	var err error
	a.out, err = a.out.AppendFrom(a.v.index, r.First, r.Count)
	a.next = r.First + r.Count
	a.done = a.next == a.v.index.Len() && a.last < int64(a.v.head.ChunkSize)
	return err
}

// checkEven fails unless all chunks have the same size, except the last, which may be shorter.
func (a *arranger) checkEven() error {
	ok, err := a.v.regular()
	if err != nil {
		return err
	}
	if !ok || a.v.head.ChunkSize <= 0 {
		return fmt.Errorf("arranging chunks of individual sizes: %w", cairn.ErrUnsupported)
	}
	a.last, err = a.v.lastSize()
	return err
}

// addNew appends a run of new chunks.
func (a *arranger) addNew(ctx context.Context, r inside.Run) error {
	h, err := checkEncoded(r.Encoded)
	if err != nil {
		return err
	}
	if h.NBytes != a.v.head.ChunkSize {
		return fmt.Errorf("a chunk of %d bytes among chunks of %d: %w", h.NBytes, a.v.head.ChunkSize, cairn.ErrBounds)
	}

	if err := a.v.admit(h, a.v.index.Len() == 0); err != nil {
		return err
	}
	for count := r.Count; count > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		entry, err := a.v.entryFor(a.v.whole(r.Encoded), h)
		if err != nil {
			return err
		}

		if entry < 0 {
			a.out, err = a.out.AppendRun(entry, count)
			return err
		}
		if a.out, err = a.out.Append(entry); err != nil {
			return err
		}
		count--
	}

	return nil
}

// drop subtracts the old chunks from a.next up to before, which no run contains, from the live
// bytes.
func (a *arranger) drop(ctx context.Context, before int) error {
	v := a.v
	if v.live == unknownLive && !v.countsLive() {
		return nil
	}
	for i := a.next; i < before; {
		entry, err := v.entryAt(i)
		if err != nil {
			return err
		}
		if entry < 0 {
			i += v.index.Run(i)
			continue
		}

		if err := ctx.Err(); err != nil {
			return err
		}
		_, stored, err := v.sizes(i)
		if err != nil {
			return err
		}
		v.lose(stored)
		i++
	}

	return nil
}

// finish stores the new index in the draft.
func (a *arranger) finish(ctx context.Context) error {
	v := a.v
	if a.next < v.index.Len() {
		if err := a.checkEven(); err != nil {
			return err
		}
		if err := a.drop(ctx, v.index.Len()); err != nil {
			return err
		}
	}

	size := int64(v.head.ChunkSize)
	v.index = a.out
	v.last = 0
	v.head.NBytes = 0
	if n := int64(a.out.Len()); n > 0 {
		v.last = size
		if a.done {
			v.last = a.last
		}
		v.head.NBytes = (n-1)*size + v.last
	}

	return nil
}
