package zarr

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// A View presents an array as a Zarr array that is stored nowhere: its metadata, in versions 2 and
// 3, and its chunks are made when they are asked for. Both versions have the same chunks, which are
// compressed with Blosc. Where it can be, a chunk consists of blocks of a Blosc2 array, copied
// without decoding them. Any number of goroutines may use it.
type View struct {
	src    ndarray.Source
	dtype  meta.DType
	shape  []int64
	chunks []int64
	count  []int64 // chunks along each dimension
	part   *grid.Partition
	size   int64         // bytes of a chunk
	stored *storedBlocks // or nil
	pack   packing
	docs   [2]viewDocs   // of versions 2 and 3
	pool   sync.Pool     // of *viewWorker
	last   constantChunk // the one made last
}

// viewDocs are the documents of a version.
type viewDocs struct {
	err              error // why there are none
	meta, attributes []byte
	// what chunks that are not there consist of; nil if all have to be there
	fill []byte
}

// NewView returns a view of an array, in the state that it has now. labels are those that the
// metadata has; nil means those of the array. The view must not be used after the array is closed.
// It fails if Zarr has no dtype for the items.
func NewView(ctx context.Context, src ndarray.Source, labels *ndarray.Labels) (*View, error) {
	given, err := viewLabels(src, labels)
	if err != nil {
		return nil, err
	}

	v := &View{src: src, dtype: src.DType(), shape: src.Shape()}
	if u, ok := ndarray.ViewOf(src).Inside().Source().(*ndarray.Untyped); ok {
		if err := v.setStored(ctx, u); err != nil {
			return nil, err
		}
	}
	if v.dtype.Kind() == 0 {
		if v.dtype, err = meta.ParseDType(fmt.Sprintf("|V%d", v.dtype.Size())); err != nil {
			return nil, err
		}
	}

	if err := v.setChunks(); err != nil {
		return nil, err
	}

	v.setPacking()
	for i := range v.docs {
		v.docs[i] = v.documents(2+i, given)
	}

	if v.docs[0].err != nil && v.docs[1].err != nil {
		return nil, v.docs[1].err
	}
	return v, nil
}

// viewLabels returns the labels of a view.
func viewLabels(src ndarray.Source, given *ndarray.Labels) (ndarray.Labels, error) {
	l := layout{shape: src.Shape()}
	if err := l.label(src, given); err != nil {
		return l.labels, err
	}
	return l.labels, nil
}

// setStored prepares copying the blocks of an array.
func (v *View) setStored(ctx context.Context, u *ndarray.Untyped) error {
	s, err := u.Snapshot(ctx)
	if err != nil {
		return err
	}

	kept, err := s.View().Inside().Stored(ctx)
	if err != nil {
		return err
	}

	v.src = s
	v.shape = s.Shape()
	if f, ok := kept.(*frame.Snapshot); ok {
		v.stored = newStoredBlocks(f, s)
	}
	return nil
}

// setPacking decides what the metadata says of the compressor. Readers follow what chunks say of
// themselves.
func (v *View) setPacking() {
	v.pack = packing{kind: Blosc, codec: codecs.LZ4, cname: "lz4", level: 5, filter: shuffle.Byte, item: v.dtype.Size()}
	if v.pack.item > 255 {
		v.pack.item = 1
	}
	if v.pack.item == 1 {
		v.pack.filter = shuffle.None
	}

	if v.stored == nil {
		return
	}

	info := v.stored.frame.Info()
	row, err := (*codecs.Registry)(nil).Lookup(info.Codec.ID())
	if err != nil || !inBlosc(row) {
		return
	}

	v.pack.cname = row.Name
	if info.Level > 0 {
		v.pack.level = info.Level
	}

	v.pack.filter = shuffle.None
	for _, s := range info.Pipeline {
		if _, err := shuffleName(shuffle.Spec{ID: s.ID}); err == nil && s != shuffle.None {
			v.pack.filter = shuffle.Spec{ID: s.ID}
		}
	}
}

// documents returns the documents of a version.
func (v *View) documents(version int, labels ndarray.Labels) (d viewDocs) {
	l := &layout{shape: v.shape, chunks: v.chunks, dtype: v.dtype, labels: labels}
	l.inheritFill(v.src, version)
	_ = l.moveMissing(version) // there is nobody to tell
	l.labels.Attributes = expressible(l.labels.Attributes, nil)

	d.fill = l.fill
	if d.fill == nil && version == 3 {
		d.fill = make([]byte, v.dtype.Size())
	}

	var doc, attributes meta.Map
	if version == 2 {
		doc, attributes, d.err = l.documentV2(&v.pack)
	} else {
		doc, d.err = l.documentV3(&v.pack)
	}

	if d.err == nil {
		d.meta, d.err = appendJSON(nil, doc, "")
	}
	if d.err == nil {
		d.attributes, d.err = appendJSON(nil, append(meta.Map{}, attributes...), "")
	}
	return d
}

// Document returns a document of the array by its name: "zarr.json", ".zarray" or ".zattrs". It
// fails if the version has no dtype for the items; the error matches cairn.ErrUnsupported. The
// caller must not change the result.
func (v *View) Document(name string) ([]byte, error) {
	switch d := &v.docs[0]; name {
	case nameV3:
		return v.docs[1].meta, v.docs[1].err
	case nameArrayV2:
		return d.meta, d.err
	case nameAttributesV2:
		return d.attributes, d.err
	}
	return nil, fmt.Errorf("an array has no %q: %w", clip(name), cairn.ErrNotFound)
}

// Shape returns the number of items per dimension.
func (v *View) Shape() ndarray.Shape { return slices.Clone(v.shape) }

// Chunks returns the number of items per dimension of a chunk.
func (v *View) Chunks() ndarray.Shape { return slices.Clone(v.chunks) }

// ChunkSize returns the bytes of a decoded chunk.
func (v *View) ChunkSize() int64 { return v.size }

// Copies reports whether chunks may consist of blocks as they are stored.
func (v *View) Copies() bool { return v.stored != nil }

// ParseKey returns where the chunk is in the grid whose key is given, such as "c/0/12" in version 3
// and "0.12" in version 2. It returns false if there is no such chunk.
func (v *View) ParseKey(key string) (version int, at []int64, ok bool) {
	version = 2
	separator := "."
	if rest, found := strings.CutPrefix(key, "c/"); found || key == "c" {
		version = 3
		separator = "/"
		key = rest
		if !found {
			key = ""
		}
	}

	if len(v.shape) == 0 {
		return version, nil, version == 3 && key == "" || version == 2 && key == "0"
	}

	for part := range strings.SplitSeq(key, separator) {
		n, err := strconv.ParseInt(part, 10, 64)
		d := len(at)
		if err != nil || d == len(v.count) || n < 0 || n >= v.count[d] || strconv.FormatInt(n, 10) != part {
			return version, nil, false
		}
		at = append(at, n)
	}
	return version, at, len(at) == len(v.shape)
}

// AppendChunk appends the chunk at coordinates of the grid, as it is encoded in a version of the
// format. It appends nothing if the chunk is one of those that are not there, because they consist
// of the fill value. recoded reports whether that took decoding and encoding.
func (v *View) AppendChunk(ctx context.Context, dst []byte, version int, at []int64) (_ []byte, recoded bool, err error) {
	if version < 2 || version > 3 || len(at) != len(v.count) {
		return dst, false, fmt.Errorf("chunk %v of version %d: %w", at, version, cairn.ErrBounds)
	}
	for d, n := range at {
		if n < 0 || n >= v.count[d] {
			return dst, false, fmt.Errorf("chunk %v of %v: %w", at, v.count, cairn.ErrBounds)
		}
	}

	w, ok := v.pool.Get().(*viewWorker)
	if !ok {
		w = &viewWorker{View: v, repacker: chunk.NewRepacker(cairn.Limits{})}
	}
	defer v.pool.Put(w)

	fill := v.docs[version-2].fill
	if v.stored != nil {
		if dst, ok, err := w.copied(ctx, dst, at, fill); ok || err != nil {
			return dst, false, err
		}
	}

	dst, err = w.encoded(ctx, dst, at, fill)
	return dst, true, err
}
