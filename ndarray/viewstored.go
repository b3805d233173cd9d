package ndarray

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// arrayOrigin is an array, as the origin of a view.
type arrayOrigin struct{ a *array }

func (s arrayOrigin) typeSize() int64              { return s.a.part.ItemSize }
func (s arrayOrigin) dtype() meta.DType            { return s.a.dtype }
func (s arrayOrigin) grid() (chunks, blocks Shape) { return s.a.chunkShape(), s.a.blockShape() }
func (s arrayOrigin) maxAlloc() int64              { return s.a.engine.Limits.MaxAlloc }

func (s arrayOrigin) workers() int { return s.a.workers }

func (s arrayOrigin) noteFailure(err *error) { s.a.noteFailure(err) }

func (s arrayOrigin) labels() (Labels, error) { return s.a.allLabels() }

func (s arrayOrigin) check(each func(meta.DType, int) error) error {
	if s.a.dtypeErr != nil {
		return s.a.inArray(s.a.dtypeErr)
	}
	return s.a.inArray(each(s.a.dtype, s.a.typeSize()))
}

func (s arrayOrigin) inOrigin(err error) error { return s.a.inArray(err) }

func (s arrayOrigin) frozen(ctx context.Context, h *freezer) (now origin, err error) {
	at, release, err := s.a.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}

	a := s.a.snapshotAt(at)
	if h.workers > 0 {
		a.workers = h.workers
	}
	h.readers = append(h.readers, a)

	// the lock ends with the freezer, or else at once: the snapshot does not need it
	if h.lock && release != nil {
		h.ends = append(h.ends, release)
	} else {
		defer endRead(release, &err)
	}
	h.ends = append(h.ends, a.closeSnapshot)
	return arrayOrigin{a}, nil
}

func (s arrayOrigin) read(ctx context.Context, dst []byte, m selection.Mesh, host bool) (err error) {
	at, release, err := s.a.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)

	if start, stop, ok := m.Box(s.typeSize()); ok {
		return s.a.readBox(ctx, at, dst, start[:len(m.Axes)], stop[:len(m.Axes)], hostSwap(s.a.dtype, host))
	}
	return s.a.readMesh(ctx, at, dst, m, hostSwap(s.a.dtype, host))
}

func (s arrayOrigin) write(ctx context.Context, src []byte, m selection.Mesh, host bool, mask []bool) error {
	if len(m.Memory.Spread) > 0 {
		if len(src) == 0 { // a new dimension that was sliced to nothing
			return ctx.Err()
		}
		return errRepeats
	}

	c := change{src: src, swap: hostSwap(s.a.dtype, host), mask: mask}
	if start, stop, ok := m.Box(s.typeSize()); ok {
		return s.a.writeBox(ctx, c, start[:len(m.Axes)], stop[:len(m.Axes)])
	}
	return s.a.writeMesh(ctx, s.a.geometry(), c, m)
}

func (s arrayOrigin) fill(ctx context.Context, value encodeValue, m selection.Mesh) error {
	if len(m.Memory.Spread) > 0 {
		return errRepeats
	}
	item, err := value(s.a.dtype, s.a.typeSize())
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return s.a.writeMesh(ctx, s.a.geometry(), change{src: item, fill: true}, m)
}

var errRepeats = fmt.Errorf("write to a view that repeats items: %w", cairn.ErrReadOnly)

// view returns a view of the whole array.
func (a *array) view() UntypedView {
	return UntypedView{of: arrayOrigin{a}, sel: selection.Everything(a.shape()), err: a.noItems()}
}

// whole returns the array if the view is a whole, unchanged array, or nil.
func (v UntypedView) whole() *array {
	s, ok := v.of.(arrayOrigin)
	if !ok || v.Err() != nil {
		return nil
	}
	if v.sel.Plain() && slices.Equal(v.sel.Size, s.a.shape()) {
		return s.a
	}
	return nil
}
