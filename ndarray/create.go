package ndarray

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/govalue"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/meta"
)

// Create creates an array of items of type T at path. o may be nil. All items have the fill value
// until they are written. The path is created by the first Commit or Close; Abort leaves nothing,
// and does nothing after Close, so defer Abort and return the result of [Untyped.Close]. An empty
// path is an error: use [New] for arrays in memory.
//
// The dtype follows from T: little-endian, with the fields of a struct packed in order and named as
// in Go or in their tags. A tag may also give the dtype of a field, and must do so for strings:
// `cairn:"name,U20"`, `cairn:"when,M8[s]"`. Times and durations are in nanoseconds by default.
func Create[T any](path string, shape Shape, o *Options) (Array[T], error) {
	dtype, err := dtypeFor[T]()
	if err != nil {
		return Array[T]{}, fmt.Errorf("create array %s: %w", path, err)
	}
	return typed[T](CreateUntyped(path, dtype, shape, o))
}

// New creates an array of items of type T in memory; see [Create].
func New[T any](shape Shape, o *Options) (Array[T], error) {
	dtype, err := dtypeFor[T]()
	if err != nil {
		return Array[T]{}, fmt.Errorf("create array: %w", err)
	}
	return typed[T](NewUntyped(dtype, shape, o))
}

// FromSlice creates an array in memory with a copy of values in C order. len(values) must be the
// number of items in shape. Strings get a dtype that has room for the longest of them.
func FromSlice[T any](values []T, shape Shape, o *Options) (a Array[T], err error) {
	if texts, ok := any(values).([]string); ok {
		a, err = typed[T](NewUntyped(dtypeOfTexts(texts), shape, o))
	} else {
		a, err = New[T](shape, o)
	}
	if err != nil {
		return a, err
	}
	if err := orAbort(a, func() error { return a.Write(context.Background(), values) }); err != nil {
		return Array[T]{}, err
	}
	return a, nil
}

// dtypeOfTexts returns a dtype that has room for texts.
func dtypeOfTexts(texts []string) string {
	longest := 1
	for _, text := range texts {
		longest = max(longest, utf8.RuneCountInString(text))
	}
	return "<U" + strconv.Itoa(longest)
}

// CreateUntyped creates an array at path with a dtype in any of the forms that [meta.ParseDType]
// reads; see [Create]. An invalid dtype is an error matching [cairn.ErrType].
func CreateUntyped(path, dtype string, shape Shape, o *Options) (*Untyped, error) {
	return create(path, dtype, shape, o, func(fo *frame.Options) (*frame.Frame,
		error) {
		return frame.Create(path, fo)
	})
}

// NewUntyped creates an array in memory with a dtype in any of the forms that [meta.ParseDType]
// reads; see [Create].
func NewUntyped(dtype string, shape Shape, o *Options) (*Untyped, error) {
	return create("", dtype, shape, o, frame.New)
}

func create(name, dtype string, shape Shape, o *Options,
	newFrame func(*frame.Options) (*frame.Frame, error)) (*Untyped, error) {
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
	layers := append([]meta.Layer{layer}, o.Meta...)
	if o.ZarrBlocks {
		layers = append(layers, meta.ZarrBlocksLayer())
	}
	f, err := newFrame(&frame.Options{
		TypeSize: int(part.ItemSize), ChunkSize: int(part.ChunkSize), BlockSize: int(part.BlockSize),
		Codec: o.Codec, Level: o.Level, Filters: o.Filters, Split: o.Split, Dict: o.Dict,
		Sparse: o.Sparse, Overwrite: o.Overwrite, FS: o.FS, Workers: o.Workers, Engine: o.Engine,
		Verify: o.Verify, Commits: o.Commits, Locking: o.Locking, LockTimeout: o.LockTimeout,
		Meta: layers,
	})
	if err != nil {
		return nil, err
	}
	u, err := newUntyped(f, handleCore{name: name, workers: o.Workers, memory: parallel.Memory(o.Memory),
		engine: o.Engine, locking: o.Locking}, o.WriteBehind, o.CacheBytes, o.Cache)
	if err == nil {
		err = u.initialize(o)
		u.initial = f.Inside().Savepoint()
	}
	if err != nil {
		f.Abort()
		return nil, fmt.Errorf("create array: %w", err)
	}
	return u, nil
}

// plan returns the geometry of a new array, and the metalayer that describes it.
func (o *Options) plan(dtype string, shape Shape) (part *grid.Partition, layer meta.Layer, err error) {
	d, err := govalue.ParseDType(dtype)
	if err == nil && d.Size() == 0 {
		err = fmt.Errorf("dtype %q has no bytes: %w", dtype, cairn.ErrType)
	}
	if err == nil {
		err = checkCodec(d, o)
	}
	if err == nil {
		part, err = autoPartition(shape, d.Size(), o)
	}
	if err == nil {
		err = o.checkChunk(part)
	}
	if err == nil {
		layer, err = newLayer(part, d.String())
	}
	return part, layer, err
}

// checkChunk rejects chunks that exceed the caller's limits, and so could not be written or read
// again.
func (o *Options) checkChunk(p *grid.Partition) error {
	l := o.Limits.WithDefaults()
	name, limit := "MaxAlloc", l.MaxAlloc
	if l.MaxChunk < limit {
		name, limit = "MaxChunk", l.MaxChunk
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
func (u *Untyped) initialize(o *Options) error {
	kind := chunk.SpecialZeros
	var item []byte
	switch {
	case o.Uninit:
		kind = chunk.SpecialUninit
	case o.Fill != nil:
		var err error
		if item, err = u.item(o.Fill); err != nil {
			return err
		}
		kind = repeatedKind(item)
	}
	if u.part.ChunkCount == 0 {
		return nil
	}
	ctx := context.Background()
	if kind != chunk.SpecialValue {
		return u.frame.AppendSpecial(ctx, kind, u.part.ChunkCount*u.part.ChunkSize)
	}
	encoded, err := u.repeatedChunk(nil, item)
	for i := int64(0); err == nil && i < u.part.ChunkCount; i++ {
		_, err = u.frame.AppendEncoded(ctx, encoded)
	}
	return err
}

// orAbort fills a new array or frame. If that fails, or the caller's code panics, it aborts the
// array or frame.
func orAbort(made interface{ Abort() error }, fill func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if failed := made.Abort(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	err = fill()
	done = err == nil
	return err
}
