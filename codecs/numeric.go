package codecs

import (
	"fmt"
	"math"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zstd"
	"github.com/cairn-go/cairn/internal/numeric"
	"github.com/cairn-go/cairn/shuffle"
)

// numericVersion is the version of the format, which the parameter byte has.
const numericVersion = 1

// The first byte of a stream (format: numeric, methods).
const (
	methodZstd    = 0 // the rest is a Zstandard frame
	methodShuffle = 1 // of bytes that are shuffled by the size of items in the next byte
	methodDelta   = 2 // and are differences within each row of shuffled bytes
	methodNumbers = 3 // the rest is a stream of internal/numeric
	methodBits    = 4 // as methodShuffle, of bits that are shuffled
)

func checkNumeric(what string, p Params) error {
	if p.Meta != 0 && p.Meta != numericVersion {
		return fmt.Errorf("numeric: %s version %d, must be %d: %w", what, p.Meta, numericVersion, cairn.ErrUnsupported)
	}
	return nil
}

func newNumericEncoder(p Params) (Encoder, error) {
	if err := checkNumeric("encoding", p); err != nil {
		return nil, err
	}

	e := &numericEncoder{
		size: p.TypeSize, zstd: zstd.NewEncoder(p.Level), quick: zstd.NewEncoder(1),
		context: shuffle.Context{TypeSize: p.TypeSize},
	}
	switch p.TypeSize {
	case 1, 2, 4, 8:
		e.numbers = numeric.NewEncoder(p.TypeSize, p.BlockShape, p.Level)
	}
	return e, nil
}

// A numericEncoder encodes blocks as numbers, or with Zstandard where that takes less room.
type numericEncoder struct {
	size    int
	numbers *numeric.Encoder // nil for items that are not numbers
	zstd    *zstd.Encoder
	quick   *zstd.Encoder // of samples

	stream   []byte
	parts    []byte
	context  shuffle.Context
	filtered [2][]byte // by filter
	other    []byte
	sizes    [methodBits + 1]int // by method: what Zstandard takes, about
}

// unsuited is what a method takes that is not for a block.
const unsuited = math.MaxInt32

// Encode implements [Encoder].
func (e *numericEncoder) Encode(dst, src []byte) (int, error) {
	if err := e.probe(src); err != nil {
		return 0, err
	}
	least := e.sizes[e.best()]
	slack := len(src) / slackPart
	e.stream = e.stream[:0]
	if e.numbers != nil {
		e.stream = append(e.stream, methodNumbers)
		e.stream = e.numbers.Append(e.stream, src, func(size int) bool {
			return size/repeats < least+slack
		})
	}
	size := len(e.stream)
	if size <= 1 {
		size = len(dst) + 1
	}

	// A probe of what takes next to no room says little, and Zstandard is fast then.
	n := 0
	easy := min(size, least) <= len(src)/easyPart
	for tries := 0; tries < mostTries; {
		method := e.best()
		expected := e.sizes[method]
		if expected == unsuited {
			break
		}
		e.sizes[method] = unsuited
		if method == methodZstd && expected < len(src)/4*3 {
			// Parts have no matches that are far apart.
			expected -= expected / farPart
		}
		if !easy && (expected > least/100*closeMargin+slack || expected > size/100*probeMargin+slack) {
			continue
		}

		tries++
		e.other = scratchFor(&e.other, min(len(dst), size-1))
		other, err := e.encodeBytes(e.other, src, method)
		if err != nil {
			return 0, err
		}
		if other > 0 {
			n = copy(dst, e.other[:other])
			size = n
		}
	}
	if n == 0 && len(e.stream) > 1 {
		return copyIfFits(dst, e.stream), nil
	}
	return n, nil
}

// A part of a block takes more room than the whole does, in proportion.
const (
	probes      = 4       // parts of a block that show how it should be encoded
	probed      = 2 << 10 // bytes of each
	probeMargin = 109     // per cent of numbers, up to which Zstandard is tried
	closeMargin = 104     // and of the best filter, up to which others are
	mostTries   = 3       // with Zstandard
	farPart     = 9       // the part that matches far apart save, about
	slackPart   = 256     // the part of a block by which any of this may be wrong
	easyPart    = 12      // the part of a block that makes it one for which all are tried
	repeats     = 2       // how much less than numbers Zstandard should take to do without these
)

// probe sets what the methods with Zstandard take, by parts of the block.
func (e *numericEncoder) probe(src []byte) error {
	part := src
	if len(src) > 2*probes*probed {
		unit := e.size
		if unit > 255 {
			unit = 1
		}
		e.parts = e.parts[:0]
		for i := range probes {
			at := (len(src)/probes*i + (len(src)/probes-probed)/2) / unit * unit
			e.parts = append(e.parts, src[at:at+probed/unit*unit]...)
		}
		part = e.parts
	}

	e.other = scratchFor(&e.other, len(part))
	for method := range e.sizes {
		e.sizes[method] = unsuited
		if !e.suits(method, src) {
			continue
		}
		filtered, err := e.filter(method, part)
		if err != nil {
			return err
		}

		n := e.quick.Encode(e.other, filtered)
		if n == 0 {
			n = len(part)
		}
		e.sizes[method] = int(int64(n) * int64(len(src)) / int64(len(part)))
	}
	return nil
}

// best returns the method that takes least.
func (e *numericEncoder) best() int {
	best := methodZstd
	for method, n := range e.sizes {
		if n < e.sizes[best] {
			best = method
		}
	}
	return best
}

// suits reports whether a method with Zstandard is one for a block.
func (e *numericEncoder) suits(method int, src []byte) bool {
	switch method {
	case methodZstd:
		return true
	case methodShuffle:
		// Bytes are shuffled as they are.
		return e.size > 1 && e.size <= 255 && len(src)%e.size == 0
	case methodDelta, methodBits:
		return e.size <= 255 && len(src)%e.size == 0
	}
	return false
}

// encodeBytes encodes src with Zstandard by a method. It returns 0 if dst has no room.
func (e *numericEncoder) encodeBytes(dst, src []byte, method int) (int, error) {
	head := 1
	if method != methodZstd {
		head = 2
	}
	if len(dst) <= head {
		return 0, nil
	}

	filtered, err := e.filter(method, src)
	if err != nil {
		return 0, err
	}
	n := e.zstd.Encode(dst[head:], filtered)
	if n == 0 {
		return 0, nil
	}
	dst[0] = uint8(method)
	if head > 1 {
		dst[1] = uint8(e.size)
	}
	return n + head, nil
}

// filter returns what Zstandard compresses.
func (e *numericEncoder) filter(method int, src []byte) ([]byte, error) {
	for i, id := range filtersOf(method) {
		filter, err := (*shuffle.Registry)(nil).Lookup(id)
		if err != nil {
			return nil, err
		}

		e.filtered[i] = scratchFor(&e.filtered[i], len(src))
		if err := filter.Forward(e.filtered[i], src, 0, &e.context); err != nil {
			return nil, err
		}
		src = e.filtered[i]
	}
	return src, nil
}

// filtersOf returns the filters of a method with Zstandard, in the order in which they run.
func filtersOf(method int) []shuffle.ID {
	switch method {
	case methodShuffle:
		return []shuffle.ID{shuffle.IDByte}
	case methodDelta:
		return []shuffle.ID{shuffle.IDByte, shuffle.IDByteDelta}
	case methodBits:
		return []shuffle.ID{shuffle.IDBit}
	}
	return nil
}

func newNumericDecoder(p Params) (Decoder, error) {
	if err := checkNumeric("decoding", p); err != nil {
		return nil, err
	}
	d, err := zstd.NewDecoder(nil)
	if err != nil {
		return nil, err
	}
	return &numericDecoder{zstd: d}, nil
}

// A numericDecoder decodes what a numericEncoder encodes.
type numericDecoder struct {
	numbers  numeric.Decoder
	zstd     *zstd.Decoder
	context  shuffle.Context
	filtered [2][]byte
}

// Decode implements [Decoder].
func (d *numericDecoder) Decode(dst, src []byte) error {
	if len(src) < 3 {
		return broken("numeric", nil)
	}
	switch src[0] {
	case methodNumbers:
		return d.numbers.Decode(dst, src[1:])
	case methodZstd:
		return d.zstd.Decode(dst, src[1:])
	case methodShuffle, methodDelta, methodBits:
	default:
		return cairn.Corruptf(layer, 0, "numeric stream with method %d", src[0])
	}

	size := int(src[1])
	if size == 0 || len(dst)%size != 0 {
		return cairn.Corruptf(layer, 1, "numeric stream of %d bytes in items of %d", len(dst), size)
	}
	return d.decodeFiltered(dst, src[2:], filtersOf(int(src[0])), size)
}

// decodeFiltered decodes a Zstandard frame, and undoes filters, which are one or two.
func (d *numericDecoder) decodeFiltered(dst, src []byte, filters []shuffle.ID, size int) error {
	d.context.TypeSize = size
	d.filtered[0] = scratchFor(&d.filtered[0], len(dst))
	if err := d.zstd.Decode(d.filtered[0], src); err != nil {
		return err
	}

	from := d.filtered[0]
	for i := len(filters) - 1; i >= 0; i-- {
		filter, err := (*shuffle.Registry)(nil).Lookup(filters[i])
		if err != nil {
			return err
		}

		to := dst
		if i > 0 {
			d.filtered[i] = scratchFor(&d.filtered[i], len(dst))
			to = d.filtered[i]
		}
		if err := filter.Backward(to, from, 0, &d.context); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// numericMemory is what an encoder takes: the items twice as integers, once sorted into classes,
// for each item of a byte 9 bytes of how it is coded, a stream, the bytes that Zstandard tries, and
// tables.
func numericMemory(level int, block int64) int64 {
	return 2*zstdMemory(level, block) + 16*block + 1<<20
}
