package zarr

import (
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/meta"
)

// numcodecsPrefix precedes the names of numcodecs in version 3.
const numcodecsPrefix = "numcodecs."

// A builder makes the stages of a chunk from metadata.
type builder struct {
	form   form // of the data behind the stages so far; without a shape they are bytes
	fill   []byte
	limits cairn.Limits
	texts  int // characters of items that are texts of variable length, or 0
	stages []stage
	recast bool     // a filter has changed the dtype, or works on its bytes
	names  []string // of the codecs, for people
}

func (b *builder) add(name string, s stage) {
	b.stages = append(b.stages, s)
	b.names = append(b.names, name)
}

// numcodec adds a filter or compressor under its name in numcodecs.
func (b *builder) numcodec(name string, c meta.Map) error {
	if s, ok := compressorOf(name); ok {
		b.add(compressorText(name, c), s)
		return nil
	}
	if s, ok, err := checksumOf(name, c); ok {
		b.add(name, s)
		return err
	}

	switch name {
	case "delta", "fixedscaleoffset", "quantize", "astype":
		s, err := recodingOf(name, c)
		if err != nil {
			return err
		}
		b.recast = true
		b.add(name, s)
	case nameVLen:
		if b.texts == 0 || len(b.stages) > 0 {
			return unsupported("codec %s behind others, or of other items than texts", name)
		}
		b.form.shape = nil
		b.add(name, texts{b.texts})
	case "packbits":
		b.recast = true
		b.add(name, packbits{})
	case "bitround":
		b.add(name, same{})
	case "shuffle":
		n, err := intOf("elementsize of shuffle", orElse(field(c, "elementsize"), int64(4)), 0, 1<<20)
		if err != nil {
			return err
		}
		b.add(name, byteShuffle{int(n)})
	default:
		return unsupported("codec %q", clip(name))
	}
	return nil
}

func orElse(v, instead any) any {
	if v == nil {
		return instead
	}
	return v
}

// compressorText describes a compressor.
func compressorText(name string, c meta.Map) string {
	if cname, ok := field(c, "cname").(string); ok {
		return name + " (" + clip(cname) + ")"
	}
	return name
}

// transpose adds a transposition.
func (b *builder) transpose(order []int) {
	t := &transposition{shape: b.form.shape, order: order, item: int64(b.form.dtype.Size())}

	shape := make([]int64, len(t.shape))
	for i, d := range t.order {
		shape[i] = t.shape[d]
	}
	b.form.shape = shape

	b.add("transpose", t)
}

// codecsV3 adds the codecs of version 3.
func (b *builder) codecsV3(list []any) error {
	for _, v := range list {
		name, c, err := namedParts("a codec", v)
		if err != nil {
			return err
		}
		if b.form.shape != nil {
			err = b.arrayCodec(name, c)
		} else {
			err = b.bytesCodec(name, c)
		}
		if err != nil {
			return err
		}
	}

	if b.form.shape != nil {
		return corrupt("no codec makes bytes of the array")
	}
	return nil
}

// arrayCodec adds a codec from arrays to arrays or to bytes.
func (b *builder) arrayCodec(name string, c meta.Map) error {
	switch name {
	case "transpose":
		order, err := transposeOrder(field(c, "order"), len(b.form.shape))
		if err != nil {
			return err
		}
		if b.recast {
			return unsupported("codec transpose behind a filter")
		}
		b.transpose(order)

	case nameVLen:
		return b.numcodec(name, c)

	case "bytes":
		if b.texts > 0 {
			return corrupt("codec bytes of texts")
		}
		if endian := field(c, "endian"); endian == "big" && b.recast {
			return unsupported("big-endian bytes behind a filter")
		}
		b.form.shape = nil
		b.names = append(b.names, name)

	case "sharding_indexed":
		if b.recast {
			return unsupported("codec sharding_indexed behind a filter")
		}
		return b.sharding(c)

	case numcodecsPrefix + pcodecName:
		if b.texts > 0 {
			return corrupt("codec %s of texts", name)
		}
		b.form.shape = nil
		return b.numcodec(pcodecName, c)

	case "vlen-bytes":
		return unsupported("codec %s: items without a fixed size; %s", name, noObjects)

	default:
		short, ok := strings.CutPrefix(name, numcodecsPrefix)
		if !ok {
			return unsupported("codec %q", clip(name))
		}
		if err := b.numcodec(short, c); err != nil {
			return err
		}

		switch s := b.stages[len(b.stages)-1].(type) {
		case *recoding, packbits, same:
		default:
			return corrupt("codec %s of bytes, type %T, where one of arrays belongs", name, s)
		}
	}
	return nil
}

// bytesCodec adds a codec from bytes to bytes.
func (b *builder) bytesCodec(name string, c meta.Map) error {
	switch name {
	case "blosc", "zstd", "gzip", "crc32c":
	default:
		short, ok := strings.CutPrefix(name, numcodecsPrefix)
		if !ok {
			return unsupported("codec %q", clip(name))
		}
		name = short
	}

	if name == pcodecName {
		return corrupt("codec %s of numbers, where one of bytes belongs", name)
	}
	if err := b.numcodec(name, c); err != nil {
		return err
	}

	switch b.stages[len(b.stages)-1].(type) {
	case *recoding, packbits, same:
		return corrupt("codec %s of arrays, where one of bytes belongs", name)
	}
	return nil
}

// transposeOrder returns a permutation of the dimensions: a list of them, or "C" or "F".
func transposeOrder(v any, dims int) ([]int, error) {
	order := reversed(dims)
	if v == "F" {
		return order, nil
	}
	if v == "C" {
		for i := range order {
			order[i] = i
		}
		return order, nil
	}

	list, err := intsOf("the order of codec transpose", v, 0, int64(dims)-1)
	if err != nil {
		return nil, err
	}

	seen := make([]bool, dims)
	for i, d := range list {
		if len(list) != dims || seen[d] {
			return nil, corrupt("the order of codec transpose is %v for %d dimensions", list, dims)
		}
		seen[d] = true
		order[i] = int(d)
	}
	if len(list) != dims {
		return nil, corrupt("the order of codec transpose is %v for %d dimensions", list, dims)
	}
	return order, nil
}

// sharding adds the codec sharding_indexed.
func (b *builder) sharding(c meta.Map) error {
	s := &sharding{fill: b.fill}
	var err error
	if s.inner, err = intsOf("the chunk_shape of a shard", field(c, "chunk_shape"), 1, 1<<62); err != nil {
		return err
	}
	if len(s.inner) != len(b.form.shape) {
		return corrupt("inner chunks %v in shards %v", s.inner, b.form.shape)
	}

	// The index has an entry for each inner chunk, so its size follows from their number.
	count := []int64{}
	for i, n := range s.inner {
		if b.form.shape[i]%n != 0 {
			return corrupt("inner chunks %v do not fill shards %v", s.inner, b.form.shape)
		}
		count = append(count, b.form.shape[i]/n)
	}

	switch where := field(c, "index_location"); where {
	case nil, "end":
	case "start":
		s.atStart = true
	default:
		return corrupt("index_location %s", brief(where))
	}

	if s.part, err = grid.New(b.form.shape, s.inner, s.inner, int64(b.form.dtype.Size())); err != nil {
		return corrupt("%v", err)
	}
	if err := s.setIndex(field(c, "index_codecs"), count, b.limits); err != nil {
		return err
	}

	inner := builder{form: form{s.inner, b.form.dtype}, fill: b.fill, limits: b.limits, texts: b.texts}
	list, ok := field(c, "codecs").([]any)
	if !ok {
		return corrupt("sharding without codecs")
	}
	if err := inner.codecsV3(list); err != nil {
		return err
	}

	size, ok := sizeOf(s.inner, b.form.dtype)
	if !ok {
		return corrupt("inner chunks %v are too large", s.inner)
	}
	if s.chain, err = newChain(size, inner.stages, b.limits); err != nil {
		return err
	}

	b.form.shape = nil
	b.add("sharding_indexed", s)
	b.names = append(b.names, inner.names...)
	return nil
}

// setIndex sets up decoding of the index, for count inner chunks along each dimension.
func (s *sharding) setIndex(v any, count []int64, l cairn.Limits) error {
	if v == nil {
		v = []any{"bytes", "crc32c"}
	}
	list, ok := v.([]any)
	if !ok {
		return corrupt("index_codecs is not a list")
	}

	n, ok := grid.Product(count)
	if !ok || n > l.MaxIndex/indexEntry {
		return corrupt("shards with too many inner chunks: %v", count)
	}
	if endianOf(list) == ">" {
		return unsupported("shards with a big-endian index")
	}

	word, err := meta.ParseDType("<u8")
	if err != nil {
		return err
	}

	index := builder{form: form{append(count, 2), word}, limits: l}
	if err := index.codecsV3(list); err != nil {
		return err
	}
	if s.index, err = newChain(n*indexEntry, index.stages, l); err != nil {
		return err
	}

	if s.index.encodedSize() < 0 {
		return unsupported("shards with a compressed index")
	}
	return nil
}

// sizeOf returns the bytes of a shape.
func sizeOf(shape []int64, d meta.DType) (int64, bool) {
	return grid.Product(append([]int64{int64(d.Size())}, shape...))
}

// endianOf returns NumPy's letter for the byte order that the codecs of version 3 state.
func endianOf(list []any) string {
	for _, v := range list {
		name, c, err := namedParts("a codec", v)
		if err != nil {
			continue
		}

		switch name {
		case "bytes":
			if field(c, "endian") == "big" {
				return ">"
			}
			return "<"
		case "sharding_indexed":
			inner, _ := field(c, "codecs").([]any)
			return endianOf(inner)
		}
	}
	return "<"
}
