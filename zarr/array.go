package zarr

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn/internal/chunked"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// An Array is an array of a store, as an [ndarray.Source]. Any number of goroutines may use it
// while the store is open. Missing chunks consist of the fill value.
type Array struct {
	*metadata
	keys   keys
	key    string // of the array in the store, "" for the root
	chunks *chunked.Reader[*readWorker]
}

var _ ndarray.Labelled = (*Array)(nil)

// Info describes an array.
type Info struct {
	Version int // of the format: 2 or 3
	// items per dimension of a chunk with its own key, which is a shard if Inner is not nil
	Chunks ndarray.Shape
	Inner  ndarray.Shape // items per dimension of an inner chunk, or nil
	Codecs []string      // codecs, filters and the compressor, in the order in which they encode
	Fill   []byte        // the fill value, encoded as the dtype says
}

// Shape implements [ndarray.Source].
func (a *Array) Shape() ndarray.Shape { return append(ndarray.Shape{}, a.shape...) }

// DType implements [ndarray.Source].
func (a *Array) DType() meta.DType { return a.dtype }

// Grid implements [ndarray.Source]: it returns the shapes of shards and inner chunks, or twice that
// of chunks.
func (a *Array) Grid() (chunks, blocks ndarray.Shape) { return a.grids() }

// Info returns a description of the array, which the caller may change.
func (a *Array) Info() Info {
	i := Info{
		Version: a.version, Chunks: slices.Clone(a.chunk), Codecs: slices.Clone(a.names),
		Fill: slices.Clone(a.fill),
	}
	if a.shard != nil {
		i.Inner = slices.Clone(a.shard.inner)
	}
	return i
}

// Labels implements [ndarray.Labelled]: it returns the names of the dimensions, and the attributes.
// Numbers are int64, uint64 or float64, lists []any and objects [meta.Map]. The caller must not
// change them. There is no error.
func (a *Array) Labels() (ndarray.Labels, error) {
	return ndarray.Labels{Dims: a.dims, Attributes: a.attributes}, nil
}

// ReadBytes implements [ndarray.Source]. It reads and decodes the chunks that the box touches, in
// parallel; of shards only the index and those inner chunks. Of a chunk that Blosc compressed it
// decodes only the blocks that the box touches, and of other chunks without a checksum only the
// beginning, if that is enough; damage elsewhere goes unnoticed. Errors of the store are wrapped;
// others match cairn.ErrCorrupt, cairn.ErrChecksum, cairn.ErrLimit or cairn.ErrBounds.
func (a *Array) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	var err error
	if a.shard == nil {
		err = a.chunks.Read(ctx, storedChunks{a}, dst, start, stop)
	} else {
		err = a.readShards(ctx, dst, start, stop)
	}
	if err != nil {
		return fmt.Errorf("array %q: %w", "/"+a.key, err)
	}
	return nil
}
