package zstd

import (
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/zstdhuff"
)

const (
	errWeights    reason = "weights of a Huffman table do not add up"
	errWeightBits reason = "the stream of Huffman weights is broken"
)

const (
	maxWeightLog = 6 // maximum accuracy of the FSE table of weights
	// the code length of a weight w is (longest length)+1-w
	maxWeight = zstdhuff.MaxBits + 1
)

// readHuffman parses a Huffman table description (RFC 8878 §4.2.1) at src[at], builds the table,
// and returns the length of the description.
func (d *Decoder) readHuffman(src []byte, at int) (int, error) {
	if at >= len(src) {
		return 0, errTruncated
	}

	var weights [maxSymbols]uint8
	header := int(src[at])
	at++

	if header < 128 {
		if header > len(src)-at {
			return 0, errTruncated
		}
		n, err := d.readWeights(&weights, src[at:at+header])
		if err != nil {
			return 0, err
		}
		return 1 + header, d.fillHuffman(&weights, n)
	}

	n := header - 127
	size := (n + 1) / 2
	if size > len(src)-at {
		return 0, errTruncated
	}
	for i := range n {
		weights[i] = src[at+i/2] >> (4 * (^i & 1)) & 0xf
	}
	return 1 + size, d.fillHuffman(&weights, n)
}

// readWeights decodes FSE-compressed weights (RFC 8878 §4.2.1.2): two states alternate until there
// are not enough bits for the next one.
func (d *Decoder) readWeights(weights *[maxSymbols]uint8, src []byte) (int, error) {
	b := &d.build
	at, err := b.readCounts(src, maxWeightLog, maxSymbols-1)
	if err != nil {
		return 0, err
	}

	stream := src[at:]
	if len(stream) == 0 || stream[len(stream)-1] == 0 {
		return 0, errWeightBits
	}

	b.spread()
	pos := len(stream)*8 - 9 + bits.Len8(stream[len(stream)-1])

	// Two states begin the stream, below its end mark.
	var table [1 << maxWeightLog]weightState
	b.fillWeights(&table)
	pos -= 2 * int(b.log)
	if pos < 0 {
		return 0, errWeightBits
	}

	w := bitsAt(stream, pos)
	first := w >> b.log & (1<<b.log - 1)
	second := w & (1<<b.log - 1)
	n := 0
	// Eight weights take at most 48 of 56 bits.
	for ; pos >= 64 && n < maxSymbols-2-8; n += 8 {
		w := bitsAt(stream, pos-56) << 8
		have := pos
		to := weights[n : n+8]
		for i := 0; i < 8; i += 2 {
			e := table[first%uint64(len(table))]
			to[i] = e.symbol()
			first = e.next(w)
			w <<= e & 7
			have -= int(e & 7)
			e = table[second%uint64(len(table))]
			to[i+1] = e.symbol()
			second = e.next(w)
			w <<= e & 7
			have -= int(e & 7)
		}
		pos = have
	}

	for ; n < maxSymbols-2; n++ {
		e := table[first%uint64(len(table))]
		weights[n] = e.symbol()
		if pos -= int(e & 7); pos < 0 {
			if pos+int(e&7) > 0 {
				break // encoders never leave part of the bits of the next state
			}
			weights[n+1] = table[second%uint64(len(table))].symbol()
			return n + 2, nil
		}
		first = second
		second = e.next(bitsAt(stream, pos) << (64 - e&7))
	}
	return 0, errWeightBits
}

// A weightState is a state of the table of weights: how many bits to read (3 bits), what to add to
// them for the next state (from bit 8 on), and a weight (from bit 16 on).
type weightState uint32

func (e weightState) symbol() uint8 { return uint8(e >> 16) }

// next returns the state after e, given the unread bits from the highest of w on.
func (e weightState) next(w uint64) uint64 { return uint64(e>>8&0xff) + w>>1>>(^e&7|56) }

// fillWeights is [tableBuilder.fill] for tables of plain symbols.
func (b *tableBuilder) fillWeights(table *[1 << maxWeightLog]weightState) {
	size := 1 << b.log
	for i, s := range b.symbol[:size] {
		n := b.next[s]
		b.next[s] = n + 1
		stateBits := b.log + 1 - uint8(bits.Len16(n))
		table[i] = weightState(stateBits) | weightState(n<<stateBits-uint16(size))<<8 | weightState(s)<<16
	}
}

// fillHuffman builds the decoding table of n weights.
func (d *Decoder) fillHuffman(weights *[maxSymbols]uint8, n int) error {
	if !d.codeBuilder.Fill(&d.codes, weights, n) {
		return errWeights
	}
	return nil
}
