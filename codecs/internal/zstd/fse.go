package zstd

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/zstdseq"
)

const (
	errFSECounts reason = "counts of an FSE table do not add up"
	errFSELog    reason = "accuracy of an FSE table is out of range"
	errFSESymbol reason = "FSE table has a symbol that does not exist"
)

const maxSymbols = 256 // of any table: byte values in Huffman weights, fewer elsewhere

// A tableBuilder contains scratch memory for building FSE tables.
type tableBuilder struct {
	counts [maxSymbols]int16 // states per symbol; -1 is one state, at the end of the table
	used   int               // number of counts
	log    uint8             // accuracy: the table has 1<<log states
	next   [maxSymbols]uint16
	symbol [zstdseq.TableSize]uint8
	run    [zstdseq.TableSize + 8]uint8
}

// readCounts parses a table description (RFC 8878 §4.1.1) and returns its length in bytes.
func (b *tableBuilder) readCounts(src []byte, maxLog uint8, maxSymbol int) (int, error) {
	if len(src) == 0 {
		return 0, errTruncated
	}
	b.log = src[0]&0xf + 5
	if b.log > maxLog {
		return 0, errFSELog
	}

	at := 4 // in bits
	left := 1 << b.log
	symbol := 0
	for left > 0 {
		if symbol > maxSymbol {
			return 0, errFSESymbol
		}
		w := bitsAt(src, at)
		// A value from 0 to left+1 takes the width of left+1, or one bit less if it is so small
		// that this is unambiguous.
		width := bits.Len32(uint32(left + 1))
		short := 1<<width - 2 - left
		v := int(w & (1<<(width-1) - 1))
		at += width
		if v < short {
			at--
		} else if v = int(w & (1<<width - 1)); v >= 1<<(width-1) {
			v -= short
		}

		count := v - 1
		b.counts[symbol] = int16(count)
		symbol++
		if count < 0 {
			left--
			continue
		}

		left -= count
		if count == 0 {
			zeros, used := repeatedZeros(src, at)
			if symbol+zeros > maxSymbol+1 {
				return 0, errFSESymbol
			}
			clear(b.counts[symbol : symbol+zeros])
			symbol += zeros
			at += used
		}
	}

	b.used = symbol
	size := (at + 7) / 8
	if left < 0 || size > len(src) {
		return 0, errFSECounts
	}
	return size, nil
}

// repeatedZeros reads the number of further symbols without states: two bits at a time until they
// are not 3.
func repeatedZeros(src []byte, at int) (zeros, used int) {
	for zeros <= maxSymbols {
		v := int(bitsAt(src, at+used) & 3)
		zeros += v
		used += 2
		if v != 3 {
			break
		}
	}
	return zeros, used
}

// bitsAt returns at least 32 bits of src starting at bit at, and zeros beyond its end.
func bitsAt(src []byte, at int) uint64 {
	i := at >> 3
	if i+8 <= len(src) {
		return binary.LittleEndian.Uint64(src[i:]) >> (at & 7)
	}
	if i >= len(src) {
		return 0
	}
	return littleEndian(src[i:]) >> (at & 7)
}

// spread assigns symbols to states (RFC 8878 §4.1.1): those with count -1 at the end, the others
// with a stride that visits every state once.
func (b *tableBuilder) spread() {
	size := 1 << b.log
	high := size
	n := 0
	for s, count := range b.counts[:b.used] {
		if count < 0 {
			high--
			b.symbol[high] = uint8(s)
			b.next[s] = 1
			continue
		}
		b.next[s] = uint16(count)
		// Write eight at a time; the next symbol overwrites the excess.
		v := uint64(s) * 0x0101010101010101
		for i := 0; i < int(count); i += 8 {
			binary.LittleEndian.PutUint64(b.run[n+i:], v)
		}
		n += int(count)
	}

	// The stride is odd and so visits every state of the table.
	step := size>>1 + size>>3 + 3
	mask := size - 1
	at := 0

	if high == size {
		for _, s := range b.run[:size] {
			b.symbol[at&(zstdseq.TableSize-1)] = s
			at = (at + step) & mask
		}
		return
	}
	for _, s := range b.run[:n] {
		b.symbol[at] = s
		for at = (at + step) & mask; at >= high; {
			at = (at + step) & mask
		}
	}
}

// fill builds the decoding table from the counts; templates contains the symbols' entries without
// states.
func (b *tableBuilder) fill(table *[zstdseq.TableSize]zstdseq.Entry, templates *[64]zstdseq.Entry) {
	b.spread()
	size := 1 << b.log
	for i, s := range b.symbol[:size] {
		n := b.next[s]
		b.next[s] = n + 1
		stateBits := (uint16(b.log) + 1 - uint16(bits.Len16(n))) & 15
		table[i] = templates[s&63].With(uint8(stateBits), n<<stateBits-uint16(size))
	}
}
