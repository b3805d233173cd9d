package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

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
	u, failed := Open(path, &options)
	if failed == nil {
		failed = u.verify(ctx, &r)
		failed = errors.Join(failed, u.Close())
	}
	if err == nil {
		err = failed
	}
	return r, err
}

// verify checks the geometry of chunks after frame.Verify has checked their contents.
func (u *Untyped) verify(ctx context.Context, r *Report) (err error) {
	r.Shape, r.ChunkShape, r.BlockShape, r.DType = u.Shape(), u.chunkShape(), u.blockShape(), u.dtypeText
	if d, err := meta.ParseDType(u.dtypeText); err != nil {
		r.DTypeNote = fmt.Sprintf("dtype %q is not understood", u.dtypeText)
	} else if d.Size() != u.TypeSize() {
		r.DTypeNote = fmt.Sprintf("dtype %q has %d bytes, but items have %d", u.dtypeText, d.Size(), u.TypeSize())
	}
	release := u.hold(nil)
	defer endRead(release, &err)
	at, err := u.state()
	if err != nil {
		return err
	}
	view, part := at.view, at.part
	have := int64(view.NumChunks())
	if have < part.ChunkCount {
		r.fault(u.inArray(cairn.Corruptf("array", -1,
			"the frame has %d chunks, the shape needs %d", have, part.ChunkCount)))
	}
	r.Surplus = max(0, have-part.ChunkCount)
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
			r.fault(u.inArray(cairn.InChunk(err, i, info.Offset)))
		} else if !info.InIndex && int64(info.Header.Layout().BlockSize) != part.BlockSize {
			r.Recut++
		}
	}
	if len(r.Faults) > 0 {
		return fmt.Errorf("geometry: %w", r.Faults[0])
	}
	return nil
}
