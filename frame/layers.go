package frame

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
)

// UsermetaLayer is the name that the unnamed user metadata of frames of the betas of 2.0.0 gets
// among the vlmetalayers.
const UsermetaLayer = format.UsermetaLayer

// SetMeta stages a new or changed fixed metalayer. If the content has the same length as before,
// the commit changes it in place; otherwise the commit rewrites the frame, unless it has no chunks
// yet.
func (f *Frame) SetMeta(name string, content []byte) error {
	set := f.alter
	if name == meta.LayerB2ND || name == meta.LayerCaterva { // it defines the items
		set = f.change
	}
	return set(context.Background(), func(next *draft) error {
		return f.setLayer(next, meta.Layer{Name: name, Content: content})
	})
}

// setLayer adds a copy of a fixed metalayer to a draft, or replaces the one of its name.
func (f *Frame) setLayer(next *draft, l meta.Layer) error {
	l.Content = slices.Clone(l.Content)
	next.layers = withLayer(next.layers, l)
	if len(next.layers) > metalist.MaxLayers {
		return fmt.Errorf("metalayer %q: %w: a frame has at most %d", l.Name, cairn.ErrLimit, metalist.MaxLayers)
	}
	return f.headerChanged(next)
}

// headerChanged checks changed fixed metalayers and updates the length of the header.
func (f *Frame) headerChanged(next *draft) error {
	if err := metalist.Validate(next.layers, metalist.MaxLayers); err != nil {
		return err
	}
	next.head.HeaderLen = format.HeaderSize(next.layers)
	if limit := f.env.engine.Limits.MaxHeader; next.head.HeaderLen > limit {
		return fmt.Errorf("header of %d bytes: %w: MaxHeader is %d", next.head.HeaderLen, cairn.ErrLimit, limit)
	}
	f.moveBase(next)
	return nil
}

// moveBase tells the writer that the length of the header of next may have changed.
func (f *Frame) moveBase(next *draft) {
	if w, ok := f.writer.(compactor); ok {
		w.moveBase(next)
	}
}

// SetVL stages a new or changed metalayer of variable length. A 17th one fails with ErrLimit:
// C-Blosc2 could no longer change such a frame.
func (f *Frame) SetVL(name string, value []byte) error {
	return f.alter(context.Background(), func(next *draft) error {
		l, err := encodeLayer(name, value)
		if err != nil {
			return err
		}
		before := len(next.vl)
		next.vl = withLayer(next.vl, l)
		if len(next.vl) > max(before, metalist.MaxVLLayersPortable) {
			return fmt.Errorf("variable-length metalayer %q: %w: a frame has at most %d", name,
				cairn.ErrLimit, metalist.MaxVLLayersPortable)
		}
		return f.checkVL(next)
	})
}

// encodeLayer encodes a metalayer of variable length as python-blosc2 does: type size 1, Zstd at
// level 5.
func encodeLayer(name string, value []byte) (meta.Layer, error) {
	e, err := chunk.NewEncoder(nil)
	if err != nil {
		return meta.Layer{}, err
	}
	c, err := e.Append(nil, value)
	if err != nil {
		return meta.Layer{}, fmt.Errorf("variable-length metalayer %q: %w", name, err)
	}
	return meta.Layer{Name: name, Content: c}, nil
}

func (f *Frame) checkVL(next *draft) error {
	if err := metalist.Validate(next.vl, metalist.MaxVLLayers); err != nil {
		return err
	}
	if size := metalist.TrailerSize(next.vl); size > f.env.engine.Limits.MaxTrailer {
		return fmt.Errorf("trailer of %d bytes: %w: MaxTrailer is %d", size, cairn.ErrLimit,
			f.env.engine.Limits.MaxTrailer)
	}
	return nil
}

// DeleteVL stages the removal of a metalayer of variable length, or fails with ErrNotFound.
func (f *Frame) DeleteVL(name string) error {
	return f.alter(context.Background(), func(next *draft) error {
		i := layerNamed(next.vl, name)
		if i < 0 {
			return fmt.Errorf("variable-length metalayer %q: %w", name, cairn.ErrNotFound)
		}
		next.vl = slices.Delete(next.vl, i, i+1)
		return nil
	})
}
