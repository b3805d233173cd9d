package zarr

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/pcodec"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

// list returns numbers as a JSON value.
func list(ints []int64) []any {
	out := make([]any, len(ints))
	for i, n := range ints {
		out[i] = n
	}
	return out
}

// jsonObject returns a JSON object.
func jsonObject(pairs ...any) meta.Map {
	var m meta.Map
	for i := 0; i < len(pairs); i += 2 {
		m = append(m, meta.Pair{Key: pairs[i], Value: pairs[i+1]})
	}
	return m
}

// configured returns an extension point of version 3.
func configured(name string, pairs ...any) meta.Map {
	if len(pairs) == 0 {
		return jsonObject("name", name)
	}
	return jsonObject("name", name, "configuration", jsonObject(pairs...))
}

// names returns the names of dimensions as a JSON value.
func names(dims []string) []any {
	out := make([]any, len(dims))
	for i, name := range dims {
		if name != "" {
			out[i] = name
		}
	}
	return out
}

// A packing is how chunks are compressed.
type packing struct {
	kind   Compressor
	codec  codecs.Codec
	cname  string
	level  int
	filter shuffle.Spec
	item   int // bytes of an item for Blosc, at most 255
	number pcodec.Type
}

func (o *SaveOptions) packing(d meta.DType) (*packing, error) {
	p := &packing{kind: o.Compressor, codec: o.Codec, level: o.Level, filter: shuffle.Byte, item: d.Size()}
	if p.kind == Pcodec {
		p.number = numberOf(d)
		if p.number == 0 {
			p.kind = Blosc
		}
	}
	if p.level == 0 {
		p.level = 5
		if p.kind == Pcodec {
			p.level = pcodec.DefaultLevel
		}
	}
	if p.item > 255 {
		p.item = 1
	}
	if p.item == 1 {
		p.filter = shuffle.None
	}
	if o.Shuffle != nil {
		p.filter = *o.Shuffle
	}

	if p.kind != Blosc {
		return p, nil
	}

	row, err := (*codecs.Registry)(nil).Lookup(p.codec.ID())
	if err != nil {
		return nil, err
	}

	p.cname = row.Name
	if _, err := shuffleName(p.filter); err != nil {
		return nil, err
	}
	if !inBlosc(row) {
		return nil, fmt.Errorf("codec %s is none of Blosc in Zarr: %w", row.Name, cairn.ErrUnsupported)
	}
	return p, nil
}

// numberOf returns the type that Pcodec has for items of a dtype, or 0. Zarr has none of it for
// bytes, and none in another byte order than its own.
func numberOf(d meta.DType) pcodec.Type {
	if d.BigEndian() || d.IsStruct() {
		return 0
	}
	switch d.Size() {
	case 2:
		return byKind(d, pcodec.Uint16, pcodec.Int16, pcodec.Float16)
	case 4:
		return byKind(d, pcodec.Uint32, pcodec.Int32, pcodec.Float32)
	case 8:
		return byKind(d, pcodec.Uint64, pcodec.Int64, pcodec.Float64)
	}
	return 0
}

// byKind returns one of three types by the kind of a dtype, or 0.
func byKind(d meta.DType, unsigned, signed, floating pcodec.Type) pcodec.Type {
	switch d.Kind() {
	case 'u':
		return unsigned
	case 'i':
		return signed
	case 'f':
		return floating
	}
	return 0
}

// inBlosc reports whether numcodecs, zarrs and TensorStore decode Blosc chunks of a codec.
func inBlosc(row codecs.Row) bool { return row.WireCode < 6 && !row.Legacy }

// shuffles are the filters of Blosc, by their number in version 2.
var shuffles = [...]struct {
	filter shuffle.Spec
	name   string
}{{shuffle.None, "noshuffle"}, {shuffle.Byte, "shuffle"}, {shuffle.Bit, "bitshuffle"}}

func shuffleName(s shuffle.Spec) (int, error) {
	for i, f := range shuffles {
		if f.filter == s {
			return i, nil
		}
	}
	return 0, fmt.Errorf("filter %s is none of Blosc in Zarr: %w", s, cairn.ErrUnsupported)
}

// v2 returns the compressor of version 2.
func (p *packing) v2() any {
	number, _ := shuffleName(p.filter) // checked before
	switch p.kind {
	case Blosc:
		return jsonObject("id", "blosc", "cname", p.cname, "clevel", p.level, "shuffle", number, "blocksize", 0)
	case Zstd, Gzip, Zlib, Pcodec:
		return jsonObject("id", p.kind.String(), "level", p.level)
	}
	return nil
}

// v3 appends the codec of version 3. Pcodec makes bytes of numbers itself.
func (p *packing) v3(codecs []any) []any {
	number, _ := shuffleName(p.filter) // checked before
	switch p.kind {
	case Blosc:
		return append(codecs, configured("blosc", "typesize", p.item, "cname", p.cname, "clevel", p.level,
			"shuffle", shuffles[number].name, "blocksize", 0))
	case Zstd:
		return append(codecs, configured("zstd", "level", p.level, "checksum", false))
	case Gzip:
		return append(codecs, configured("gzip", "level", p.level))
	case Pcodec:
		return []any{configured(numcodecsPrefix+pcodecName, "level", p.level)}
	}
	return codecs
}

// documentV2 returns .zarray and .zattrs. Without a fill value it is left open: if it were zero,
// xarray would take every zero for a missing item. All chunks are written then, as what missing
// ones hold is open too.
func (l *layout) documentV2(p *packing) (doc, attributes meta.Map, err error) {
	dtype, err := jsonV2(l.dtype)
	if err != nil {
		return nil, nil, err
	}

	fill := l.fill
	var fillValue any
	if fill != nil {
		fillValue = fillJSON(fill, l.dtype, 2)
	}

	doc = jsonObject("zarr_format", 2, "shape", list(l.shape), "chunks", list(l.chunks), "dtype", dtype,
		"compressor", p.v2(),
		"fill_value", fillValue, "order", "C", "filters", nil, "dimension_separator", ".")

	if l.labels.Dims != nil {
		attributes = jsonObject(dimsAttribute, names(l.labels.Dims))
	}
	return doc, append(attributes, l.labels.Attributes...), nil
}

// documentV3 returns zarr.json.
func (l *layout) documentV3(p *packing) (meta.Map, error) {
	dtype, err := jsonV3(l.dtype)
	if err != nil {
		return nil, err
	}

	fill := l.fill
	if fill == nil {
		fill = make([]byte, l.dtype.Size())
	}

	bytes := configured("bytes")
	if plain := l.dtype.Size() > 1 && !l.dtype.IsStruct(); plain {
		endian := "little"
		if l.dtype.BigEndian() {
			endian = "big"
		}
		bytes = configured("bytes", "endian", endian)
	}

	stages := p.v3([]any{bytes})
	chunks := l.chunks
	if l.shards != nil {
		chunks = l.shards
		index := []any{configured("bytes", "endian", "little"), configured("crc32c")}
		stages = []any{configured("sharding_indexed", "chunk_shape", list(l.chunks), "codecs", stages,
			"index_codecs", index, "index_location", "end")}
	}

	doc := jsonObject("zarr_format", 3, "node_type", "array", "shape", list(l.shape), "data_type", dtype,
		"chunk_grid", configured("regular", "chunk_shape", list(chunks)),
		"chunk_key_encoding", configured("default", "separator", "/"),
		"fill_value", fillJSON(fill, l.dtype, 3), "codecs", stages, "attributes", append(meta.Map{},
			l.labels.Attributes...))

	if l.labels.Dims != nil {
		doc = append(doc, meta.Pair{Key: "dimension_names", Value: names(l.labels.Dims)})
	}
	return doc, nil
}
