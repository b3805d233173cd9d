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
	e := &f.edit
	set := e.alter
	if name == meta.LayerB2ND || name == meta.LayerCaterva { // it defines the items
		set = e.change
	}
	return set(context.Background(), func(next change) error {
		return next.setLayer(meta.Layer{Name: name, Content: content})
	})
}

// setLayer adds a copy of a fixed metalayer to a draft, or replaces the one of its name.
func (v change) setLayer(l meta.Layer) error {
	l.Content = slices.Clone(l.Content)
	v.layers = withLayer(v.layers, l)
	if len(v.layers) > metalist.MaxLayers {
		return fmt.Errorf("metalayer %q: %w: a frame has at most %d", l.Name, cairn.ErrLimit, metalist.MaxLayers)
	}
	return v.headerChanged()
}

// headerChanged checks changed fixed metalayers and updates the length of the header.
func (v change) headerChanged() error {
	if err := metalist.Validate(v.layers, metalist.MaxLayers); err != nil {
		return err
	}
	v.head.HeaderLen = format.HeaderSize(v.layers)
	if limit := v.env.engine.Limits.MaxHeader; v.head.HeaderLen > limit {
		return fmt.Errorf("header of %d bytes: %w: MaxHeader is %d", v.head.HeaderLen, cairn.ErrLimit, limit)
	}
	v.edit.moveBase(v.draft)
	return nil
}

// moveBase tells the writer that the length of the header of next may have changed.
func (e *editor) moveBase(next *draft) {
	if w, ok := e.writer.(compactor); ok {
		w.moveBase(next)
	}
}

// SetVL stages a new or changed metalayer of variable length. A 17th one fails with ErrLimit:
// C-Blosc2 could no longer change such a frame.
func (f *Frame) SetVL(name string, value []byte) error {
	return f.edit.alter(context.Background(), func(next change) error {
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
		return next.checkVL()
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

func (v change) checkVL() error {
	if err := metalist.Validate(v.vl, metalist.MaxVLLayers); err != nil {
		return err
	}
	if size := metalist.TrailerSize(v.vl); size > v.env.engine.Limits.MaxTrailer {
		return fmt.Errorf("trailer of %d bytes: %w: MaxTrailer is %d", size, cairn.ErrLimit,
			v.env.engine.Limits.MaxTrailer)
	}
	return nil
}

// DeleteVL stages the removal of a metalayer of variable length, or fails with ErrNotFound.
func (f *Frame) DeleteVL(name string) error {
	return f.edit.alter(context.Background(), func(next change) error {
		i := layerNamed(next.vl, name)
		if i < 0 {
			return fmt.Errorf("variable-length metalayer %q: %w", name, cairn.ErrNotFound)
		}
		next.vl = slices.Delete(next.vl, i, i+1)
		return nil
	})
}
