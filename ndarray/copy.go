package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// CopyOptions say how a copy differs from its source. Nil and the zero value mean no difference.
// Shape, dtype and byte order are always those of the source. Encoding and metalayers,
// variable-length ones included, are those of the first array in the source, if it contains one.
type CopyOptions struct {
	ChunkShape Shape // items per dimension of a chunk; nil means the array's
	// items per dimension of a block; nil means the array's, or a choice that suits ChunkShape if
	// that is given
	BlockShape Shape
	AutoShapes bool // choose shapes that are not given as [Create] does

	Codec   codecs.Codec     // zero means the array's
	Level   int              // 1 to 9, or chunk.Stored for no compression; 0 means the array's
	Filters []shuffle.Spec   // nil means the array's; shuffle.None alone means none
	Split   *chunk.SplitMode // nil means the array's
	// whether blocks are Zarr chunks as well, see [Options]; nil means like the array
	ZarrBlocks *bool
	// re-encode chunks even if none of the above changes; single chunks may have been encoded
	// otherwise
	Recode bool

	Sparse    *bool      // a directory with a file per chunk, or one file; nil means like the array
	Overwrite bool       // replace an existing file or directory instead of failing
	FS        storage.FS // file system of the path; nil means the operating system's

	Workers int // goroutines; 0 means one per CPU. The bytes written do not depend on it
	// bytes that the copy should not exceed; 0 means 256 MiB, or half of the limit that GOMEMLIMIT
	// or debug.SetMemoryLimit sets, if that is less
	Memory int64

	frame.Commits // NoCompact has no effect

	// Progress is called, by one goroutine at a time, with the bytes of items that are done and the
	// total, padding included. It must not use the copy.
	Progress func(done, total int64)
}

// validate returns an error for the first field that is invalid for any array. Shapes are checked
// once the array is known.
func (o *CopyOptions) validate() error { return errkind.Invalid(o.fieldError()) }

func (o *CopyOptions) fieldError() error {
	if o == nil {
		return nil
	}
	if err := notNegative([]string{"Workers", "Memory"}, int64(o.Workers), o.Memory); err != nil {
		return fmt.Errorf("copy options: %w", err)
	}
	return o.frame(nil).Validate()
}

// frame returns the options for copying the frame.
func (o *CopyOptions) frame(u *Untyped) *frame.CopyOptions {
	fo := &frame.CopyOptions{
		Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split, Recode: o.Recode,
		Sparse: o.Sparse, Overwrite: o.Overwrite, FS: o.FS, Commits: o.Commits,
		Progress: o.Progress,
	}
	if u != nil {
		fo.Engine = u.engine
	}
	return fo
}

// Save writes a copy of a source to path: [PlanCopy] and [CopyPlan.Run] in one call. o may be nil.
// Staged changes are included. The copy of an array, or of views of some, has the encoding and the
// metalayers of the first of them.
func Save(ctx context.Context, path string, src Source, o *CopyOptions) error {
	p, err := PlanCopy(src, o)
	if err != nil {
		return err
	}
	return p.Run(ctx, path)
}

// Save writes a copy of the array to path; see [Save].
func (u *Untyped) Save(ctx context.Context, path string, o *CopyOptions) error {
	return Save(ctx, path, u.self(), o)
}

// Copy returns a copy of a source in memory, like the one that [Save] writes. o may be nil. The
// caller closes it.
func Copy(ctx context.Context, src Source, o *CopyOptions) (*Untyped, error) {
	p, err := PlanCopy(src, o)
	if err != nil {
		return nil, err
	}
	return p.make(ctx, "")
}

// Run makes the copy at path. The path is created when the copy is complete; after an error or the
// end of ctx no file is left. Run fails with [cairn.ErrConflict] if the shape of the source has
// changed since the copy was planned.
func (p *CopyPlan) Run(ctx context.Context, path string) error {
	if path == "" {
		return fmt.Errorf("copy: an empty path; Copy makes arrays in memory: %w", cairn.ErrBounds)
	}
	u, err := p.make(ctx, path)
	if err != nil {
		return err
	}
	if err := orAbort(u, func() error { return u.Commit(ctx) }); err != nil {
		return err
	}
	return u.Close()
}

// Empty returns the copy without its items: an array in memory with the shape, the encoding and the
// metalayers that the copy will have, and zeros for items. Chunks that are written to it are those
// of the copy. The caller closes it.
func (p *CopyPlan) Empty(ctx context.Context) (*Untyped, error) {
	nothing := func(context.Context, *Untyped) error { return nil }
	if p.copy.source != nil {
		return p.copy.run(ctx, "", nothing)
	}
	return p.join(ctx, "", nothing)
}

// make makes the copy at path, or in memory if that is empty, without committing it.
func (p *CopyPlan) make(ctx context.Context, path string) (made *Untyped, err error) {
	if p.copy.source != nil {
		return p.copy.run(ctx, path, nil)
	}
	return p.join(ctx, path, nil)
}

// join makes the copy of a view that is not a whole array. fill fills it with items; nil means
// those of the view.
func (p *CopyPlan) join(ctx context.Context, path string,
	fill func(context.Context, *Untyped) error) (made *Untyped, err error) {
	j, err := p.of.joinPlan(ctx, &p.copy.options)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, j.end()); err != nil && made != nil {
			err = errors.Join(err, made.Abort())
			made = nil
		}
	}()
	if fill == nil {
		fill = j.fill
	}
	if made, err = j.plan.create(ctx, path, j.first, j.first.last.Load(), fill); err == nil {
		made.workers = j.workers
		err = p.of.relabel(made)
	}
	return made, err
}

// run makes the copy in a new frame, without committing it. fill fills it with items; nil means
// those of the source.
func (p *copying) run(ctx context.Context, path string,
	fill func(context.Context, *Untyped) error) (copied *Untyped, err error) {
	u := p.source
	at, release, err := u.beginFlushedRead(ctx)
	if err != nil {
		return nil, err
	}
	defer endRead(release, &err)
	at = u.within(ctx, at)
	if at.part.Shape != p.from.Shape {
		return nil, u.inArray(fmt.Errorf("copy: the shape was changed from %v to %v since it was planned: %w",
			u.vec(p.from.Shape), u.vec(at.part.Shape), cairn.ErrConflict))
	}
	if fill == nil && p.method == CopyRechunk {
		fill = func(ctx context.Context, made *Untyped) error { return p.rechunk(ctx, at, made) }
	}
	return p.create(ctx, path, u, at, fill)
}

// newFrame makes the frame of a copy at path, or in memory if that is empty.
func newFrame(ctx context.Context, v *frame.Snapshot, path string, fo *frame.CopyOptions) (*frame.Frame, error) {
	if path == "" {
		return frame.NewCopy(ctx, v, fo)
	}
	return frame.CreateCopy(ctx, path, v, fo)
}
