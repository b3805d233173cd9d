package deflate

import (
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/inflate"
)

// An entry of a decoding table: see [inflate.Entry].
type entry = inflate.Entry

const (
	// Subtables take up to 1334 entries for 286 symbols and 402 for 30, after the first table.
	// These sizes are larger.
	precodeTable = 1 << maxPrecodeLen
)

const (
	errOversubscribed reason = "more codes than there are bit patterns"
	errIncomplete     reason = "fewer codes than there are bit patterns"
)

// A tableBuilder builds decoding tables. It contains only scratch memory.
type tableBuilder struct {
	count  [maxCodeLen + 1]uint16
	start  [maxCodeLen + 2]uint16
	sorted [litLenFixed]uint16
}

// build fills table from code lengths. The first part of table is indexed by root bits; entries are
// the meanings of the symbols, without the code length. A code must be complete, with two
// exceptions: a single code of one bit, and no code at all (RFC 1951 §3.2.7 for distances). Unused
// patterns get an invalid entry.
func (t *tableBuilder) build(table []entry, root int, lengths []uint8, entries []entry) error {
	t.count = [maxCodeLen + 1]uint16{}
	for _, l := range lengths {
		t.count[l&maxCodeLen]++
	}

	longest := 0
	left := 1
	for l := 1; l <= maxCodeLen; l++ {
		left = left<<1 - int(t.count[l])
		if left < 0 {
			return errOversubscribed
		}
		if t.count[l] > 0 {
			longest = l
		}
	}

	if left > 0 && longest > 0 && (longest > 1 || t.count[1] > 1) {
		return errIncomplete
	}

	if left > 0 {
		for i := range table[:1<<root] {
			table[i] = inflate.Special
		}
	}

	t.sort(lengths)
	code, next := t.fillRoot(table, root, entries)
	if longest > root {
		t.fillSubtables(table, root, longest, entries, code, next)
	}
	return nil
}

// sort lists symbols by length and then by value.
func (t *tableBuilder) sort(lengths []uint8) {
	at := uint16(0)
	for l := 1; l <= maxCodeLen; l++ {
		t.start[l] = at
		at += t.count[l]
	}

	for s, l := range lengths {
		if l != 0 {
			t.sorted[t.start[l&maxCodeLen]] = uint16(s)
			t.start[l&maxCodeLen]++
		}
	}
}

// fillRoot inserts the codes of up to root bits. It doubles the table for each code length, and
// then only inserts the codes of that length. It returns the next code, in bit order of reading,
// and the number of symbols inserted.
func (t *tableBuilder) fillRoot(table []entry, root int, entries []entry) (code uint32, next int) {
	filled := 1
	complete := false
	for l := 1; l <= root; l++ {
		if next > 0 {
			copy(table[filled:2*filled], table[:filled])
		}
		filled *= 2

		for range t.count[l] {
			e := entries[t.sorted[next]]
			table[code] = e + uint32(l) + codeLenOf(e, l)
			next++
			if complete = code == uint32(filled-1); complete {
				break
			}
			code = increment(code, l)
		}

		if complete { // all patterns of l bits are used
			for ; filled < 1<<root; filled *= 2 {
				copy(table[filled:2*filled], table[:filled])
			}
			break
		}
	}
	return code, next
}

// codeLenOf returns the codeLen field of an entry for a code of l bits. In entries of literals,
// which count their literals, the field is partly set.
func codeLenOf(e entry, l int) entry {
	if e&inflate.Literal != 0 {
		return 0
	}
	return uint32(l) << inflate.CodeBits
}

// increment adds one to a code of n bits whose first bit is the lowest. After the last code it
// returns 0.
func increment(code uint32, n int) uint32 {
	free := bits.LeadingZeros32(^(code << (32 - n))) // number of leading ones
	if free >= n {
		return 0
	}
	bit := uint32(1) << (n - 1 - free)
	return code&(bit-1) | bit
}

// fillSubtables inserts the codes of more than root bits. Codes with the same first root bits share
// a subtable.
func (t *tableBuilder) fillSubtables(table []entry, root, longest int, entries []entry, code uint32, next int) {
	end := 1 << root
	prefix := ^uint32(0)
	base := 0
	size := 0
	mask := uint32(1)<<root - 1

	for l := root + 1; l <= longest; l++ {
		for i := range int(t.count[l]) {
			if code&mask != prefix {
				prefix = code & mask
				base = end
				size = t.subtableBits(root, l, int(t.count[l])-i)
				end += 1 << size
				table[prefix] = inflate.Special | inflate.Subtable | uint32(base)<<inflate.Value | uint32(size)<<inflate.CodeBits
			}

			e := entries[t.sorted[next]]
			e += uint32(l) + codeLenOf(e, l)
			for j := int(code >> root); j < 1<<size; j += 1 << (l - root) {
				table[base+j] = e
			}

			next++
			code = increment(code, l)
		}
		// The next code is one bit longer, and that bit is 0.
	}
}

// subtableBits returns the index width of a subtable that begins with a code of l bits, remaining
// of which are left.
func (t *tableBuilder) subtableBits(root, l, remaining int) int {
	size := l - root
	left := 1<<size - remaining
	for left > 0 && root+size < maxCodeLen {
		size++
		left = left<<1 - int(t.count[root+size])
	}
	return size
}

// pairsPay reports whether two literals in a row, with codes of the given lengths, often enough fit
// into one index for pairLiterals to pay: more than a fifth of all symbols.
func pairsPay(lengths []uint8) bool {
	var share [inflate.LitLenBits + 1]uint32 // of literals by length, in units of 2^-LitLenBits
	for _, l := range lengths[:endOfBlock] {
		if l != 0 && l < inflate.LitLenBits {
			share[l] += 1 << (inflate.LitLenBits - l)
		}
	}

	pairs := uint32(0)
	shorter := uint32(0)
	for l := 1; l < inflate.LitLenBits; l++ {
		shorter += share[l]
		pairs += share[inflate.LitLenBits-l] * shorter
	}
	return pairs > 1<<(2*inflate.LitLenBits)/5
}

// pairLiterals makes entries of the first table represent two literals if both codes fit into the
// index. Branches would be mispredicted.
func pairLiterals(table *[inflate.LitLenTable]entry) {
	// downwards, since the entry of the following code has a lower index and must still be single
	for i := 1<<inflate.LitLenBits - 1; i >= 0; i-- {
		e := table[i]
		f := table[i>>(e&inflate.Drop)&(inflate.LitLenTable-1)]
		both := e&inflate.Drop + f&inflate.Drop
		values := e>>inflate.Value | f>>inflate.Value<<8
		pair := values<<inflate.Value | inflate.Literal | 2<<inflate.CodeBits | both
		use := -(e & f & inflate.Literal / inflate.Literal) &^ uint32(int32(inflate.LitLenBits-both)>>31)
		table[i] = e ^ (e^pair)&use
	}
}

// litLenEntries are the meanings of literal/length symbols. Two of the fixed code are invalid.
var litLenEntries = func() (all [litLenFixed]entry) {
	for s := range endOfBlock {
		all[s] = inflate.Literal | 1<<inflate.CodeBits | uint32(s)<<inflate.Value
	}
	all[endOfBlock] = inflate.End
	for i, r := range lengthRanges {
		all[firstLength+i] = uint32(r.base)<<inflate.Value | uint32(r.extra)
	}
	all[litLenSymbols] = inflate.Special
	all[litLenSymbols+1] = inflate.Special
	return all
}()

var distanceEntries = func() (all [distanceFixed]entry) {
	for s, r := range distanceRanges {
		all[s] = uint32(r.base)<<inflate.Value | uint32(r.extra)
	}
	all[distanceSymbols] = inflate.Special
	all[distanceSymbols+1] = inflate.Special
	return all
}()

var precodeEntries = func() (all [precodeSymbols]entry) {
	for s := range all {
		all[s] = uint32(s) << inflate.Value
	}
	return all
}()
