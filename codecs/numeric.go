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
	methodDigits  = 5 // as methodNumbers, whose integers are rows of digits in a Zstandard frame
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
		size: p.TypeSize, level: p.Level, zstd: zstd.NewEncoder(p.Level), quick: zstd.NewEncoder(1),
		context: shuffle.Context{TypeSize: p.TypeSize},
	}
	e.swift = e.zstd
	if p.Level == 4 || p.Level == 5 {
		e.swift = zstd.NewEncoder(3)
	}
	switch p.TypeSize {
	case 1, 2, 4, 8:
		e.numbers = numeric.NewEncoder(p.TypeSize, p.BlockShape, p.Level)
		e.numbers.Pack = e.pack
	}
	return e, nil
}

// A numericEncoder encodes blocks as numbers, or with Zstandard where that takes less room.
type numericEncoder struct {
	size    int
	level   int
	numbers *numeric.Encoder // nil for items that are not numbers
	zstd    *zstd.Encoder
	swift   *zstd.Encoder // of bytes in which there is much to find
	quick   *zstd.Encoder // of samples, and of digits

	stream   []byte
	frame    []byte // of digits
	sample   []byte
	context  shuffle.Context
	filtered [2][]byte // by filter

	// Of a block:
	src      []byte
	sizes    [methodBits + 1]int  // by method: what it takes, as far as is known
	easy     [methodBits + 1]bool // whether there are hardly any matches
	whole    [methodBits + 1]bool // whether the size is by the whole block
	tried    [methodBits + 1]bool
	expected int    // of what was tried last
	wrote    int    // by that; 0 if it takes as much as the block
	clear    bool   // whether numbers take clearly less, by a sample
	looked   bool   // whether it is known if items occur far apart
	far      bool   // whether they do
	other    []byte // the least that Zstandard wrote
	spare    []byte
	failed   error
}

// unsuited is what a method takes that is not for a block, and unknown before it is probed.
const (
	unsuited = math.MaxInt32
	unknown  = 0
)

// Encode implements [Encoder].
func (e *numericEncoder) Encode(dst, src []byte) (int, error) {
	e.begin(src)
	defer func() { e.src = nil }()
	e.choose()
	if e.failed != nil {
		return 0, e.failed
	}

	if len(e.stream) > 0 && (len(e.other) == 0 || len(e.stream) <= len(e.other)) {
		return copyIfFits(dst, e.stream), nil
	}
	return copyIfFits(dst, e.other), nil
}

// swiftPart is the part of a block below which it is worth looking for the best matches.
const swiftPart = 5

// leastRow is the length of a row of shuffled bytes that has blocks of its own.
const leastRow = 1 << 10

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
	row := 0
	if (method == methodShuffle || method == methodDelta) && len(src)/e.size >= leastRow {
		row = len(src) / e.size
	}
	encoder := e.zstd
	if method != methodShuffle && !e.easy[method] && e.sizes[method] > len(src)/swiftPart {
		encoder = e.swift
	}
	n := encoder.EncodeRows(dst[head:], filtered, row)
	if n == 0 {
		return 0, nil
	}
	dst[0] = uint8(method)
	if head > 1 {
		dst[1] = uint8(e.size)
	}
	return n + head, nil
}

// pack returns rows of so many bytes as a Zstandard frame.
func (e *numericEncoder) pack(rows []byte, row int) []byte {
	if row < leastRow {
		row = 0
	}
	e.frame = scratchFor(&e.frame, len(rows))
	return e.frame[:e.quick.EncodeRows(e.frame, rows, row)]
}

// appendNumbers appends the block as numbers to the empty stream, or leaves it empty.
func (e *numericEncoder) appendNumbers(judge func(int, numeric.Stage) numeric.Verdict) {
	e.stream = e.numbers.Append(append(e.stream[:0], methodNumbers), e.src, judge)
	if len(e.stream) == 1 {
		e.stream = e.stream[:0]
		return
	}
	if e.numbers.Packed() {
		e.stream[0] = methodDigits
	}
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
	return &numericDecoder{zstd: d, unpack: d.Decode}, nil
}

// A numericDecoder decodes what a numericEncoder encodes.
type numericDecoder struct {
	numbers  numeric.Decoder
	zstd     *zstd.Decoder
	unpack   func(dst, src []byte) error // of digits
	context  shuffle.Context
	filtered [2][]byte
	whole    []byte // a block that is longer than what is wanted of it
}

// Decode implements [Decoder].
func (d *numericDecoder) Decode(dst, src []byte) error {
	if len(src) < 3 {
		return broken("numeric", nil)
	}
	switch src[0] {
	case methodNumbers, methodDigits:
		d.begin(src[0])
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

// begin makes the decoder one of numbers by a method.
func (d *numericDecoder) begin(method uint8) {
	d.numbers.Unpack = nil
	if method == methodDigits {
		d.numbers.Unpack = d.unpack
	}
}

// DecodeRange implements [RangeDecoder]. Of numbers, what is behind the range is decoded only as
// far as it must be, and of what is filtered everything.
func (d *numericDecoder) DecodeRange(dst, src []byte, lo, hi int) error {
	if len(src) < 3 {
		return broken("numeric", nil)
	}
	switch src[0] {
	case methodNumbers, methodDigits:
		d.begin(src[0])
		return d.numbers.DecodeRange(dst, src[1:], lo, hi)
	case methodZstd:
		return d.zstd.DecodeRange(dst, src[1:], lo, hi)
	}

	// Items are spread over the block, which may be longer than dst.
	n, ok := zstd.ContentSize(src[2:])
	if !ok || n <= uint64(len(dst)) {
		return d.Decode(dst, src)
	}
	if n > maxWhole {
		return cairn.Corruptf(layer, 2, "numeric stream of %d bytes, for %d", n, len(dst))
	}
	d.whole = scratchFor(&d.whole, int(n))
	if err := d.Decode(d.whole, src); err != nil {
		return err
	}
	copy(dst[lo:hi], d.whole[lo:])
	return nil
}

// maxWhole is how long a block may be of which a caller has room for less.
const maxWhole = 16 << 20

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
// for each item of a byte 9 bytes of how it is coded, a stream, digits, once in rows, with what is
// added, and in a frame, the bytes that Zstandard tries, twice what it writes, and tables.
func numericMemory(level int, block int64) int64 {
	return 3*zstdMemory(level, block) + 22*block + 1<<20
}
