package zarr

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"path"
	"strconv"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Reference is an array with [ndarray.Options.ZarrBlocks] that [WriteReferences] presents as a
// Zarr array, or a group with attributes.
type Reference struct {
	Name   string           // "temperature" or "run1/temperature"; "" is the group of all
	Array  *ndarray.Untyped // committed, and as it is in the file; nil for a group
	URL    string           // of the file, or of the directory of a sparse array
	Offset int64            // of the array's frame in the file
	// names of the dimensions; nil means those of the array. One without a name has Name, "_" and
	// a number
	Dims       []string
	Attributes meta.Map // nil means those of the array; what JSON has no form for is left out
}

// WriteReferences writes references to arrays as JSON, in the form of kerchunk with the keys of
// Zarr 2. Through fsspec's reference file system, zarr-python, xarray and dask read the arrays from
// the files that the references name, as one group. Blocks become Zarr chunks. They are in the
// references by value if they are of a special chunk, which has no bytes.
//
// It reads all chunks, encoded as they are. A chunk without the form of ZarrBlocks is an error that
// matches cairn.ErrUnsupported; C-Blosc2 writes such chunks when it changes an array.
//
// The form of the references is described at fsspec.github.io/kerchunk/spec.html.
func WriteReferences(ctx context.Context, w io.Writer, refs ...Reference) error {
	out := &referenceWriter{w: bufio.NewWriterSize(w, 1<<16), known: map[string]bool{}}
	out.text(`{"version":1,"refs":{".zgroup":` + groupDocument)

	for i := range refs {
		out.groups(refs[i].Name)
		if refs[i].Array == nil {
			if err := out.group(refs[i].Name, refs[i].Attributes); err != nil {
				return fmt.Errorf("references to group %q: %w", refs[i].Name, err)
			}
			continue
		}
		if err := out.array(ctx, &refs[i]); err != nil {
			return fmt.Errorf("references to %s: %w", refs[i].Array, err)
		}
	}

	out.text("}}\n")
	return out.w.Flush()
}

// referenceWriter writes the entries of references. The first error of the writer is kept by it.
type referenceWriter struct {
	w        *bufio.Writer
	known    map[string]bool // groups
	encoded  []byte
	constant constantBlock
}

func (w *referenceWriter) text(s string) { _, _ = w.w.WriteString(s) }

// document adds a key whose value is a document.
func (w *referenceWriter) document(key string, v meta.Map) error {
	doc, err := appendJSON(nil, v, "")
	if err != nil {
		return err
	}

	w.text("," + quoted(key) + ":" + quoted(string(doc)))
	return nil
}

// groups adds the groups of a name that have none yet.
func (w *referenceWriter) groups(name string) {
	for i, r := range name {
		if group := name[:i]; r == '/' && !w.known[group] {
			w.known[group] = true
			w.text("," + quoted(group+"/"+nameGroupV2) + ":" + groupDocument)
		}
	}
}

// group adds a group with attributes.
func (w *referenceWriter) group(name string, attributes meta.Map) error {
	if name != "" {
		name += "/"
		w.groups(name)
	}
	attributes = expressible(attributes, nil)
	if len(attributes) == 0 {
		return nil
	}
	return w.document(name+nameAttributesV2, attributes)
}

// groupDocument is the metadata of a group, as text in JSON.
const groupDocument = `"{\"zarr_format\":2}"`

func quoted(s string) string { return string(appendText(nil, s)) }

func (w *referenceWriter) array(ctx context.Context, r *Reference) error {
	f := r.Array.Frame().Snapshot()
	info := f.Info()
	if !info.ZarrBlocks {
		return fmt.Errorf("its blocks are not Zarr chunks; a copy with ZarrBlocks has some: %w", cairn.ErrUnsupported)
	}

	shape := r.Array.Shape()
	_, blocks := r.Array.Grid()
	l, err := r.layout(len(shape))
	if err != nil {
		return err
	}

	doc, err := l.blockArray(shape, blocks, info)
	if err != nil {
		return err
	}

	if err = w.document(r.Name+"/"+nameArrayV2, doc); err != nil {
		return err
	}

	err = w.document(r.Name+"/"+nameAttributesV2, append(jsonObject(dimsAttribute, names(l.labels.Dims)),
		l.labels.Attributes...))
	if err != nil {
		return err
	}

	u := r.Array
	chunk, block := u.Grid()
	grid := &blockGrid{shape: u.Shape(), block: block, at: make([]int64, len(block))}
	for i, n := range grid.shape {
		grid.chunks = append(grid.chunks, (n+max(chunk[i], 1)-1)/max(chunk[i], 1))
		grid.blocks = append(grid.blocks, (chunk[i]+max(block[i], 1)-1)/max(block[i], 1))
	}

	for i := range f.NumChunks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.chunk(r, f, i, grid); err != nil {
			return err
		}
	}
	return nil
}

// layout returns the labels and the fill value of an array, with names of all n dimensions, without
// which xarray does not read it.
func (r *Reference) layout(n int) (*layout, error) {
	l := &layout{shape: r.Array.Shape(), dtype: r.Array.DType()}
	if err := l.label(r.Array, nil); err != nil {
		return nil, err
	}

	dims := r.Dims
	if dims == nil {
		dims = l.labels.Dims
	}
	own := make([]string, n)
	for i := range own {
		if i < len(dims) {
			own[i] = dims[i]
		}
		if own[i] == "" {
			own[i] = path.Base(r.Name) + "_" + strconv.Itoa(i)
		}
	}
	l.labels.Dims = own

	if r.Attributes != nil {
		l.labels.Attributes = r.Attributes
	}
	if err := l.moveMissing(2); err != nil {
		return nil, err
	}
	l.labels.Attributes = expressible(l.labels.Attributes, nil)
	return l, nil
}

// blockArray returns the metadata of an array whose chunks are blocks. Its fill value is open
// unless it marks missing items, as xarray takes it for that.
func (l *layout) blockArray(shape, blocks ndarray.Shape, info frame.Info) (meta.Map, error) {
	dtype, err := jsonV2(l.dtype)
	if err != nil {
		return nil, err
	}

	var fill any
	if l.fill != nil {
		fill = fillJSON(l.fill, l.dtype, 2)
	}

	shuffle := 0
	for _, s := range info.Pipeline {
		shuffle = max(shuffle, int(s.ID)) // as in Blosc1: 1 for bytes, 2 for bits
	}

	for i := range blocks {
		blocks[i] = max(blocks[i], 1)
	}

	compressor := jsonObject("id", "blosc", "cname", info.Codec.String(), "clevel", info.Level,
		"shuffle", shuffle, "blocksize", 0)
	return jsonObject("zarr_format", 2, "shape", list(shape), "chunks", list(blocks), "dtype", dtype,
		"compressor", compressor, "fill_value", fill, "order", "C", "filters", nil, "dimension_separator", "."), nil
}

// chunk adds the blocks of chunk i that have items of the array.
func (w *referenceWriter) chunk(r *Reference, f *frame.Snapshot, i int, g *blockGrid) error {
	info, err := f.Chunk(i)
	if err != nil {
		return err
	}

	if w.encoded, err = f.EncodedChunk(w.encoded, i); err != nil {
		return err
	}

	if info.Kind != chunk.SpecialNone {
		value, err := w.constant.reference(w.encoded, f.Info())
		if err != nil {
			return err
		}

		g.each(i, func(_ int, key []byte) { w.entry(r, key, value) })
		return nil
	}

	extents, ok, err := chunk.ZarrBlocks(w.encoded)
	if err == nil && !ok {
		err = fmt.Errorf("chunk %d is of another program, which does not make blocks Zarr chunks; "+
			"a copy that encodes everything again mends that: %w", i, cairn.ErrUnsupported)
	}
	if err != nil {
		return err
	}

	url := r.URL
	if info.File != "" {
		url += "/" + info.File
	}
	url = quoted(url)

	g.each(i, func(block int, key []byte) {
		at := r.Offset + info.Offset + int64(extents[block].Offset)
		w.entry(r, key, fmt.Sprintf("[%s,%d,%d]", url, at, extents[block].Size))
	})
	return nil
}

// entry adds the key of a block with a value that is JSON.
func (w *referenceWriter) entry(r *Reference, key []byte, value string) {
	w.text("," + quoted(r.Name+"/"+string(key)) + ":" + value)
}

// constantBlock makes the references to blocks of special chunks. It keeps the last one.
type constantBlock struct {
	encoder *chunk.Encoder
	of      frame.Info
	item    []byte
	value   string
}

// reference returns the value for a block of the special chunk c.
func (b *constantBlock) reference(c []byte, info frame.Info) (string, error) {
	item, err := chunk.SpecialItem(nil, c)
	if err != nil || b.value != "" && string(item) == string(b.item) && info == b.of {
		return b.value, err
	}

	if b.encoder == nil || info != b.of {
		b.of = info
		b.encoder = nil
		b.encoder, err = chunk.NewEncoder(&chunk.Options{TypeSize: info.TypeSize, BlockSize: info.BlockSize,
			Codec: info.Codec, Filters: info.Pipeline[:], Blosc1: true})
		if err != nil {
			return "", err
		}
	}

	block := make([]byte, info.BlockSize)
	for at := 0; len(item) > 0 && at < len(block); at += len(item) {
		copy(block[at:], item)
	}

	encoded, err := b.encoder.Append(nil, block)
	b.item = item
	b.value = quoted("base64:" + base64.StdEncoding.EncodeToString(encoded))
	return b.value, err
}

// blockGrid numbers the blocks of an array as Zarr does: along the whole array, not by chunk.
type blockGrid struct {
	shape, block   ndarray.Shape
	chunks, blocks []int64 // how many chunks the array has along each axis, and blocks a chunk
	at             []int64
	key            []byte
}

// each calls do for the blocks of a chunk that have items of the array, with the number of the
// block in the chunk and its key.
func (g *blockGrid) each(chunk int, do func(block int, key []byte)) {
	total := int64(1)
	for _, n := range g.blocks {
		total *= n
	}

	for block := range total {
		inside := true
		c := int64(chunk)
		b := block
		for i := len(g.shape) - 1; i >= 0; i-- {
			g.at[i] = c%g.chunks[i]*g.blocks[i] + b%g.blocks[i]
			c /= g.chunks[i]
			b /= g.blocks[i]
			inside = inside && g.at[i]*g.block[i] < g.shape[i]
		}
		if !inside {
			continue
		}

		g.key = g.key[:0]
		for i, n := range g.at {
			if i > 0 {
				g.key = append(g.key, '.')
			}
			g.key = strconv.AppendInt(g.key, n, 10)
		}

		if len(g.at) == 0 {
			g.key = append(g.key, '0')
		}
		do(int(block), g.key)
	}
}
