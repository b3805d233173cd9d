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
	sample   []byte
	context  shuffle.Context
	filtered [2][]byte // by filter
	quickly  []byte    // what quick writes

	// Of a block:
	src    []byte
	sizes  [methodBits + 1]int // by method: what Zstandard takes, about
	guess  int                 // what numbers take, by a sample
	other  []byte              // what Zstandard wrote
	tried  bool                // whether it has
	whole  bool                // whether the whole block was probed as it is
	failed error
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
	e.stream = e.stream[:0]
	if e.numbers != nil {
		e.stream = append(e.stream, methodNumbers)
		e.stream = e.numbers.Append(e.stream, src, e.worth)
	}
	if len(e.stream) <= 1 && !e.tried {
		e.tryBest()
	}
	if e.failed != nil {
		return 0, e.failed
	}

	if len(e.stream) > 1 && (len(e.other) == 0 || len(e.stream) <= len(e.other)) {
		return copyIfFits(dst, e.stream), nil
	}
	return copyIfFits(dst, e.other), nil
}

func (e *numericEncoder) begin(src []byte) {
	e.src = src
	e.sample = e.sample[:0]
	e.other = e.other[:0]
	e.tried = false
	e.whole = false
	e.failed = nil
	for method := range e.sizes {
		e.sizes[method] = unsuited
		if e.suits(method, src) {
			e.sizes[method] = unknown
		}
	}
}

// How Zstandard and numbers are chosen. Either is slow, so that both are for blocks of which it is
// not known what takes less.
const (
	probes    = 4       // parts of a block that show how it should be encoded
	probed    = 2 << 10 // bytes of each
	slackPart = 256     // the part of a block by which any of this may be wrong
	easyPart  = 8       // the part below which parts of a block say little of what Zstandard takes
	smallPart = 16      // the part below which a sample says little of what numbers take
	nonePart  = 1536    // the part below which nothing else matters
	surely    = 50      // per cent of numbers, by a sample, below which Zstandard is enough
	rarely    = 50      // per cent of the lengths of numbers that they take, at least
)

// worth reports whether numbers should be encoded that take about size. It is asked twice: when
// that comes from a sample, and when it comes from the lengths of all numbers.
func (e *numericEncoder) worth(size int, sure bool) bool {
	n := len(e.src)
	slack := n / slackPart
	if !sure {
		e.guess = size
		if size > n/smallPart {
			return e.compare(size, size/100*surely, slack)
		}
		// Bytes of which most are like those before are for Zstandard.
		return e.size > 1 || e.likely(e.best()) > n/smallPart
	}

	low := size / 100 * rarely
	if e.guess > n/smallPart {
		low = min(low, e.guess)
	}
	switch {
	case size <= n/nonePart:
		return true
	case e.tried:
		return len(e.other) == 0 || len(e.other) > low
	case e.guess > n/smallPart && size <= e.guess+e.guess/8+slack:
		return true
	}
	return e.compare(size, low, slack)
}

// compare compares Zstandard with numbers that take about size, but at least low, and reports
// whether these may take less.
func (e *numericEncoder) compare(size, low, slack int) bool {
	best := e.best()
	if e.likely(best) > size+size/25+slack {
		return true
	}
	if best == methodZstd && e.size > 1 {
		e.probeWhole()
	}
	if e.likely(e.best()) > size {
		return true
	}
	e.tryBest()
	return len(e.other) == 0 || len(e.other) > low
}

// probeWhole makes what Zstandard takes for the block as it is that of the whole block, which may
// have matches that are far apart.
func (e *numericEncoder) probeWhole() {
	if len(e.src) == len(e.sample) || e.whole {
		return
	}
	e.whole = true
	e.quickly = scratchFor(&e.quickly, len(e.src))
	if n := e.quick.Encode(e.quickly, e.src); n > 0 {
		e.sizes[methodZstd] = n
	}
}

// probe returns what Zstandard takes with a method, by parts of the block.
func (e *numericEncoder) probe(method int) int {
	if e.sizes[method] != unknown || e.failed != nil {
		return e.sizes[method]
	}
	if len(e.sample) == 0 {
		e.takeSample()
	}
	filtered, err := e.filter(method, e.sample)
	if err != nil {
		e.failed = err
		return unsuited
	}

	e.quickly = scratchFor(&e.quickly, len(e.sample))
	n := e.quick.Encode(e.quickly, filtered)
	if n == 0 {
		n = len(e.sample)
	}
	size := int(int64(n) * int64(len(e.src)) / int64(len(e.sample)))
	e.sizes[method] = max(1, size)
	return e.sizes[method]
}

// takeSample takes parts of the block.
func (e *numericEncoder) takeSample() {
	n := len(e.src)
	if n <= 2*probes*probed {
		e.sample = append(e.sample, e.src...)
		return
	}
	unit := e.size
	if unit > 255 {
		unit = 1
	}
	for i := range probes {
		at := (n/probes*i + (n/probes-probed)/2) / unit * unit
		e.sample = append(e.sample, e.src[at:at+probed/unit*unit]...)
	}
}

// likely returns what Zstandard is likely to take for the block if a method takes so much of parts
// of it, which have their own tables and no matches that are far apart.
func (e *numericEncoder) likely(method int) int {
	n := len(e.src)
	size := e.sizes[method]

	switch {
	case size >= n-n/slackPart:
		return n
	case size <= n/easyPart && e.size == 1:
		return size / 100 * map[int]int{methodZstd: 33, methodDelta: 40, methodBits: 32}[method]
	case size <= n/easyPart && method == methodShuffle:
		return size / 100 * 42
	case size <= n/easyPart:
		return size / 100 * 45
	case method == methodZstd && e.whole:
		return size / 100 * 93
	case method == methodZstd && e.size == 1:
		return size / 100 * 86
	case method == methodZstd:
		return size / 100 * 76
	}

	if size > n/10*7 || method == methodBits {
		return size / 100 * 95
	}
	return size / 100 * 90
}

// best returns the method with Zstandard that is likely to take least.
func (e *numericEncoder) best() int {
	best := methodZstd
	e.probe(best)
	for method := range e.sizes {
		if e.probe(method) != unsuited && e.likely(method) < e.likely(best) {
			best = method
		}
	}
	return best
}

// tryBest encodes the block with Zstandard. What takes as much as the block is left out.
func (e *numericEncoder) tryBest() {
	e.tried = true
	method := e.best()
	if e.failed != nil {
		return
	}
	e.other = scratchFor(&e.other, len(e.src))
	n, err := e.encodeBytes(e.other, e.src, method)
	e.failed = err
	e.other = e.other[:n]
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
	n := e.zstd.EncodeRows(dst[head:], filtered, row)
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
	whole    []byte // a block that is longer than what is wanted of it
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

// DecodeRange implements [RangeDecoder]. Of numbers, what is behind the range is decoded only as
// far as it must be, and of what is filtered everything.
func (d *numericDecoder) DecodeRange(dst, src []byte, lo, hi int) error {
	if len(src) < 3 {
		return broken("numeric", nil)
	}
	switch src[0] {
	case methodNumbers:
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
// for each item of a byte 9 bytes of how it is coded, a stream, the bytes that Zstandard tries, and
// tables.
func numericMemory(level int, block int64) int64 {
	return 2*zstdMemory(level, block) + 16*block + 1<<20
}
