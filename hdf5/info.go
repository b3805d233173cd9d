package hdf5

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/hdf5/internal/format"
	"github.com/cairn-go/cairn/ndarray"
)

// Info describes a dataset.
type Info struct {
	Layout   string        // "compact", "contiguous", "chunked" or "virtual"
	Index    string        // the kind of chunk index; "" without chunks
	Chunks   ndarray.Shape // items per dimension of a chunk; nil without chunks
	Filters  []filter.Filter
	Fill     []byte        // the fill value, encoded as in the file; nil for zeros and for texts
	NoFill   bool          // the file says that there is no fill value
	MaxShape ndarray.Shape // of the dimensions of the file; -1 for one without bound
	Datatype string        // in a few words; File.Describe has all of it
	Address  int64         // of the object header
}

// Info returns a description of the dataset, which the caller may change.
func (d *Dataset) Info() Info {
	i := Info{
		Layout: "chunked", Fill: slices.Clone(d.fill), NoFill: d.undef, MaxShape: slices.Clone(d.space.Max),
		Datatype: d.datatype.String(), Address: d.header.Address,
		Filters: slices.Clone(d.filters),
	}
	if hasVariable(d.item) { // the stored value only says where in the file the text is
		i.Fill = nil
	}

	switch d.layout.Class {
	case format.Compact:
		i.Layout = "compact"
	case format.Contiguous:
		i.Layout = "contiguous"
	case format.Virtual:
		i.Layout = "virtual"
	default:
		i.Index = d.layout.Index.String()
		i.Chunks = slices.Clone(d.layout.Chunk)
	}
	return i
}

// countedChunks is the most chunks that StoredBytes looks up: more take seconds, and over a network
// many requests.
const countedChunks = 1 << 17

// StoredBytes returns how many bytes the items have in the file: those of all chunks, or of the
// items in one piece; 0 for a virtual dataset. It looks up each chunk in the index, and fails with
// [cairn.ErrLimit] if there are more than 131,072. Other errors match [cairn.ErrCorrupt] or are
// those of reading the file.
func (d *Dataset) StoredBytes(ctx context.Context) (int64, error) {
	if d.virtual != nil {
		return 0, nil
	}
	if d.flat != nil {
		return d.bytes(), nil
	}

	if d.part.ChunkCount > countedChunks {
		return 0, fmt.Errorf("dataset %q: %d chunks, of which at most %d are counted: %w", d.key, d.part.ChunkCount,
			countedChunks, cairn.ErrLimit)
	}

	stored := &storedChunks{d, d.file.format.In(ctx)}
	sum := int64(0)
	for chunk := range d.part.ChunkCount {
		place, err := stored.Locate(ctx, chunk)
		if err != nil {
			return 0, fmt.Errorf("dataset %q: %s: %w", d.key, stored.Name(chunk), err)
		}
		if err := ctx.Err(); err != nil && chunk%1024 == 0 {
			return 0, fmt.Errorf("dataset %q: %w", d.key, err)
		}
		sum += place.Size
	}

	return sum, nil
}

// integer returns an integer of a datatype.
func integer(b []byte, d *format.Datatype) int64 {
	if d.Class != format.Fixed || len(b) > 8 {
		return 0
	}

	var v uint64
	for i := range b {
		k := i
		if d.BigEndian {
			k = len(b) - 1 - i
		}
		v |= uint64(b[k]) << (8 * i)
	}
	if shift := 64 - 8*len(b); d.Signed {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}
