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

// UsermetaLayer is the name under which the unnamed user metadata of a frame of the betas of 2.0.0
// is found among the metalayers of variable length.
const UsermetaLayer = format.UsermetaLayer

// SetMeta stages a fixed metalayer, new or changed. With the length it had, it changes in place at
// the commit; otherwise the commit rewrites the frame, unless that has no chunks yet.
func (f *Frame) SetMeta(name string, content []byte) error {
	set := f.alter
	if name == meta.LayerB2ND || name == meta.LayerCaterva { // which says what the items are
		set = f.change
	}
	return set(context.Background(), func(next *draft) error {
		return f.setLayer(next, meta.Layer{Name: name, Content: content})
	})
}

// setLayer puts a fixed metalayer, of which it keeps a copy, into a state.
func (f *Frame) setLayer(next *draft, l meta.Layer) error {
	l.Content = slices.Clone(l.Content)
	next.layers = withLayer(next.layers, l)
	if len(next.layers) > metalist.MaxLayers {
		return fmt.Errorf("metalayer %q: %w: a frame has at most %d", l.Name, cairn.ErrLimit, metalist.MaxLayers)
	}
	return f.headerChanged(next)
}

// headerChanged checks changed fixed metalayers. In a new file without chunks the data section
// simply begins elsewhere.
func (f *Frame) headerChanged(next *draft) error {
	if err := metalist.Validate(next.layers, metalist.MaxLayers); err != nil {
		return err
	}
	next.head.HeaderLen = format.HeaderSize(next.layers)
	if limit := f.env.engine.Limits.MaxHeader; next.head.HeaderLen > limit {
		return fmt.Errorf("header of %d bytes: %w: MaxHeader is %d", next.head.HeaderLen, cairn.ErrLimit, limit)
	}
	f.writer.moveBase(next)
	return nil
}

// SetVL stages a metalayer of variable length, new or changed. A 17th fails with ErrLimit: C-Blosc2
// could never change such a frame again.
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

// encodeLayer makes a metalayer of variable length as python-blosc2 stores them: bytes, Zstd at
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
