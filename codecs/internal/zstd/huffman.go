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
		return 1 + header, fillHuffman(&d.codes, &weights, n)
	}
	n := header - 127
	size := (n + 1) / 2
	if size > len(src)-at {
		return 0, errTruncated
	}
	for i := range n {
		weights[i] = src[at+i/2] >> (4 * (^i & 1)) & 0xf
	}
	return 1 + size, fillHuffman(&d.codes, &weights, n)
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
	take := func(n uint8) int {
		pos -= int(n)
		if pos < 0 {
			return 0
		}
		return int(bitsAt(stream, pos) & (1<<n - 1))
	}
	var table [1 << maxWeightLog]weightState
	b.fillWeights(&table)
	states := [2]int{take(b.log), take(b.log)}
	if pos < 0 {
		return 0, errWeightBits
	}
	for n := 0; n < maxSymbols-2; n++ {
		e := table[states[n&1]&(1<<maxWeightLog-1)]
		weights[n] = e.symbol
		if int(e.bits) > pos {
			if pos > 0 {
				break // encoders never leave part of the bits of the next state
			}
			weights[n+1] = table[states[^n&1]&(1<<maxWeightLog-1)].symbol
			return n + 2, nil
		}
		states[n&1] = int(e.next) + take(e.bits)
	}
	return 0, errWeightBits
}

type weightState struct{ symbol, bits, next uint8 }

// fillWeights is [tableBuilder.fill] for tables of plain symbols.
func (b *tableBuilder) fillWeights(table *[1 << maxWeightLog]weightState) {
	size := 1 << b.log
	for i, s := range b.symbol[:size] {
		n := b.next[s]
		b.next[s] = n + 1
		stateBits := b.log + 1 - uint8(bits.Len16(n))
		table[i] = weightState{s, stateBits, uint8(n<<stateBits - uint16(size))}
	}
}

// fillHuffman builds the decoding table of n weights and the one that completes the code (RFC 8878
// §4.2.1).
func fillHuffman(t *zstdhuff.Single, weights *[maxSymbols]uint8, n int) error {
	var count [maxWeight + 1]int
	total := 0
	for _, w := range weights[:n] {
		if w > maxWeight-1 {
			return errWeights
		}
		count[w]++
		total += 1 << w >> 1
	}
	longest := bits.Len(uint(total))
	rest := 1<<longest - total
	if total == 0 || longest > zstdhuff.MaxBits || rest&(rest-1) != 0 {
		return errWeights
	}
	last := bits.Len(uint(rest))
	weights[n] = uint8(last)
	count[last]++
	if count[1] < 2 || count[1]%2 != 0 {
		return errWeights
	}
	// Codes of equal length are adjacent, the longest first; a shorter code covers more of the
	// table.
	scale := zstdhuff.MaxBits - longest
	var next [maxWeight + 1]int
	at := 0
	for w := 1; w <= longest; w++ {
		next[w] = at
		at += count[w] << (w - 1 + scale)
	}
	for s, w := range weights[:n+1] {
		if w == 0 {
			continue
		}
		run := 1 << (int(w) - 1 + scale)
		from := next[w]
		next[w] += run
		fillRun(t[from:from+run], uint16(s)<<8|uint16(longest+1-int(w)))
	}
	return nil
}

// fillRun sets a range of a table to one entry.
func fillRun(t []uint16, e uint16) {
	if len(t) < 16 {
		for i := range t {
			t[i] = e
		}
		return
	}
	for i := range t[:16] {
		t[i] = e
	}
	for n := 16; n < len(t); n *= 2 {
		copy(t[n:], t[:n])
	}
}
