package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray/internal/selection"
)

// arrayOrigin is an array, as the origin of a view.
type arrayOrigin struct{ u *Untyped }

func (s arrayOrigin) typeSize() int64              { return s.u.part.ItemSize }
func (s arrayOrigin) dtype() meta.DType            { return s.u.dtype }
func (s arrayOrigin) grid() (chunks, blocks Shape) { return s.u.Grid() }
func (s arrayOrigin) maxAlloc() int64              { return s.u.engine.Limits.MaxAlloc }

func (s arrayOrigin) workers() int { return s.u.workers }

func (s arrayOrigin) check(each func(meta.DType, int) error) error {
	if s.u.dtypeErr != nil {
		return s.u.inArray(s.u.dtypeErr)
	}
	return s.u.inArray(each(s.u.dtype, s.u.TypeSize()))
}

func (s arrayOrigin) inOrigin(err error) error { return s.u.inArray(err) }

func (s arrayOrigin) frozen(ctx context.Context, h *freezer) (now origin, err error) {
	at, release, err := s.u.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}
	u := s.u.snapshotAt(at)
	if h.workers > 0 {
		u.workers = h.workers
	}
	if h.readers = append(h.readers, u); h.lock && release != nil {
		h.ends = append(h.ends, release)
	} else {
		defer endRead(release, &err)
	}
	h.ends = append(h.ends, u.Close)
	return arrayOrigin{u}, nil
}

// hostSwap returns the width of the numbers whose byte order must be reversed for a host operation,
// 0 for none.
func hostSwap(d meta.DType, host bool) int {
	if host {
		return govalue.Swap(d)
	}
	return 0
}

func (s arrayOrigin) read(ctx context.Context, dst []byte, m selection.Mesh, host bool) (err error) {
	at, release, err := s.u.beginRead(ctx)
	if err != nil {
		return err
	}
	defer endRead(release, &err)
	if start, stop, ok := m.Box(s.typeSize()); ok {
		return s.u.readBox(ctx, at, dst, start[:len(m.Axes)], stop[:len(m.Axes)], hostSwap(s.u.dtype, host))
	}
	return s.u.readMesh(ctx, at, dst, m, hostSwap(s.u.dtype, host))
}

func (s arrayOrigin) write(ctx context.Context, src []byte, m selection.Mesh, host bool, mask []bool) error {
	if len(m.Memory.Spread) > 0 {
		if len(src) == 0 { // a new dimension that was sliced to nothing
			return ctx.Err()
		}
		return errRepeats
	}
	c := change{src: src, swap: hostSwap(s.u.dtype, host), mask: mask}
	if start, stop, ok := m.Box(s.typeSize()); ok {
		return s.u.writeBox(ctx, c, start[:len(m.Axes)], stop[:len(m.Axes)])
	}
	return s.u.writeMesh(ctx, s.u.geometry(), c, m)
}

func (s arrayOrigin) fill(ctx context.Context, value encodeValue, m selection.Mesh) error {
	if len(m.Memory.Spread) > 0 {
		return errRepeats
	}
	item, err := value(s.u.dtype, s.u.TypeSize())
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return s.u.writeMesh(ctx, s.u.geometry(), change{src: item, fill: true}, m)
}

var errRepeats = fmt.Errorf("write to a view that repeats items: %w", cairn.ErrReadOnly)
