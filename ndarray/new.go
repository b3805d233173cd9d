package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// newArray returns the array that a frame with an array metalayer holds. of has the fields that do
// not follow from the frame; buffer is the size of the write buffer, from the options.
func newArray(f *frame.Frame, of core, buffer int64, noCache bool) (*array, error) {
	view := f.Inside().Newest()
	typeSize := f.TypeSize()
	content, err := layerContent(view)
	if err != nil {
		return nil, err
	}
	proxy, err := fetchedOf(view)
	if err != nil {
		return nil, err
	}

	a := &array{runner: runner{core: of}}
	a.part, a.dtypeText, err = parseLayer(content, typeSize)
	if err != nil {
		return nil, err
	}
	a.dtype, a.dtypeErr = parseDType(a.dtypeText, typeSize)
	a.without = checkPlaceholder(view)
	a.last.Store(&state{part: a.part, base: a.part, layer: content, view: view, proxy: proxy})

	a.frame = f
	a.total = &sharedStats{}
	a.bytes = govalue.OfBytes(typeSize)
	a.keep = newOwner(&a.core, noCache)
	a.loop = &grid.Loop{}
	a.engine.Limits = a.engine.Limits.WithDefaults()

	// Whatever uses the frame directly finds the pending writes in it.
	if !a.readOnly {
		a.buffer.budget = bufferBytes(buffer)
		f.Inside().FlushFirst(a.flushNow)
	}

	if in := f.Inside(); in.Removes() {
		a.unhold = func() error {
			in.EndRead()
			return nil
		}
	}

	blocks := narrow(a.part.Block[:a.part.Dims])
	a.encode = encodeOptions(f.Info(), a.engine)
	a.encode.BlockSize = int(a.part.BlockSize)
	a.encode.BlockShape = blocks
	a.decode = chunk.DecodeOptions{
		Engine: a.engine, FrameTypeSize: typeSize, BlockShape: blocks,
		OldBitshuffle: f.Inside().OldBitshuffle(),
	}
	return a, nil
}

// parseDType parses the dtype of items of a number of bytes. If the dtype is opaque, it also
// returns the reason.
func parseDType(text string, size int) (meta.DType, error) {
	d, err := meta.ParseDType(text)
	if err != nil {
		return meta.Opaque(text, size), err
	}
	if d.Size() != size {
		return meta.Opaque(text, size), fmt.Errorf("dtype %q has %d bytes, but items have %d: %w",
			text, d.Size(), size, cairn.ErrType)
	}
	return d, nil
}

// encodeOptions returns the options for encoding new chunks of a frame.
func encodeOptions(info frame.Info, e chunk.Engine) chunk.Options {
	o := chunk.Options{
		TypeSize: info.TypeSize, FrameTypeSize: info.TypeSize, Codec: info.Codec, Level: info.Level,
		Filters: info.Pipeline[:], Split: info.Split, Engine: e, ZarrBlocks: info.ZarrBlocks,
	}
	if info.Level == 0 {
		o.Level = chunk.Stored
	}

	row, err := e.Codecs.Lookup(info.Codec.ID())
	o.Dict = info.Dict && err == nil && row.Dict
	return o
}

// create creates an array in a new frame, which newFrame makes.
func create(name, dtype string, shape Shape, o *Options,
	newFrame func(*frame.Options) (*frame.Frame, error)) (a *array, err error) {
	if o == nil {
		o = &Options{}
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	part, layer, err := o.plan(dtype, shape)
	if err != nil {
		return nil, fmt.Errorf("create array: %w", err)
	}

	d, err := govalue.ParseDType(dtype)
	if err != nil {
		return nil, err
	}
	engine := o.Engine
	loss, err := o.Loss.rounder(d, o.Codec, o.Filters, engine)
	if err != nil {
		return nil, fmt.Errorf("create array: %w", err)
	}
	engine.Checked = engine.Checked || loss != nil

	layers := append([]meta.Layer{layer}, o.Meta...)
	if o.ZarrBlocks {
		layers = append(layers, meta.ZarrBlocksLayer())
	}
	f, err := newFrame(&frame.Options{
		TypeSize: int(part.ItemSize), ChunkSize: int(part.ChunkSize), BlockSize: int(part.BlockSize),
		Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split, Dict: o.Dict,
		Sparse: o.Sparse, Overwrite: o.Overwrite, FS: o.FS, Workers: o.Workers, Engine: engine,
		Verify: o.Verify, Commits: o.Commits, Locking: o.Locking, LockTimeout: o.LockTimeout,
		Meta: layers,
	})
	if err != nil {
		return nil, err
	}

	err = orAbort(f.Abort, func() error {
		of := core{
			name: name, workers: o.Workers, memory: parallel.Memory(o.Memory), engine: engine,
			locking: o.Locking, rounder: loss,
		}
		a, err = newArray(f, of, o.WriteBehind, o.NoCache)
		if err != nil {
			return err
		}
		if err := a.initialize(o); err != nil {
			return err
		}
		return loss.mark(&a.core)
	})
	if err != nil {
		return nil, fmt.Errorf("create array: %w", err)
	}
	a.initial = f.Inside().Savepoint()
	return a, nil
}

// plan returns the geometry of a new array, and the metalayer that describes it.
func (o *Options) plan(dtype string, shape Shape) (part *grid.Partition, layer meta.Layer, err error) {
	d, err := govalue.ParseDType(dtype)
	if err != nil {
		return nil, layer, err
	}
	if d.Size() == 0 {
		return nil, layer, fmt.Errorf("dtype %q has no bytes: %w", dtype, cairn.ErrType)
	}
	if err := checkCodec(d, o); err != nil {
		return nil, layer, err
	}

	part, err = autoPartition(shape, d.Size(), o)
	if err != nil {
		return nil, layer, err
	}
	if err := o.checkChunk(part); err != nil {
		return nil, layer, err
	}
	layer, err = newLayer(part, d.String())
	return part, layer, err
}

// checkChunk rejects chunks that exceed the caller's limits, and so could not be written or read
// again.
func (o *Options) checkChunk(p *grid.Partition) error {
	l := o.Limits.WithDefaults()
	name := "MaxAlloc"
	limit := l.MaxAlloc
	if l.MaxChunk < limit {
		name = "MaxChunk"
		limit = l.MaxChunk
	}

	if p.ChunkSize > limit {
		return fmt.Errorf("chunks of shape %v have %d bytes, Limits.%s is %d: choose smaller ones, or raise it: %w",
			Shape(p.Chunk[:p.Dims]), p.ChunkSize, name, limit, cairn.ErrLimit)
	}
	return nil
}

// initialize fills a new frame with the chunks of the shape, as C-Blosc2's constructors do: special
// chunks, which take no storage, for zeros, NaNs and uninitialised items, and chunks that repeat
// one item for other values.
func (c *core) initialize(o *Options) error {
	kind := chunk.SpecialZeros
	var item []byte
	switch {
	case o.Uninit:
		kind = chunk.SpecialUninit
	case o.Fill != nil:
		var err error
		item, err = c.item(o.Fill)
		if err != nil {
			return err
		}
		kind = repeatedKind(item)
	}
	if c.part.ChunkCount == 0 {
		return nil
	}

	ctx := context.Background()
	if kind != chunk.SpecialValue {
		return c.frame.AppendSpecial(ctx, kind, c.part.ChunkCount*c.part.ChunkSize)
	}

	encoded, err := c.repeatedChunk(nil, item)
	if err != nil {
		return err
	}
	for range c.part.ChunkCount {
		if _, err := c.frame.AppendEncoded(ctx, encoded); err != nil {
			return err
		}
	}
	return nil
}

// orAbort fills a new array or frame. If that fails, or the caller's code panics, it calls abort.
func orAbort(abort, fill func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if failed := abort(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()

	err = fill()
	done = err == nil
	return err
}

// Untyped is an array whose element type is known at run time. Its methods take and return items as
// bytes, as stored in the file: in C order and in the dtype's byte order. Items always have
// TypeSize bytes, even if the dtype of a faulty file has another size.
//
// Any number of goroutines may read, also during a write: a read sees the state before or after the
// write. The handle serialises writes.
type Untyped struct{ *array }

// handleOf returns a handle of an array.
func handleOf(a *array, err error) (*Untyped, error) {
	if err != nil {
		return nil, err
	}
	return &Untyped{a}, nil
}

// self returns the array; for the zero [Array] one that has been closed.
func (u *Untyped) self() *array {
	if u == nil || u.array == nil {
		return closedArray()
	}
	return u.array
}

// closedArray returns the array for handles that were neither opened nor created.
func closedArray() *array {
	a, err := create("", "|u1", Shape{0}, nil, frame.New)
	if err != nil {
		panic(err) // cannot fail: it needs no storage and little memory
	}
	if err := a.close(); err != nil {
		panic(err) // cannot fail either
	}

	a.without = fmt.Errorf("an array that was neither opened nor created: %w", cairn.ErrClosed)
	return a
}
