package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// CopyOptions say how the copy of a frame differs from it. Nil and the zero value mean no
// difference: chunks are copied as they are encoded.
type CopyOptions struct {
	chunk.Engine

	Codec   codecs.Codec     // zero means the frame's
	Level   int              // 1 to 9, or chunk.Stored for no compression; 0 means the frame's
	Filters []shuffle.Spec   // nil means the frame's; shuffle.None alone means none
	Split   *chunk.SplitMode // nil means the frame's
	// encode chunks again even if the fields above change nothing: single chunks may have been
	// encoded differently
	Recode bool
	Exact  []uint64 // items that lossy codecs and filters must not change: see chunk.Options
	// changes items that are encoded again, to ones that compress better: see chunk.Options
	Round func(items []byte) error

	Sparse *bool // a directory with a file per chunk, or one file; nil means the frame's
	First  int   // number of chunks to copy; 0 means all, -1 none
	// decoded bytes of every chunk, for the header of the copy; 0 means the frame's
	ChunkSize int
	// size of blocks for the header of the copy; 0 means the frame's. Chunks that are not encoded
	// again keep theirs
	BlockSize int
	Meta      []meta.Layer // fixed metalayers; nil means the frame's

	Overwrite bool // replace an existing file or frame instead of failing
	// Workers is how many chunks are processed at the same time. Each is held as a whole, decoded
	// and encoded, with nothing that bounds their memory, so 0 means 1.
	Workers int
	FS      storage.FS // where to create the copy; nil means the operating system's files
	Commits            // NoCompact is ignored

	// Progress is called with the number of decoded bytes that are copied and the total, by one
	// goroutine at a time. It must not use the copy.
	Progress func(done, total int64)
}

// Validate returns an error that names the first invalid field and matches [cairn.ErrInvalid].
func (o *CopyOptions) Validate() error { return errkind.Invalid(o.validate()) }

func (o *CopyOptions) validate() error {
	if o == nil {
		return nil
	}
	if o.First < -1 {
		return fmt.Errorf("copy options: First is %d, must be a number of chunks, 0 for all or -1 for none", o.First)
	}
	return o.create(&state{}).Validate()
}

// Copy copies a snapshot of a frame to path, with its metalayers and without dead bytes. It
// leaves out only the vlmetalayers in which python-blosc2 notes the files of indexes. Chunks are
// copied as they are encoded, without decoding them, unless o asks for another codec, level,
// filters or split. The path is created once the copy is complete; an error leaves nothing behind.
// o may be nil.
func Copy(ctx context.Context, path string, src *Snapshot, o *CopyOptions) error {
	f, err := CreateCopy(ctx, path, src, o)
	if err != nil {
		return err
	}
	if err := f.Commit(ctx); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// CreateCopy is Copy for callers that change the new frame before they commit it. The first Commit
// or Close creates the path; see [Create].
func CreateCopy(ctx context.Context, path string, src *Snapshot, o *CopyOptions) (*Frame, error) {
	return copied(ctx, src, o, func(fo *Options) (*Frame, error) { return Create(path, fo) })
}

// NewCopy is CreateCopy in memory.
func NewCopy(ctx context.Context, src *Snapshot, o *CopyOptions) (*Frame, error) {
	return copied(ctx, src, o, New)
}

// copied creates a frame and copies src into it, as one change, without a
// commit.
func copied(ctx context.Context, src *Snapshot, o *CopyOptions, create func(*Options) (*Frame, error)) (*Frame, error) {
	v := src.cur.Load()
	o = cmp.Or(o, &CopyOptions{})
	if err := errors.Join(o.Validate(), ctx.Err()); err != nil {
		return nil, err
	}

	if err := v.env.open(); err != nil {
		return nil, err
	}
	f, err := create(o.create(v))
	if err != nil {
		return nil, err
	}

	err = parallel.Guard(func() error {
		return f.edit.change(ctx, func(next change) error { return next.copy(ctx, v, o) })
	}, func() { _ = f.Abort() }) // Progress panicked
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy: %w", err), f.Abort())
	}
	return f, nil
}

// create returns the options for the new frame. [CopyOptions.head] replaces what they say about
// chunks: the frame may use codecs and filters that this program does not have.
func (o *CopyOptions) create(v *state) *Options {
	layers := o.Meta
	if layers == nil {
		layers = v.layers
	}
	n := &Options{
		TypeSize: int(v.head.TypeSize), ChunkSize: cmp.Or(o.ChunkSize, max(0, int(v.head.ChunkSize))),
		Sparse: v.head.Sparse(), Overwrite: o.Overwrite, Meta: layers,
		Codec: o.Codec, Level: o.Level, Filters: o.Filters,
		Workers: o.Workers, Engine: o.Engine, FS: o.FS, Commits: o.Commits,
	}
	if o.Sparse != nil {
		n.Sparse = *o.Sparse
	}
	return n
}

// copy copies the state from.
func (v change) copy(ctx context.Context, from *state, o *CopyOptions) error {
	count := from.index.Len()
	if o.First != 0 {
		count = max(0, o.First)
	}
	if count > from.index.Len() {
		return from.env.place(cairn.Corruptf(index.Layer, -1, "%d chunks, %d are needed", from.index.Len(), count))
	}

	recode := o.head(from, v.draft)
	v.vl = withoutPlaced(cloneLayers(from.vl))
	if err := v.checkVL(); err != nil {
		return err
	}

	var done int64
	t, err := newTakeover(ctx, from, v, func(bytes int64) {
		done += bytes
		if o.Progress != nil {
			o.Progress(done, max(done, from.total(count)))
		}
	})
	if err != nil {
		return err
	}

	t.exact = int64(o.ChunkSize)
	if recode {
		if err := t.encode(count, o.Exact, o.Round); err != nil {
			return err
		}
	}
	if err := t.run(0, count); err != nil {
		return err
	}

	if o.First == 0 && done != from.head.NBytes {
		return from.env.place(wrongTotal(from.head.NBytes, done))
	}
	return nil
}

// total returns the decoded bytes of the first count chunks, estimated without reading them.
func (v *state) total(count int) int64 {
	if size := int64(v.head.ChunkSize); size > 0 && count < v.index.Len() {
		return size * int64(count)
	}
	return v.head.NBytes
}

// head sets the encoding of chunks in the header of next, and reports whether chunks must be
// encoded again.
func (o *CopyOptions) head(v *state, next *draft) (recode bool) {
	from := &v.head
	to := &next.head
	to.Inherit(from)

	if from.Variable() && o.ChunkSize == 0 {
		to.ChunkSize = 0
	}
	if o.BlockSize > 0 {
		to.BlockSize = int32(o.BlockSize)
	}

	co := chunk.Options{Level: o.Level, Filters: o.Filters}
	if o.Codec != codecs.Default {
		to.Codec = o.Codec.ID()
		to.CodecMeta = o.Codec.Parameter()
	}
	if o.Level != 0 {
		to.Level = uint8(co.ResolvedLevel())
	}

	if o.Filters != nil && !slices.Equal(active(co.Pipeline()), active(from.Pipeline)) {
		to.Pipeline = co.Pipeline()
	}
	to.Dict = to.Dict && to.Codec == from.Codec
	if o.Split != nil {
		to.Split = format.SplitByte(*o.Split)
	}

	return o.Recode || to.Split != from.Split || to.Codec != from.Codec ||
		to.CodecMeta != from.CodecMeta || to.Level != from.Level ||
		to.Pipeline != from.Pipeline || hasZarrBlocks(next.layers) != hasZarrBlocks(v.layers)
}

// active returns the filters of a pipeline without the empty slots between them.
func active(p shuffle.Pipeline) []shuffle.Spec {
	return slices.DeleteFunc(slices.Clone(p[:]), func(s shuffle.Spec) bool { return s.ID == shuffle.None.ID })
}
