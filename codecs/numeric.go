package codecs

import (
	"fmt"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zstd"
	"github.com/cairn-go/cairn/internal/asm/bytedelta"
	"github.com/cairn-go/cairn/internal/asm/byteshuffle"
	"github.com/cairn-go/cairn/internal/numeric"
)

// numericVersion is the version of the format, which the parameter byte has.
const numericVersion = 1

// The first byte of a stream (format: numeric, methods).
const (
	methodZstd    = 0 // the rest is a Zstandard frame
	methodShuffle = 1 // of bytes that are shuffled by the size of items in the next byte
	methodDelta   = 2 // and are differences within each row of shuffled bytes
	methodNumbers = 3 // the rest is a stream of internal/numeric
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

	e := &numericEncoder{size: p.TypeSize, level: p.Level, zstd: zstd.NewEncoder(p.Level), quick: zstd.NewEncoder(1)}
	switch p.TypeSize {
	case 1, 2, 4, 8:
		e.numbers = numeric.NewEncoder(p.TypeSize, p.BlockShape, p.Level)
	}
	return e, nil
}

// A numericEncoder encodes blocks as numbers, or with Zstandard where that takes less room.
type numericEncoder struct {
	size    int
	level   int
	numbers *numeric.Encoder // nil for items that are not numbers
	zstd    *zstd.Encoder
	quick   *zstd.Encoder // of samples

	stream   []byte
	shuffled []byte
	deltas   []byte
	other    []byte
}

// Encode implements [Encoder].
func (e *numericEncoder) Encode(dst, src []byte) (int, error) {
	e.stream = e.stream[:0]
	if e.numbers != nil {
		e.stream = append(e.stream, methodNumbers)
		e.stream = e.numbers.Append(e.stream, src)
		if len(e.stream) > 1 && !e.worthZstd(src, len(e.stream)) {
			return copyIfFits(dst, e.stream), nil
		}
	}

	n := e.encodeBytes(dst, src)
	if m := len(e.stream); m > 1 && (n == 0 || m <= n) {
		return copyIfFits(dst, e.stream), nil
	}
	return n, nil
}

// worthZstd reports whether Zstandard may take less than n bytes, by a part of the block.
func (e *numericEncoder) worthZstd(src []byte, n int) bool {
	if len(src) <= 4*probed {
		return true
	}

	probe := src[len(src)/2/e.size*e.size:][:probed]
	e.shuffled = scratchFor(&e.shuffled, len(probe))
	shuffleBytes(e.shuffled, probe, e.size)
	e.other = scratchFor(&e.other, len(probe))
	m := e.quick.Encode(e.other, e.shuffled)
	if m == 0 {
		m = probed
	}
	return m*len(src)/probed < n*probeMargin/100
}

// probed is how many bytes of a block show whether Zstandard is worth trying, which takes more room
// for a part than for the whole.
const (
	probed      = 8 << 10
	probeMargin = 115
)

// encodeBytes encodes src with Zstandard and the filter that suits it.
func (e *numericEncoder) encodeBytes(dst, src []byte) int {
	if len(dst) < 3 {
		return 0
	}
	dst[1] = uint8(e.size)
	if e.size <= 1 || e.size > 255 || len(src)%e.size != 0 {
		dst[0] = methodZstd
		n := e.zstd.Encode(dst[1:], src)
		if n > 0 {
			n++
		}
		return n
	}

	e.shuffled = scratchFor(&e.shuffled, len(src))
	shuffleBytes(e.shuffled, src, e.size)
	best := e.zstd.Encode(dst[2:], e.shuffled)
	dst[0] = methodShuffle

	e.deltas = scratchFor(&e.deltas, len(src))
	deltaBytes(e.deltas, e.shuffled, e.size)
	e.other = scratchFor(&e.other, len(src))
	limit := len(src)
	if best > 0 {
		limit = best - 1
	}
	if n := e.zstd.Encode(e.other[:min(limit, len(dst)-2)], e.deltas); n > 0 {
		dst[0] = methodDelta
		best = copy(dst[2:], e.other[:n])
	}
	if best > 0 {
		best += 2
	}
	return best
}

// shuffleBytes writes the first bytes of all items, then the second ones, and so on.
func shuffleBytes(dst, src []byte, size int) {
	rows := len(src) / size
	done := byteshuffle.Shuffle(dst, rows, src, size)
	for i := done; i < rows; i++ {
		for j := range size {
			dst[j*rows+i] = src[i*size+j]
		}
	}
}

// unshuffleBytes is the inverse of shuffleBytes.
func unshuffleBytes(dst, src []byte, size int) {
	rows := len(src) / size
	done := byteshuffle.Unshuffle(dst, src, rows, size)
	for i := done; i < rows; i++ {
		for j := range size {
			dst[i*size+j] = src[j*rows+i]
		}
	}
}

// deltaBytes writes the differences of each byte from the one before it in its row.
func deltaBytes(dst, src []byte, size int) {
	rows := len(src) / size
	for j := range size {
		row := src[j*rows : (j+1)*rows]
		out := dst[j*rows : (j+1)*rows]
		n := bytedelta.Differences(out, row)
		for i := n; i < rows; i++ {
			out[i] = row[i]
			if i > 0 {
				out[i] -= row[i-1]
			}
		}
	}
}

// sumBytes is the inverse of deltaBytes, in place.
func sumBytes(b []byte, size int) {
	rows := len(b) / size
	for j := range size {
		row := b[j*rows : (j+1)*rows]
		n := bytedelta.Sums(row, row)
		for i := max(n, 1); i < rows; i++ {
			row[i] += row[i-1]
		}
	}
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
	shuffled []byte
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
	case methodShuffle, methodDelta:
	default:
		return cairn.Corruptf(layer, 0, "numeric stream with method %d", src[0])
	}

	size := int(src[1])
	if size == 0 || len(dst)%size != 0 {
		return cairn.Corruptf(layer, 1, "numeric stream of %d bytes in items of %d", len(dst), size)
	}
	d.shuffled = scratchFor(&d.shuffled, len(dst))
	if err := d.zstd.Decode(d.shuffled, src[2:]); err != nil {
		return err
	}
	if src[0] == methodDelta {
		sumBytes(d.shuffled, size)
	}
	unshuffleBytes(dst, d.shuffled, size)
	return nil
}

// numericMemory is what an encoder takes: the items twice as integers, once sorted into classes, a
// stream, the bytes that Zstandard tries, and tables.
func numericMemory(level int, block int64) int64 {
	return 2*zstdMemory(level, block) + 9*block + 1<<20
}
