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
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// CopyOptions say what is to be different in the copy of a frame. Nil and the zero value mean
// nothing: chunks are taken over as they are encoded.
type CopyOptions struct {
	chunk.Engine

	Codec   codecs.Codec     // zero means the frame's
	Level   int              // 1 to 9, or chunk.Stored for no compression; 0 means the frame's
	Filters []shuffle.Spec   // nil means the frame's; shuffle.None alone means none
	Split   *chunk.SplitMode // nil means the frame's
	// encode chunks again even if all of that is the frame's: single chunks may have been encoded
	// otherwise
	Recode bool

	Sparse *bool // a directory with a file per chunk, or one file; nil means as the frame
	First  int   // how many chunks to copy; 0 means all, -1 none
	// decoded bytes that every chunk must have, and that the copy states; 0 means what the frame
	// states
	ChunkSize int
	// what the copy states as the size of blocks; 0 means what the frame states. Chunks that are
	// taken over keep theirs
	BlockSize int
	Meta      []meta.Layer // fixed metalayers instead of the frame's, unless nil

	Overwrite bool       // replace what has the name, instead of failing
	Workers   int        // chunks that are worked on at the same time; 0 means 1
	FS        storage.FS // where the copy goes; nil means the operating system's files
	Commits              // of which NoCompact means nothing

	// Progress is told how many decoded bytes are done, of how many, by one goroutine at a time. It
	// must not use the copy.
	Progress func(done, total int64)
}

// Validate names the first field that makes no sense.
func (o *CopyOptions) Validate() error {
	if o == nil {
		return nil
	}
	if o.First < -1 {
		return fmt.Errorf("copy options: First is %d, must be a number of chunks, 0 for all or -1 for none", o.First)
	}
	return o.create(&state{}).Validate()
}

// Copy makes a copy of the newest state of a frame at path, metalayers included, without dead
// bytes; only what python-blosc2 notes there of the files of indexes is left out. Chunks are taken
// over as they are encoded, without decoding them, unless o asks for another codec, level, filters
// or split. The name comes into being when the copy is complete; an error leaves nothing behind. o
// may be nil.
func Copy(ctx context.Context, path string, src *Frame, o *CopyOptions) error {
	f, err := CreateCopy(ctx, path, src, o)
	if err != nil {
		return err
	}
	if err := f.Commit(ctx); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// CreateCopy is Copy for a caller who goes on changing the new frame, which comes into being with
// the first Commit or Close; see [Create].
func CreateCopy(ctx context.Context, path string, src *Frame, o *CopyOptions) (*Frame, error) {
	return copied(ctx, src, o, func(fo *Options) (*Frame, error) { return Create(path, fo) })
}

// NewCopy is CreateCopy in memory.
func NewCopy(ctx context.Context, src *Frame, o *CopyOptions) (*Frame, error) {
	return copied(ctx, src, o, New)
}

// copied makes a new frame and copies the newest state of src into it, as one change, without
// committing it.
func copied(ctx context.Context, src *Frame, o *CopyOptions, create func(*Options) (*Frame, error)) (*Frame, error) {
	v := src.Snapshot().cur.Load()
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
		return f.change(ctx, func(next *draft) error { return f.copy(ctx, v, next, o) })
	}, func() { _ = f.Abort() }) // Progress panicked
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy: %w", err), f.Abort())
	}
	return f, nil
}

// create returns the options for the new frame. What they say about chunks is replaced by what
// [CopyOptions.head] says: the frame may have been made with codecs and filters that are not here.
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

// copy takes the state v over into next, the new state of f.
func (f *Frame) copy(ctx context.Context, v *state, next *draft, o *CopyOptions) error {
	count := v.index.Len()
	if o.First != 0 {
		count = max(0, o.First)
	}
	if count > v.index.Len() {
		return v.env.place(cairn.Corruptf(index.Layer, -1, "%d chunks, %d are needed", v.index.Len(), count))
	}
	recode := o.head(v, next)
	next.vl = withoutPlaced(cloneLayers(v.vl))
	if err := f.checkVL(next); err != nil {
		return err
	}
	var done int64
	t, err := newTakeover(ctx, v, f, next, func(bytes int64) {
		done += bytes
		if o.Progress != nil {
			o.Progress(done, max(done, v.total(count)))
		}
	})
	if err != nil {
		return err
	}
	t.exact = int64(o.ChunkSize)
	if recode {
		if err := t.encode(count); err != nil {
			return err
		}
	}
	if err := t.run(0, count); err != nil {
		return err
	}
	if o.First == 0 && done != v.head.NBytes {
		return v.env.place(wrongTotal(v.head.NBytes, done))
	}
	return nil
}

// wrongTotal is the error of a header that counts other bytes than the chunks have, such as that of
// a special chunk that was cut short (docs/format/defects.md, 23).
func wrongTotal(stated, found int64) error {
	return cairn.Corruptf(format.LayerHeader, -1, "states %d decoded bytes, but the chunks have %d", stated, found)
}

// total returns the decoded bytes of the first count chunks, as far as that is known without
// looking at them.
func (v *state) total(count int) int64 {
	if size := int64(v.head.ChunkSize); size > 0 && count < v.index.Len() {
		return size * int64(count)
	}
	return v.head.NBytes
}

// head gives the new frame what its chunks are encoded with, and reports whether that is anything
// else than before.
func (o *CopyOptions) head(v *state, next *draft) (recode bool) {
	from, to := &v.head, &next.head
	to.Inherit(from)
	if from.Variable() && o.ChunkSize == 0 {
		to.ChunkSize = 0
	}
	if o.BlockSize > 0 {
		to.BlockSize = int32(o.BlockSize)
	}
	co := chunk.Options{Level: o.Level, Filters: o.Filters}
	if o.Codec != codecs.Default {
		to.Codec, to.CodecMeta = o.Codec.ID(), o.Codec.Parameter()
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
		to.Pipeline != from.Pipeline
}

// active returns the filters of a pipeline without the empty slots between them.
func active(p shuffle.Pipeline) []shuffle.Spec {
	return slices.DeleteFunc(slices.Clone(p[:]), func(s shuffle.Spec) bool { return s.ID == shuffle.None.ID })
}
