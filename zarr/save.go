package zarr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/errkind"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// A Compressor compresses chunks.
type Compressor uint8

// The compressors.
const (
	Blosc        Compressor = iota // with a codec and a shuffle
	Zstd                           // without Blosc around it
	NoCompressor                   // chunks are stored as they are
	Gzip                           // slow, and read by every reader
	Zlib                           // in version 2 only
	Pcodec                         // numbers of 2, 4 or 8 bytes; other items get Blosc
)

// String returns the name of the compressor in metadata, or "none".
func (c Compressor) String() string {
	names := [...]string{"blosc", "zstd", "none", "gzip", "zlib", pcodecName}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("compressor %d", uint8(c))
}

// SaveOptions say how arrays and stores are written. Nil and the zero value mean the defaults.
type SaveOptions struct {
	Version int // of the format, 2 or 3; 0 means 3
	// Chunks is the shape of what is encoded on its own: a chunk or, within shards, an inner chunk.
	// Nil means the blocks of the source, or without shards its chunks, unless they exceed 64 MiB.
	Chunks ndarray.Shape
	// Shards is the shape of shards, rounded up to whole chunks. Nil means the chunks of the
	// source, or without shards for structures and plain bytes, of which zarr-python reads none.
	// Version 2 has none.
	Shards   ndarray.Shape
	NoShards bool // give each chunk a key of its own

	Compressor Compressor
	Codec      codecs.Codec // of Blosc; zero means Zstd
	Level      int          // 1 to 9; 0 means 5, of Pcodec 8
	// the filter of Blosc: shuffle.Byte, shuffle.Bit or shuffle.None; nil means shuffle.Byte for
	// items of 2 to 255 bytes
	Shuffle *shuffle.Spec

	// Checked decodes each chunk that has been encoded, and compares its items with those that were
	// to be encoded, before it is written. A difference is an error that matches
	// [cairn.ErrCorrupt], and takes a bug of an encoder or a decoder, or defective memory.
	Checked bool

	// Fill is the fill value, encoded as the dtype says. Chunks of it are not written. Nil means
	// that of an [Array], and for other sources zeros; arrays of version 2 then have none.
	Fill []byte
	// Labels are the names of the dimensions, and the attributes: text, finite numbers, bools,
	// lists and maps with text as keys; _FillValue may be any number. Nil means those of the
	// source, if it is [ndarray.Labelled], without attributes that JSON has no form for.
	Labels *ndarray.Labels
	// LeftOut is called with the name of each attribute of the source that JSON has no form for,
	// and with _FillValue where it marks missing bytes, for which version 3 has none.
	LeftOut func(attribute string, why error)

	FS         storage.FS // file system of the path; nil means the operating system's
	Overwrite  bool       // replace an existing file or Zarr store instead of failing
	Durability frame.Durability
	Workers    int   // goroutines; 0 means one per CPU. The bytes written do not depend on it
	Memory     int64 // bytes of items to hold at a time, but at least a shard; 0 means 64 MiB
	// Progress is called, by one goroutine at a time, with the bytes of items of an array that are
	// done and the total.
	Progress func(done, total int64)
}

const (
	defaultMemory = 64 << 20
	defaultBlock  = 1 << 20  // bytes of a chunk that is chosen
	defaultChunk  = 32 << 20 // bytes of a shard that is chosen
	mostChunk     = 64 << 20 // bytes of a chunk of the source that becomes one
)

// Save writes a copy of a source as the only array of a store: a zip archive if path ends in .zip,
// otherwise a directory. The path appears when the store is complete; after an error nothing is
// left. o may be nil.
func Save(ctx context.Context, path string, src ndarray.Source, o *SaveOptions) error {
	w, err := Create(path, o)
	if err != nil {
		return err
	}
	if err := w.Put(ctx, "/", src, o); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// validate returns an error for the first field that is invalid for any array. It matches
// [cairn.ErrInvalid].
func (o *SaveOptions) validate() error { return errkind.Invalid(o.firstMistake()) }

func (o *SaveOptions) firstMistake() error {
	switch {
	case o.Version != 0 && o.Version != 2 && o.Version != 3:
		return fmt.Errorf("save options: Version is %d, must be 2 or 3", o.Version)
	case o.Version == 2 && o.Shards != nil:
		return fmt.Errorf("save options: Shards are set, but version 2 has none")
	case o.Compressor > Pcodec:
		return fmt.Errorf("save options: Compressor is %d, which is none", o.Compressor)
	case o.Level < 0 || o.Level > 9:
		return fmt.Errorf("save options: Level is %d, must be 1 to 9, or 0 for the default", o.Level)
	case o.Workers < 0 || o.Memory < 0:
		return fmt.Errorf("save options: Workers is %d and Memory %d, must not be negative", o.Workers, o.Memory)
	}
	return nil
}

// A layout is how an array is written.
type layout struct {
	shape, chunks []int64
	shards        []int64 // or nil
	dtype         meta.DType
	fill          []byte // as in options, or of the source; nil means zeros
	labels        ndarray.Labels
}

// label sets the labels: those given, or those of the source. An array without dimensions has names
// for all of them, without which xarray refuses its group.
func (l *layout) label(src ndarray.Source, given *ndarray.Labels) (err error) {
	if labelled, ok := src.(ndarray.Labelled); ok && given == nil {
		l.labels, err = labelled.Labels()
	} else if given != nil {
		l.labels = *given
	}
	if err != nil {
		return err
	}

	if len(l.shape) == 0 && l.labels.Dims == nil {
		l.labels.Dims = []string{}
	}
	if dims := l.labels.Dims; dims != nil && len(dims) != len(l.shape) {
		return fmt.Errorf("%d names for %d dimensions: %w", len(dims), len(l.shape), cairn.ErrBounds)
	}
	return nil
}

// expressible returns the attributes that JSON has a form for. leftOut, which may be nil, is called
// with each of the others.
func expressible(attributes meta.Map, leftOut func(name string, why error)) meta.Map {
	return slices.DeleteFunc(slices.Clone(attributes), func(p meta.Pair) bool {
		_, err := appendJSON(nil, meta.Map{p}, "")
		if err != nil && leftOut != nil {
			leftOut(fmt.Sprint(p.Key), err)
		}
		return err != nil
	})
}

// layoutOf decides on the shapes.
func layoutOf(src ndarray.Source, o *SaveOptions, version int) (*layout, error) {
	l := &layout{shape: src.Shape(), dtype: src.DType(), fill: o.Fill}
	if l.dtype.Kind() == 0 {
		raw, err := meta.ParseDType(fmt.Sprintf("|V%d", l.dtype.Size()))
		if err != nil {
			return nil, err
		}
		l.dtype = raw
	}

	if l.fill != nil && len(l.fill) != l.dtype.Size() {
		return nil, fmt.Errorf("fill value of %d bytes for dtype %v: %w", len(l.fill), l.dtype, cairn.ErrType)
	}
	if err := l.label(src, o.Labels); err != nil {
		return nil, err
	}

	// A fill value that was asked for wins over that of the source.
	if o.Fill == nil {
		l.inheritFill(src, version)
	}
	if o.Fill == nil || version == 3 {
		if err := l.moveMissing(version); err != nil && o.LeftOut != nil {
			o.LeftOut(cf.FillValue, err)
		}
	}

	if o.Labels == nil {
		l.labels.Attributes = expressible(l.labels.Attributes, o.LeftOut)
	}

	// Blocks become the inner chunks of shards. Without shards, chunks stay whole if they are not
	// too large for readers, who decode all of one.
	large, small := src.Grid()
	if small == nil {
		small = large
	}

	sharded := version == 3 && !o.NoShards && len(l.shape) > 0 && (o.Shards != nil || shardable(l.dtype))
	if large == nil {
		large, small = grid.Auto(l.shape, int64(l.dtype.Size()), grid.Targets{Block: defaultBlock,
			Chunk: defaultChunk}, nil, nil)
	} else if !sharded && chunkBytes(large, l.dtype) <= mostChunk {
		small = large
	}

	// Set the shape of chunks: the one asked for, or that of the source.
	l.chunks = slices.Clone(small)
	if o.Chunks != nil {
		l.chunks = slices.Clone(o.Chunks)
	}

	if len(l.chunks) != len(l.shape) || o.Shards != nil && len(o.Shards) != len(l.shape) {
		return nil, fmt.Errorf("chunks %v and shards %v of an array of shape %v: %w", l.chunks, o.Shards,
			l.shape, cairn.ErrBounds)
	}

	for i, n := range l.chunks {
		if n < 0 || o.Chunks != nil && n == 0 {
			return nil, fmt.Errorf("chunks %v: %w", l.chunks, cairn.ErrBounds)
		}
		l.chunks[i] = max(1, n)
	}

	if sharded {
		if o.Shards != nil {
			large = o.Shards
		}
		l.setShards(large, o.Shards != nil)
	}
	return l, nil
}

// chunkBytes returns the bytes of a chunk, or more than any chunk has.
func chunkBytes(shape []int64, dtype meta.DType) int64 {
	size := int64(dtype.Size())
	for _, n := range shape {
		if n > math.MaxInt32 || size > math.MaxInt32 {
			return math.MaxInt64
		}
		size *= max(1, n)
	}
	return size
}

// setShards rounds the shape of shards up to whole chunks. There are no shards if they would have
// one chunk each, unless they were asked for.
func (l *layout) setShards(shape []int64, asked bool) {
	shards := make([]int64, len(shape))
	several := asked
	for i, n := range shape {
		count := (max(1, n)-1)/l.chunks[i] + 1
		shards[i] = count * l.chunks[i]
		several = several || count > 1
	}

	if several {
		l.shards = shards
	}
}
