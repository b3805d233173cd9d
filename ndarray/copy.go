package ndarray

import (
	"context"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// CopyOptions say what is to be different in the copy of an array. Nil and the zero value mean nothing. Shape, dtype, byte order and metalayers, those of variable
// length included, are always those of the array.
type CopyOptions struct {
	ChunkShape Shape // items per dimension of a chunk; nil means the array's
	BlockShape Shape // items per dimension of a block; nil means the array's, or what suits a ChunkShape that is given
	AutoShapes bool  // choose by [AutoPartition] what of the two is not given

	Codec   codecs.Codec     // zero means the array's
	Level   int              // 1 to 9, or chunk.Stored for no compression; 0 means the array's
	Filters []shuffle.Spec   // nil means the array's; shuffle.None alone means none
	Split   *chunk.SplitMode // nil means the array's
	// encode chunks again even if all of that is the array's: single chunks may have been encoded
	// otherwise
	Recode bool

	Layout    frame.Layout // one file or a directory; zero means as the array
	Overwrite bool         // replace what has the name, instead of failing
	FS        storage.FS   // where the path is; nil means the operating system

	Workers int   // goroutines; 0 means one per CPU. What is written does not depend on it
	Memory  int64 // bytes that the copy should not exceed; 0 means 256 MiB, or half of the limit that GOMEMLIMIT or debug.SetMemoryLimit sets, if that is less

	Durability    frame.Durability // what the commit waits for
	Deterministic bool             // write nothing but what C-Blosc2 writes too, byte for byte, and so no checksums

	// Progress is told how many bytes of items are done, of how many, padding included, by one goroutine at a time. It must not use the copy.
	Progress func(done, total int64)
}

// Validate names the first field that makes no sense for any array. Shapes are checked when the array is known.
func (o *CopyOptions) Validate() error {
	switch {
	case o == nil:
		return nil
	case o.Workers < 0:
		return fmt.Errorf("copy options: Workers is %d, must not be negative", o.Workers)
	case o.Memory < 0:
		return fmt.Errorf("copy options: Memory is %d, must not be negative", o.Memory)
	}
	return o.frame(nil).Validate()
}

// frame returns the options for the copy of the frame.
func (o *CopyOptions) frame(u *Untyped) *frame.CopyOptions {
	fo := &frame.CopyOptions{
		Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split, Recode: o.Recode,
		Layout: o.Layout, Overwrite: o.Overwrite, FS: o.FS, Durability: o.Durability, Deterministic: o.Deterministic, Progress: o.Progress,
	}
	if u != nil {
		fo.Limits, fo.Codecs, fo.FilterSet = u.limits, u.encode.Codecs, u.encode.FilterSet
	}
	return fo
}

// Save writes a copy of the array, with what is staged, to path: [PlanCopy] and [CopyPlan.Run] in one call. o may be nil; then chunks are taken over as they
// are encoded.
func (u *Untyped) Save(ctx context.Context, path string, o *CopyOptions) error {
	u = u.own()
	p, err := PlanCopy(u, o)
	if err != nil {
		return err
	}
	return p.Run(ctx, path)
}

// Copy returns a copy of the array, with what is staged, in memory; see [PlanCopy]. The caller closes it. o may be nil.
func (u *Untyped) Copy(ctx context.Context, o *CopyOptions) (*Untyped, error) {
	u = u.own()
	p, err := PlanCopy(u, o)
	if err != nil {
		return nil, err
	}
	return p.RunNew(ctx)
}

// Run makes the copy at path. The name comes into being when the copy is complete; an error, or the end of ctx, leaves nothing behind. It fails with
// [cairn.ErrConflict] if the array has another shape than it had when the copy was planned. A plan can run any number of times.
func (p *CopyPlan) Run(ctx context.Context, path string) error {
	u, err := p.run(ctx, path, func(at *moment, fo *frame.CopyOptions) (*frame.Frame, error) {
		return frame.CreateCopy(ctx, path, at.view, fo)
	})
	if err != nil {
		return err
	}
	if err := orAbort(u, func() error { return u.Commit(ctx) }); err != nil {
		return err
	}
	return u.Close()
}

// RunNew is Run into memory. The result, which the caller closes, is not counted in PeakMemory.
func (p *CopyPlan) RunNew(ctx context.Context) (*Untyped, error) {
	return p.run(ctx, "", func(at *moment, fo *frame.CopyOptions) (*frame.Frame, error) {
		return frame.NewCopy(ctx, at.view, fo)
	})
}

// run makes the copy in a new frame, without committing it.
func (p *CopyPlan) run(ctx context.Context, name string, create func(*moment, *frame.CopyOptions) (*frame.Frame, error)) (copied *Untyped, err error) {
	u := p.source
	at, release, err := u.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave(release, &err)
	if at.part.Shape != p.from.Shape {
		return nil, u.inArray(fmt.Errorf("copy: the shape was changed from %v to %v since it was planned: %w",
			u.vec(p.from.Shape), u.vec(at.part.Shape), cairn.ErrConflict))
	}
	fo, err := p.frameOptions(at)
	if err != nil {
		return nil, err
	}
	f, err := create(at, fo)
	if err != nil {
		return nil, err
	}
	err = orAbort(f, func() (err error) {
		copied, err = newUntyped(f, p.settings(fo, name))
		if err == nil && p.method == CopyRechunk {
			err = p.rechunk(ctx, at, copied)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	copied.workers, copied.memory, copied.initial = u.workers, u.memory, f.Inside().Savepoint()
	return copied, nil
}

// settings are those of the handle that makes the copy.
func (p *CopyPlan) settings(fo *frame.CopyOptions, name string) settings {
	return settings{
		workers: p.workers, memory: p.options.Memory, limits: p.source.limits,
		codecs: fo.Codecs, filters: fo.FilterSet, name: name,
	}
}

// frameOptions returns how the frame of the copy is made: with all chunks, or for new shapes without any.
func (p *CopyPlan) frameOptions(at *moment) (*frame.CopyOptions, error) {
	layers, err := newLayers(p.source, at, p.to)
	if err != nil {
		return nil, err
	}
	fo := p.options.frame(p.source)
	fo.Workers, fo.Meta = p.workers, layers
	fo.ChunkSize, fo.BlockSize = int(p.to.ChunkSize), int(p.to.BlockSize)
	fo.First = int(p.to.ChunkCount)
	if p.method == CopyRechunk || fo.First == 0 {
		fo.First = -1
	}
	return fo, nil
}
