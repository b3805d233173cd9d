package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// stored is an array as the origin of a view.
type stored struct{ u *Untyped }

func (s stored) typeSize() int64              { return s.u.part.ItemSize }
func (s stored) dtype() meta.DType            { return s.u.dtype }
func (s stored) grid() (chunks, blocks Shape) { return s.u.Grid() }
func (s stored) maxAlloc() int64              { return s.u.engine.Limits.MaxAlloc }

func (s stored) workers() int { return s.u.workers }

func (s stored) check(each func(meta.DType, int) error) error {
	if s.u.dtypeErr != nil {
		return s.u.inArray(s.u.dtypeErr)
	}
	return s.u.inArray(each(s.u.dtype, s.u.TypeSize()))
}

func (s stored) inOrigin(err error) error { return s.u.inArray(err) }

func (s stored) frozen(ctx context.Context, h *freezer) (now origin, err error) {
	at, release, err := s.u.enter(ctx)
	if err != nil {
		return nil, err
	}
	u := s.u.frozenAt(at)
	if h.workers > 0 {
		u.workers = h.workers
	}
	if h.readers = append(h.readers, u); h.lock && release != nil {
		h.ends = append(h.ends, release)
	} else {
		defer leave(release, &err)
	}
	h.ends = append(h.ends, u.Close)
	return stored{u}, nil
}

func (s stored) swap(host bool) int {
	if host {
		return govalue.Swap(s.u.dtype)
	}
	return 0
}

func (s stored) read(ctx context.Context, dst []byte, m mesh, host bool) (err error) {
	at, release, err := s.u.enterHeld(ctx)
	if err != nil {
		return err
	}
	defer leave(release, &err)
	if start, stop, ok := m.box(s.typeSize()); ok {
		return s.u.readBox(ctx, at, dst, start[:len(m.axes)], stop[:len(m.axes)], s.swap(host))
	}
	return s.u.readMesh(ctx, at, dst, m, s.swap(host))
}

func (s stored) write(ctx context.Context, src []byte, m mesh, host bool) error {
	if len(m.memory.Spread) > 0 {
		if len(src) == 0 { // a new dimension that was sliced to nothing
			return ctx.Err()
		}
		return errRepeats
	}
	part := s.u.geometry()
	if start, stop, ok := m.box(s.typeSize()); ok {
		return s.u.writeBox(ctx, part, src, start[:len(m.axes)], stop[:len(m.axes)], s.swap(host))
	}
	return s.u.writeMesh(ctx, part, src, m, s.swap(host))
}

func (s stored) writeMasked(ctx context.Context, src []byte, m mesh, mask []bool) error {
	if mask == nil {
		return s.write(ctx, src, m, false)
	}
	if len(m.memory.Spread) > 0 {
		return errRepeats
	}
	part := s.u.geometry()
	var plan meshPlan
	if err := plan.set(part, m, true); err != nil {
		return err
	}
	return s.u.writeMasked(ctx, part, &plan, src, mask)
}

func (s stored) fill(ctx context.Context, value encodeValue, m mesh) error {
	if len(m.memory.Spread) > 0 {
		return errRepeats
	}
	item, err := value(s.u.dtype, s.u.TypeSize())
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return s.u.fillMesh(ctx, s.u.geometry(), item, m)
}

var errRepeats = fmt.Errorf("write to a view that repeats items: %w", cairn.ErrReadOnly)

// box returns the box that the mesh is, if it is one in dense memory of its size.
func (m *mesh) box(itemSize int64) (start, stop grid.Vec, ok bool) {
	if m.memory.Base != 0 || len(m.memory.Spread) > 0 {
		return start, stop, false
	}
	size := itemSize
	for i := len(m.axes) - 1; i >= 0; i-- {
		a := &m.axes[i]
		if a.List != nil || a.Count == 0 || a.Count > 1 && (a.Step != 1 || a.Stride != size) {
			return start, stop, false
		}
		start[i], stop[i] = a.Start, a.Start+a.Count
		if size, ok = grid.Mul(size, a.Count); !ok {
			return start, stop, false
		}
	}
	return start, stop, size == m.memory.Size
}
