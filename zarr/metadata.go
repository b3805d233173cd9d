package zarr

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Names of keys, in the folder of a node.
const (
	nameV3           = "zarr.json"
	nameArrayV2      = ".zarray"
	nameGroupV2      = ".zgroup"
	nameAttributesV2 = ".zattrs"
	nameConsolidated = ".zmetadata"
)

// marks are the documents that a store may have in its root.
var marks = []string{nameV3, nameArrayV2, nameGroupV2, nameConsolidated}

// dimsAttribute is the attribute in which xarray keeps the names of dimensions in version 2.
const dimsAttribute = "_ARRAY_DIMENSIONS"

// metadata is what the documents of an array say.
type metadata struct {
	version int
	shape   []int64
	chunk   []int64 // shape of the chunks that have a key each
	dtype   meta.DType
	fill    []byte
	// of texts of variable length, until it is known how long they are
	sized    func(width int) (*metadata, error)
	textFill int // characters of the fill value

	open       bool     // the fill value is null, so that missing items may be anything
	dims       []string // names of the dimensions, "" for one without; nil if there are none
	attributes meta.Map // without the names of dimensions
	names      []string // of the codecs
	// of chunk keys: what comes first, and between the numbers; zero for an array without
	// dimensions
	prefix, separator, zero string

	part  *grid.Partition // the array and the chunks that are encoded on their own
	chain *chain          // of those
	shard *sharding       // that contains them, or nil
}

// shapes parses the shapes of an array and of its chunks.
func (m *metadata) shapes(shape, chunk any) (err error) {
	if m.shape, err = intsOf("the shape", shape, 0, 1<<62); err != nil {
		return err
	}
	if m.chunk, err = intsOf("the chunk shape", chunk, 0, 1<<62); err != nil {
		return err
	}

	switch n := len(m.shape); {
	case n != len(m.chunk):
		return corrupt("shape %v in chunks of %v", m.shape, m.chunk)
	case n > grid.MaxDims:
		return unsupported("%d dimensions; the most is %d", n, grid.MaxDims)
	}

	for i, n := range m.chunk {
		if n == 0 { // old versions of zarr-python write 0 for an array without items
			if m.shape[i] != 0 {
				return corrupt("shape %v in chunks of %v", m.shape, m.chunk)
			}
			m.chunk[i] = 1
		}
	}
	return nil
}

// setFill sets the fill value, once an item is known to be small enough.
func (m *metadata) setFill(v any, l cairn.Limits) (err error) {
	if most := min(l.MaxChunk, l.MaxAlloc); int64(m.dtype.Size()) > most {
		return fmt.Errorf("items of %d bytes, the most is %d: %w", m.dtype.Size(), most, cairn.ErrLimit)
	}
	m.open = v == nil
	m.fill, err = fillItem(v, m.dtype)
	return err
}

// finish makes the chain of stages and the grid of chunks.
func (m *metadata) finish(b *builder, l cairn.Limits) error {
	m.names = b.names
	leaf := m.chunk
	if s, ok := single(b.stages); ok {
		m.shard = s
		m.chain = s.chain
		leaf = s.inner
	} else {
		size, ok := sizeOf(m.chunk, m.dtype)
		if !ok {
			return corrupt("chunks %v are too large", m.chunk)
		}
		var err error
		if m.chain, err = newChain(size, b.stages, l); err != nil {
			return err
		}
	}

	var err error
	if m.part, err = grid.New(m.shape, leaf, leaf, int64(m.dtype.Size())); err != nil {
		return corrupt("%v", err)
	}
	return nil
}

// single returns the sharding of an array with no other stage: its inner chunks can be read alone.
func single(stages []stage) (*sharding, bool) {
	if len(stages) != 1 {
		return nil, false
	}
	s, ok := stages[0].(*sharding)
	return s, ok
}

// appendKey appends the key of the chunk at coordinates of the grid.
func (m *metadata) appendKey(dst []byte, at []int64) []byte {
	dst = append(dst, m.prefix...)
	if len(at) == 0 {
		return append(dst, m.zero...)
	}

	for i, n := range at {
		if i > 0 || m.prefix != "" {
			dst = append(dst, m.separator...)
		}
		dst = strconv.AppendInt(dst, n, 10)
	}
	return dst
}

// parseV2 parses the document .zarray and the attributes, which may be nil.
func parseV2(doc, attributes meta.Map, l cairn.Limits) (*metadata, error) {
	return parseV2With(doc, attributes, l, 0)
}

// parseV2With is parseV2 for texts of up to width characters, if that is not 0.
func parseV2With(doc, attributes meta.Map, l cairn.Limits, width int) (*metadata, error) {
	m := &metadata{version: 2, separator: ".", zero: "0", attributes: attributes}
	if _, err := intOf("zarr_format", field(doc, "zarr_format"), 2, 2); err != nil {
		return nil, err
	}
	if err := m.shapes(field(doc, "shape"), field(doc, "chunks")); err != nil {
		return nil, err
	}

	switch s := field(doc, "dimension_separator"); s {
	case nil, ".":
	case "/":
		m.separator = "/"
	default:
		return nil, corrupt("dimension_separator %s", brief(s))
	}

	filters, ok := orElse(field(doc, "filters"), []any{}).([]any)
	if !ok {
		return nil, corrupt("filters are not a list")
	}

	// Texts of any length are read as texts of the longest one's width.
	dtype := field(doc, "dtype")
	if dtype == "|O" && isTexts(filters) {
		width = m.texts(width, field(doc, "fill_value"), func(width int) (*metadata, error) {
			return parseV2With(doc, attributes, l, width)
		})
		dtype = fmt.Sprintf("<U%d", width)
	}

	var err error
	if m.dtype, err = parseDType(dtype); err != nil {
		return nil, err
	}
	if err := m.setFill(field(doc, "fill_value"), l); err != nil {
		return nil, err
	}

	// The order of items is what a codec transpose before all others would make of them.
	b := &builder{form: form{m.chunk, m.dtype}, fill: m.fill, limits: l, texts: width}
	switch order := field(doc, "order"); order {
	case "C", nil:
	case "F":
		if len(m.chunk) > 1 && width > 0 {
			return nil, unsupported("texts in order F")
		}
		if len(m.chunk) > 1 {
			b.transpose(reversed(len(m.chunk)))
			b.names = []string{"order F"}
		}
	default:
		return nil, corrupt("order %s", brief(order))
	}

	// Compressors and filters are the same to the chain: the compressor comes last.
	if c := field(doc, "compressor"); c != nil {
		filters = append(filters[:len(filters):len(filters)], c)
	}

	for _, f := range filters {
		c, err := objectOf("a filter", f)
		if err != nil {
			return nil, err
		}

		id, err := textOf("the id of a filter", field(c, "id"))
		if err != nil {
			return nil, err
		}

		if err = b.numcodec(id, c); err != nil {
			return nil, err
		}
	}

	m.takeDims()
	m.takeMissing(field(doc, "fill_value"))
	return m, m.finish(b, l)
}

// isTexts reports whether filters of version 2 begin with that of texts.
func isTexts(filters []any) bool {
	if len(filters) == 0 {
		return false
	}
	first, _ := filters[0].(meta.Map)
	return field(first, "id") == nameVLen
}

// texts notes that items are texts, and returns how many characters they have for now.
func (m *metadata) texts(width int, fill any, sized func(width int) (*metadata, error)) int {
	text, _ := fill.(string)
	m.sized = sized
	m.textFill = utf8.RuneCountInString(text)
	return max(width, m.textFill, 1)
}

// takeDims moves xarray's names of dimensions out of the attributes, if they fit.
func (m *metadata) takeDims() {
	i := slices.IndexFunc(m.attributes, func(p meta.Pair) bool { return p.Key == dimsAttribute })
	if i < 0 {
		return
	}
	if dims, ok := dimsOf(m.attributes[i].Value, len(m.shape)); ok {
		m.dims = dims
		m.attributes = slices.Delete(slices.Clone(m.attributes), i, i+1)
	}
}

// dimsOf returns the names of n dimensions.
func dimsOf(v any, n int) ([]string, bool) {
	list, ok := v.([]any)
	if !ok || len(list) != n {
		return nil, false
	}

	dims := make([]string, n)
	for i, v := range list {
		if v == nil {
			continue
		}
		if dims[i], ok = v.(string); !ok {
			return nil, false
		}
	}
	return dims, true
}

// membersV3 are the members of metadata of version 3. Others must say that they need not be
// understood.
var membersV3 = []string{
	"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value",
	"codecs", "attributes", "dimension_names", "storage_transformers", "consolidated_metadata",
}

func checkV3(doc meta.Map) error {
	for _, p := range doc {
		name, _ := p.Key.(string)
		if slices.Contains(membersV3, name) {
			continue
		}
		if m, ok := p.Value.(meta.Map); !ok || field(m, "must_understand") != false {
			return unsupported("metadata with %q", clip(name))
		}
	}

	_, err := intOf("zarr_format", field(doc, "zarr_format"), 3, 3)
	return err
}

// parseV3 parses zarr.json of an array.
func parseV3(doc meta.Map, l cairn.Limits) (*metadata, error) { return parseV3With(doc, l, 0) }

// parseV3With is parseV3 for texts of up to width characters, if that is not 0.
func parseV3With(doc meta.Map, l cairn.Limits, width int) (*metadata, error) {
	m := &metadata{version: 3}
	if err := checkV3(doc); err != nil {
		return nil, err
	}
	if list, _ := field(doc, "storage_transformers").([]any); len(list) > 0 {
		return nil, unsupported("storage transformers")
	}

	name, c, err := namedParts("the chunk grid", field(doc, "chunk_grid"))
	if err != nil {
		return nil, err
	}
	if name != "regular" {
		return nil, unsupported("chunk grid %q", clip(name))
	}

	if err := m.shapes(field(doc, "shape"), field(c, "chunk_shape")); err != nil {
		return nil, err
	}
	if err := m.setKeys(field(doc, "chunk_key_encoding")); err != nil {
		return nil, err
	}
	if m.attributes, err = attributesOf(doc); err != nil {
		return nil, err
	}

	if names := field(doc, "dimension_names"); names != nil {
		var ok bool
		if m.dims, ok = dimsOf(names, len(m.shape)); !ok {
			return nil, corrupt("dimension_names %s for %d dimensions", brief(names), len(m.shape))
		}
	} else {
		m.takeDims()
	}

	// The codecs state the byte order, which is part of the dtype here.
	list, ok := field(doc, "codecs").([]any)
	if !ok {
		return nil, corrupt("codecs are not a list")
	}

	var descr any
	if name := field(doc, "data_type"); name == "string" {
		width = m.texts(width, field(doc, "fill_value"), func(width int) (*metadata, error) {
			return parseV3With(doc, l, width)
		})
		descr = fmt.Sprintf("<U%d", width)
	} else if descr, err = descrV3(name, endianOf(list), 0); err != nil {
		return nil, err
	}
	if m.dtype, err = parseDType(descr); err != nil {
		return nil, err
	}

	if err := m.setFill(field(doc, "fill_value"), l); err != nil {
		return nil, err
	}
	m.takeMissing(nil)

	b := &builder{form: form{m.chunk, m.dtype}, fill: m.fill, limits: l, texts: width}
	if err := b.codecsV3(list); err != nil {
		return nil, err
	}
	return m, m.finish(b, l)
}

// attributesOf returns the attributes in a document of version 3.
func attributesOf(doc meta.Map) (meta.Map, error) {
	v := field(doc, "attributes")
	if v == nil {
		return nil, nil
	}
	return objectOf("attributes", v)
}

// setKeys sets the encoding of chunk keys of version 3.
func (m *metadata) setKeys(v any) error {
	name, c, err := namedParts("chunk_key_encoding", v)
	if err != nil {
		return err
	}

	switch name {
	case "default":
		m.prefix = "c"
		m.separator = "/"
	case "v2":
		m.separator = "."
		m.zero = "0"
	default:
		return unsupported("chunk key encoding %q", clip(name))
	}

	switch s := field(c, "separator"); s {
	case nil:
	case ".", "/":
		m.separator = fmt.Sprint(s)
	default:
		return corrupt("separator %s of chunk keys", brief(s))
	}
	return nil
}

// grids returns what reading is cheap in: shards of inner chunks, or chunks.
func (m *metadata) grids() (chunks, blocks ndarray.Shape) {
	leaf := append(ndarray.Shape{}, m.part.Chunk[:m.part.Dims]...)
	if m.shard == nil {
		return leaf, slices.Clone(leaf)
	}

	size, ok := sizeOf(m.chunk, m.dtype)
	if !ok || size > maxGridBytes {
		return leaf, slices.Clone(leaf)
	}
	return append(ndarray.Shape{}, m.chunk...), leaf
}

// maxGridBytes is the size of the largest shard that counts as cheap to read at once.
const maxGridBytes = 256 << 20
