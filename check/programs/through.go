package main

import (
	"context"
	"slices"

	"github.com/cairn-go/cairn/ndarray"
)

// visit reads or writes points, masks and views.
func (s *subject) visit(ctx context.Context, st *step) result {
	switch st.Do {
	case doPoints:
		data := make([]byte, len(st.Points)*s.Size)
		err := s.u.ReadPoints(ctx, data, slices.Concat(st.Points...))
		return result{shape: []int64{int64(len(st.Points))}, data: data, err: err}
	case doScatter:
		return result{err: s.u.WritePoints(ctx, noise(st.Seed, len(st.Points)*s.Size), slices.Concat(st.Points...))}
	case doMask:
		data, err := s.u.ReadWhere(ctx, ndarray.Items(st.mask(s.u.Shape()), s.u.Shape()))
		return result{shape: []int64{int64(len(data) / s.Size)}, data: data, err: err}
	case doPaint:
		mask := st.mask(s.u.Shape())
		n := 0
		for _, v := range mask {
			if v {
				n++
			}
		}
		return result{err: s.u.WriteWhere(ctx, noise(st.Seed, n*s.Size), ndarray.Items(mask, s.u.Shape()))}
	}

	// The view after applying the turns of a step.
	v := s.u.View()
	for _, t := range st.Lens {
		switch t.Do {
		case "slice":
			v = v.Slice(selectors(t.Key)...)
		case "transpose":
			v = v.Transpose(t.Axes...)
		case "squeeze":
			v = v.Squeeze(t.Axes[0])
		case "expand":
			v = v.ExpandDims(t.Axes[0])
		case "flip":
			v = v.Flip(t.Axes[0])
		}
	}
	if err := v.Err(); err != nil {
		return result{err: err}
	}
	if st.Do == doThrough {
		return result{err: v.Write(ctx, noise(st.Seed, int(v.Len())*s.Size))}
	}
	data, err := v.Read(ctx)
	return result{shape: v.Shape(), data: data, err: err}
}

// join replaces the array by a concatenation of it with another one.
func (s *subject) join(ctx context.Context, st *step) error {
	shape := s.u.Shape()
	shape[st.Axis] = st.At
	other, err := ndarray.NewUntyped(s.DType, shape, &ndarray.Options{ChunkShape: st.Chunks, BlockShape: st.Blocks})
	if err != nil {
		return err
	}
	defer other.Close()
	if err := other.Write(ctx, s.slab(st, st.At)); err != nil {
		return err
	}
	return s.copied(ctx, ndarray.Concat(st.Axis, s.u, other), &ndarray.CopyOptions{Workers: s.Workers, FS: s.fs})
}
