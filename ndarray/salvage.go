package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// SalvageOptions say how a damaged array is salvaged. Nil and the zero value fill lost chunks with
// zeros.
type SalvageOptions struct {
	chunk.Engine

	// value of lost items; nil means zero. As in Options: a number that the dtype can hold, or an
	// item's bytes as stored in the file
	Fill any

	Overwrite bool       // replace an existing file or directory at the new path
	Workers   int        // blocks of a chunk decoded at the same time; 0 means one per CPU
	FS        storage.FS // file system of both paths; nil means the operating system's
}

// LostBox is a chunk whose items are lost.
type LostBox struct {
	Chunk       int   // its number; Frame.Lost has the reason
	Start, Stop Shape // items from Start up to, not including, Stop in each dimension
}

// SalvageReport is the result of [Salvage].
type SalvageReport struct {
	Frame      frame.SalvageReport
	Shape      Shape
	ChunkShape Shape
	DType      string
	Boxes      []LostBox // the first 65536 lost parts
}

// maxBoxes is the most lost parts that a report lists.
const maxBoxes = 1 << 16

// Salvage copies everything that is intact in a damaged array into a new one, as [frame.Salvage]
// does, and reports which items are lost. Without an intact b2nd metalayer it fails with
// [cairn.ErrNotFound] and writes nothing; then only frame.Salvage can help. in is only read; o may
// be nil.
func Salvage(ctx context.Context, in, out string, o *SalvageOptions) (SalvageReport, error) {
	if o == nil {
		o = &SalvageOptions{}
	}
	workers := o.Workers
	if workers == 0 { // frame.Salvage reports a negative number
		workers = parallel.Workers(0)
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
		Fill: fill, Overwrite: o.Overwrite, Workers: workers, Engine: o.Engine, FS: o.FS,
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

// parseArrayLayer returns the geometry that the metalayers of a frame describe.
func parseArrayLayer(layers []meta.Layer) (*meta.B2ND, error) {
	if i := arrayLayer(layers); i >= 0 {
		return meta.ParseB2ND(layers[i].Content)
	}
	return nil, fmt.Errorf("no %s metalayer is left, so there is no array: %w", meta.LayerB2ND, cairn.ErrNotFound)
}

// boxes adds the boxes of the lost chunks to the report.
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

// check opens the new array, which finds chunks that do not fit the shape.
func (r *SalvageReport) check(out string, o *SalvageOptions) error {
	u, err := Open(out, &OpenOptions{FS: o.FS, Engine: o.Engine})
	if err != nil {
		return fmt.Errorf("salvage: the salvaged frame is not an array: %w", err)
	}
	if have := int64(u.frame.NumChunks()); have < u.part.ChunkCount {
		err = cairn.Corruptf("array", -1, "%d chunks were saved, the shape needs %d", have, u.part.ChunkCount)
	}
	if closed := u.Close(); err == nil {
		err = closed
	}
	return err
}
