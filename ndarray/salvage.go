package ndarray

import (
	"cmp"
	"context"
	"errors"
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
		b, err = parseArrayLayer(layers)
		if err != nil || o.Fill == nil {
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
	if b != nil { // the report is for callers of a failed call too
		r.Shape = b.Shape
		r.ChunkShape = widen(b.ChunkShape)
		r.DType = b.DType
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
	grid := b.Grid()
	count := b.NumChunks()
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

	have := int64(u.frame.NumChunks())
	if have < u.part.ChunkCount {
		err = cairn.Corruptf("array", -1, "%d chunks were saved, the shape needs %d", have, u.part.ChunkCount)
	}
	return cmp.Or(err, u.Close())
}

// Report is the result of [Verify].
type Report struct {
	Frame      frame.Report
	Shape      Shape
	ChunkShape Shape
	BlockShape Shape
	DType      string
	Surplus    int64 // chunks in excess of the shape: legal, and ignored by readers
	// chunks whose block size differs from the metalayer's: legal, but always decoded whole
	Recut int64
	// a remark if the dtype is not understood or has another size than the items; files of C-Blosc2
	// with such dtypes exist
	DTypeNote string
	Faults    []error // errors in the geometry, up to 100; those of the frame are in Frame
}

const maxFaults = 100

func (r *Report) fault(err error) {
	if err != nil && len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, err)
	}
}

// Verify checks the array at path: everything that [frame.Verify] checks, which decodes every
// chunk, and that the chunks are those that the shape needs. It returns the first fault as its
// error; the report has the others. o may be nil; the array is opened read-only, whatever o says.
func Verify(ctx context.Context, path string, o *OpenOptions) (Report, error) {
	options := OpenOptions{}
	if o != nil {
		options = *o
	}
	options.Mode = ReadOnly
	options.Workers = parallel.Workers(options.Workers)

	var r Report
	var err error
	r.Frame, err = frame.Verify(ctx, path, options.frame())
	if err != nil && (len(r.Frame.Faults) == 0 || ctx.Err() != nil) {
		return r, err
	}

	// the geometry of a frame with faults is checked too, but the first fault is the frame's
	u, failed := Open(path, &options)
	if failed != nil {
		return r, cmp.Or(err, failed)
	}
	failed = u.verify(ctx, &r)
	failed = errors.Join(failed, u.Close())
	return r, cmp.Or(err, failed)
}

// verify checks the geometry of chunks after frame.Verify has checked their contents.
func (a *array) verify(ctx context.Context, r *Report) (err error) {
	r.Shape = a.shape()
	r.ChunkShape = a.chunkShape()
	r.BlockShape = a.blockShape()
	r.DType = a.dtypeText
	if d, err := meta.ParseDType(a.dtypeText); err != nil {
		r.DTypeNote = fmt.Sprintf("dtype %q is not understood", a.dtypeText)
	} else if d.Size() != a.typeSize() {
		r.DTypeNote = fmt.Sprintf("dtype %q has %d bytes, but items have %d", a.dtypeText, d.Size(), a.typeSize())
	}

	release := a.hold(nil)
	defer endRead(release, &err)
	at, err := a.state()
	if err != nil {
		return err
	}

	view := at.view
	part := at.part
	have := int64(view.NumChunks())
	if have < part.ChunkCount {
		r.fault(a.inArray(cairn.Corruptf("array", -1,
			"the frame has %d chunks, the shape needs %d", have, part.ChunkCount)))
	}
	r.Surplus = max(0, have-part.ChunkCount)

	// a run of equal special chunks is looked at once, as there may be a hundred million of them
	for i, run := int64(0), int64(0); i < min(have, part.ChunkCount); i += run {
		run = int64(view.Inside().SpecialRun(int(i)))
		if err := ctx.Err(); err != nil {
			return err
		}

		info, err := view.Peek(int(i))
		if err != nil && len(r.Frame.Faults) > 0 {
			run = max(1, run)
			continue // already reported
		}
		if err != nil {
			return err
		}

		if err := checkChunk(part, info.Header); err != nil {
			r.fault(a.inArray(cairn.InChunk(err, i, info.Offset)))
		} else if !info.InIndex && int64(info.Header.Layout().BlockSize) != part.BlockSize {
			r.Recut++
		}
	}

	if len(r.Faults) > 0 {
		return fmt.Errorf("geometry: %w", r.Faults[0])
	}
	return nil
}
