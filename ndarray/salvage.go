package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// SalvageOptions say how a damaged array is saved. Nil and the zero value put zeros where chunks
// are lost.
type SalvageOptions struct {
	chunk.Engine

	// value of lost items; nil means zero. As in Options: a number that the dtype can hold, or an
	// item's bytes as the file holds them
	Fill any

	Overwrite bool       // replace what has the name of the new array, instead of failing
	Workers   int        // blocks of a chunk that are decoded at the same time; 0 means 1
	FS        storage.FS // of both arrays; nil means the operating system's files
}

// LostBox is a part of the array whose items are lost: a chunk.
type LostBox struct {
	Chunk       int   // its number; Frame.Lost says why
	Start, Stop Shape // items from Start up to before Stop, in each dimension
}

// SalvageReport is what [Salvage] found.
type SalvageReport struct {
	Frame      frame.SalvageReport
	Shape      Shape
	ChunkShape Shape
	DType      string
	Boxes      []LostBox // the parts that are lost, up to 65536
}

// maxBoxes is how many lost parts a report lists.
const maxBoxes = 1 << 16

// Salvage copies everything that is intact in a damaged array into a new one, as [frame.Salvage]
// does, and says which items are lost. It needs the b2nd metalayer, without which it fails with
// ErrNotFound and writes nothing: there is only a frame then. in is only read; o may be nil.
func Salvage(ctx context.Context, in, out string, o *SalvageOptions) (SalvageReport, error) {
	if o == nil {
		o = &SalvageOptions{}
	}
	var r SalvageReport
	var b *meta.B2ND
	fill := func(typeSize int, layers []meta.Layer) (item []byte, err error) {
		if b, err = parseArrayLayer(layers); err != nil || o.Fill == nil {
			return nil, err
		}
		d, err := meta.ParseDType(b.DType)
		if _, raw := o.Fill.([]byte); err != nil && !raw {
			return nil, err
		}
		return govalue.EncodeItem(d, typeSize, o.Fill)
	}
	var err error
	r.Frame, err = frame.Salvage(ctx, in, out, &frame.SalvageOptions{
		Fill: fill, Overwrite: o.Overwrite, Workers: o.Workers, Engine: o.Engine, FS: o.FS,
	})
	if b != nil {
		r.Shape, r.ChunkShape, r.DType = b.Shape, widen(b.ChunkShape), b.DType
		r.boxes(b)
	}
	if err != nil {
		return r, err
	}
	return r, r.check(out, o)
}

// parseArrayLayer returns the geometry that the metalayers of a frame state.
func parseArrayLayer(layers []meta.Layer) (*meta.B2ND, error) {
	if i := arrayLayer(layers); i >= 0 {
		return meta.ParseB2ND(layers[i].Content)
	}
	return nil, fmt.Errorf("no %s metalayer is left, so there is no array: %w", meta.LayerB2ND, cairn.ErrNotFound)
}

// boxes says which items the lost chunks held.
func (r *SalvageReport) boxes(b *meta.B2ND) {
	grid, count := b.Grid(), b.NumChunks()
	for _, l := range r.Frame.Lost {
		for k := range l.Count {
			number := int64(l.Chunk + k)
			if number >= count || len(r.Boxes) == maxBoxes {
				break
			}
			box := LostBox{Chunk: int(number), Start: make(Shape, len(grid)), Stop: make(Shape, len(grid))}
			for i := len(grid) - 1; i >= 0; i-- {
				box.Start[i] = number % grid[i] * r.ChunkShape[i]
				box.Stop[i] = min(box.Start[i]+r.ChunkShape[i], r.Shape[i])
				number /= grid[i]
			}
			r.Boxes = append(r.Boxes, box)
		}
	}
}

// check opens what was written, which finds chunks that do not fit the shape.
func (r *SalvageReport) check(out string, o *SalvageOptions) error {
	u, err := Open(out, &OpenOptions{FS: o.FS, Engine: o.Engine})
	if err != nil {
		return fmt.Errorf("salvage: what was saved is no array: %w", err)
	}
	if have := int64(u.frame.NumChunks()); have < u.part.ChunkCount {
		err = cairn.Corruptf("array", -1, "%d chunks were saved, the shape needs %d", have, u.part.ChunkCount)
	}
	if closed := u.Close(); err == nil {
		err = closed
	}
	return err
}
