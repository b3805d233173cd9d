package ndarray

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// create makes the new array at path, or in memory if that is empty, without committing it: with the encoding and the metalayers of the state at of an array, of zeros, which
// fill then replaces.
func (p *copying) create(ctx context.Context, path string, u *Untyped, at *moment,
	fill func(context.Context, *Untyped) error) (made *Untyped, err error) {
	fo := p.options.frame(u)
	fo.Progress = nil
	if fo.Meta, err = newLayers(u, at, p.to); err != nil {
		return nil, err
	}
	fo.Workers, fo.First, fo.ChunkSize, fo.BlockSize = p.workers, -1, int(p.to.ChunkSize), int(p.to.BlockSize)
	f, err := newFrame(ctx, at.view, path, fo)
	if err != nil {
		return nil, err
	}
	err = orAbort(f, func() (err error) {
		if p.to.ChunkCount > 0 {
			err = f.AppendSpecial(ctx, chunk.SpecialZeros, p.to.ChunkCount*p.to.ChunkSize)
		}
		if err == nil {
			made, err = newUntyped(f, p.settings(fo, path))
		}
		if err == nil && p.to.ChunkCount > 0 {
			err = fill(ctx, made)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	made.workers, made.memory, made.initial = u.workers, u.memory, f.Inside().Savepoint()
	return made, nil
}

// newLayers returns the metalayers of a state of an array with another geometry, which is always written in today's form.
func newLayers(u *Untyped, at *moment, to *grid.Partition) ([]meta.Layer, error) {
	m := meta.B2ND{Shape: slices.Clone(to.Shape[:to.Dims]), ChunkShape: narrow(to.Chunk[:to.Dims]), BlockShape: narrow(to.Block[:to.Dims]), DType: u.dtypeText}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("new array: %w", err)
	}
	layers := at.view.Layers()
	for _, name := range []string{meta.LayerB2ND, meta.LayerCaterva} {
		if i := slices.IndexFunc(layers, func(l meta.Layer) bool { return l.Name == name }); i >= 0 {
			layers[i] = meta.Layer{Name: meta.LayerB2ND, Content: m.Append(nil)}
			return layers, nil
		}
	}
	return nil, cairn.Corruptf("array", -1, "it has lost its metalayer")
}
