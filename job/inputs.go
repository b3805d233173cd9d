package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/cf/values"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// An Opener opens an input of a job. The caller calls close when it no longer needs the source.
type Opener func(ctx context.Context, path string) (src ndarray.Source, close func() error, err error)

// Arrays returns an Opener for files, directories and, if fsys is one of [storage.BucketFS], arrays
// in a bucket. nil means the operating system's files.
func Arrays(fsys storage.FS) Opener {
	return func(_ context.Context, path string) (ndarray.Source, func() error, error) {
		u, err := ndarray.Open(path, &ndarray.OpenOptions{FS: fsys})
		if err != nil {
			return nil, nil, err
		}
		return u, u.Close, nil
	}
}

// inputs are the open inputs of a job.
type inputs struct {
	identities []string
	each       []ndarray.Source // what is taken of them
	whole      ndarray.Source   // what the output is a copy of, or nil for Reduce
	// what Reduce computes
	division *compute.Division
	selected []string // dimensions that the expression cuts
	close    []func() error
	late     joins.Pool // those that are open only while they are read
}

// Close closes all inputs.
func (in *inputs) Close() error {
	var errs []error
	for _, end := range in.close {
		errs = append(errs, end())
	}
	in.close = nil
	in.late.Close()
	return errors.Join(errs...)
}

// with opens the inputs, calls do, and closes them.
func (p *Plan) with(ctx context.Context, open Opener, memory int64, do func(in *inputs) error) error {
	in, err := p.open(ctx, open, memory)
	if err != nil {
		return err
	}
	return errors.Join(do(in), in.Close())
}

// open opens the inputs. An expression gets a share of the memory.
func (p *Plan) open(ctx context.Context, open Opener, memory int64) (*inputs, error) {
	in := &inputs{}
	err := p.openEach(ctx, open, in)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}

	if err = p.combine(ctx, in, memory); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// openEach opens the inputs, the first ones for good and the others when they are read.
func (p *Plan) openEach(ctx context.Context, open Opener, in *inputs) error {
	for i, input := range p.Inputs {
		src, identity, end, err := input.open(ctx, open)
		if err != nil {
			return err
		}
		in.identities = append(in.identities, identity)
		input.Identity = identity

		if i < joins.Few {
			in.close = append(in.close, end)
		} else {
			src, err = in.late.Late(input.Path, src, func(ctx context.Context) (ndarray.Source, func(), error) {
				src, _, end, err := input.open(ctx, open)
				return src, func() { _ = end() }, err
			})
			if err := errors.Join(err, end()); err != nil {
				return naming.In(input.Path, err)
			}
		}

		taken, err := p.taken(src)
		if err != nil {
			return naming.In(input.Path, err)
		}
		in.each = append(in.each, taken)
	}
	return nil
}

// open opens an input, and refuses another one than has been planned.
func (i *Input) open(ctx context.Context, open Opener) (src ndarray.Source, identity string, end func() error, err error) {
	if src, end, err = open(ctx, i.Path); err != nil {
		return nil, "", nil, err
	}

	identity, err = identify(ctx, src)
	if err == nil && i.Identity != "" && identity != i.Identity {
		err = fmt.Errorf("has changed since the job was planned: %w", cairn.ErrConflict)
	}

	if err != nil {
		return nil, "", nil, errors.Join(naming.In(i.Path, err), end())
	}
	return src, identity, end, nil
}

// taken returns what a job takes of an input: the values that its items stand for to compute,
// unless the plan is for items, and the items to copy or join.
func (p *Plan) taken(src ndarray.Source) (ndarray.Source, error) {
	labelled, ok := src.(ndarray.Labelled)
	if !ok || p.Raw || p.Kind != Calc && p.Kind != Reduce {
		return src, nil
	}
	return values.Of(labelled, nil)
}

// combine makes one source of the inputs.
func (p *Plan) combine(ctx context.Context, in *inputs, memory int64) error {
	switch p.Kind {
	case Calc, Reduce:
		if p.Kind == Reduce || p.ID == "" { // a Calc that is being planned may be one
			var err error
			in.division, err = p.division(ctx, in.each, memory)
			if err == nil {
				in.selected = in.division.Results()[0].Selected()
			}
			if p.Kind == Reduce || !errors.Is(err, compute.ErrIndivisible) {
				return err
			}
		}

		e, err := compute.Calc(ctx, p.Expression, p.byName(in.each),
			&compute.CalcOptions{Workers: p.Workers, Memory: memory / 4, By: p.by(),
				Coordinate: noCoordinates})
		if err != nil {
			return err
		}
		in.whole = e
		in.selected = e.Selected()
		return nil
	case Concat:
		var names []string
		for _, input := range p.Inputs {
			names = append(names, input.Path)
		}
		var err error
		in.whole, err = joins.Sources(ctx, p.Axis, names, in.each)
		return err
	}
	in.whole = in.each[0]
	return nil
}

// probeItems is about how many items each probe of an input has at most.
const probeItems = 4096

// identify returns the identity of a source.
func identify(ctx context.Context, src ndarray.Source) (string, error) {
	sum := sha256.New()
	shape := src.Shape()
	d := src.DType()
	chunks, blocks := src.Grid()

	// Metadata and the state of the container, as far as they are known without reading items.
	fmt.Fprintln(sum, shape, d, chunks, blocks)
	if u, ok := src.(*ndarray.Untyped); ok {
		i := u.Info()
		fmt.Fprintln(sum, i.Seq, i.NumChunks, i.NBytes, i.CBytes, i.Live, i.FrameLen)
	}

	// The probes are boxes within a block, so that each decodes little.
	edge := make([]int64, len(shape))
	empty := false
	room := int64(probeItems)
	for k := len(shape) - 1; k >= 0; k-- {
		edge[k] = min(shape[k], room)
		if k < len(blocks) && blocks[k] > 0 {
			edge[k] = min(edge[k], blocks[k])
		}
		empty = empty || shape[k] == 0
		room /= max(1, edge[k])
		room = max(1, room)
	}

	for probe := range int64(3) { // at the beginning, in the middle and at the end
		if empty {
			break
		}
		start := make([]int64, len(shape))
		stop := make([]int64, len(shape))
		items := int64(1)
		for k, n := range shape {
			start[k] = (n - edge[k]) / 2 * probe
			if probe == 2 {
				start[k] = n - edge[k]
			}
			stop[k] = start[k] + edge[k]
			items *= edge[k]
		}

		raw := make([]byte, items*int64(d.Size()))
		if err := src.ReadBytes(ctx, raw, start, stop); err != nil {
			return "", err
		}
		sum.Write(raw)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}
