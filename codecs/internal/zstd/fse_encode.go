package zstd

import (
	"math/bits"

	"github.com/cairn-go/cairn/internal/asm/zstdcode"
)

// A fseEncoder is an encoding table.
type fseEncoder struct {
	zstdcode.Table
	starts [64]uint16 // initial states of symbols: those that the decoder leaves with the most bits
	counts [64]int16  // states per symbol, for the first used symbols
	used   int
	log    uint8
}

// make builds the table from the counts in b.
func (e *fseEncoder) make(b *tableBuilder) {
	e.log = b.log
	e.used = b.used
	copy(e.counts[:], b.counts[:b.used])
	b.spread()

	size := 1 << b.log
	var next [64]uint16
	total := 0

	for s, count := range b.counts[:b.used] {
		n := int(count)
		if n < 0 {
			n = 1
		}
		if n == 0 {
			continue
		}

		most := uint32(b.log) - uint32(bits.Len32(uint32(n-1))) + 1
		if n == 1 {
			most = uint32(b.log)
		}
		e.Symbols[s].Shift = most<<16 - uint32(n)<<most
		e.Symbols[s].First = int32(total - n)
		next[s] = uint16(total)
		total += n
	}
	for i, s := range b.symbol[:size] {
		e.States[next[s&63]] = uint16(size + i)
		next[s&63]++
	}

	total = 0
	for s, count := range b.counts[:b.used] {
		if count != 0 {
			e.starts[s] = e.States[total]
		}
		total += max(int(count), -int(count))
	}
}

// put writes the bits that the decoder needs to move from the state of symbol s to the given state,
// and returns the state of s.
func (e *fseEncoder) put(w *bitWriter, state uint32, s uint8) uint32 {
	t := &e.Symbols[s&63]
	n := (state + t.Shift) >> 16
	w.add(uint64(state), n)
	return uint32(e.States[(int32(state>>(n&31))+t.First)&(zstdcode.TableSize-1)])
}

// normalise scales counts, whose sum is total, to a sum of 1<<log, without reducing any to 0.
func (b *tableBuilder) normalise(counts []uint32, total int, log uint8) {
	b.log = log
	b.used = 0
	left := 1 << log
	largest := 0
	for s, c := range counts {
		n := 0
		if c > 0 {
			b.used = s + 1
			// Rounding up small counts costs less than rounding them down.
			scaled := uint64(c) << (log + 8) / uint64(total)
			n = int(scaled >> 8)
			if n < 8 && scaled&0xff > [8]uint64{0, 121, 117, 121, 124, 125, 126, 127}[n] || n >= 8 && scaled&0xff >= 128 || n == 0 {
				n++
			}
		}
		b.counts[s] = int16(n)
		left -= n
		if b.counts[s] > b.counts[largest] {
			largest = s
		}
	}

	for left < 0 && int(b.counts[largest])+left < int(b.counts[largest])/2+1 {
		// Too many were rounded up: repeatedly reduce the largest.
		b.counts[largest]--
		left++
		for s := range b.counts[:b.used] {
			if b.counts[s] > b.counts[largest] {
				largest = s
			}
		}
	}

	b.counts[largest] += int16(left)
}

// writeCounts writes the description of the table to dst and returns its length. It is the inverse
// of readCounts.
func (b *tableBuilder) writeCounts(dst []byte) int {
	w := bitWriter{out: dst}
	w.add(uint64(b.log-5), 4)
	left := 1 << b.log

	for s := 0; s < b.used && left > 0; {
		count := int(b.counts[s])
		s++
		width := uint32(bits.Len32(uint32(left + 1)))
		short := 1<<width - 2 - left
		v := count + 1

		switch {
		case v < short:
			width--
		case v >= 1<<(width-1):
			v += short
		}

		w.add(uint64(v), width)
		left -= max(count, -count)
		if count == 0 {
			zeros := 0
			for s < b.used && b.counts[s] == 0 {
				zeros++
				s++
			}
			for ; zeros >= 3; zeros -= 3 {
				w.add(3, 2)
				w.flush()
			}
			w.add(uint64(zeros), 2)
		}
		w.flush()
	}

	return w.close()
}

// tableLog returns the accuracy for n symbols up to highest, limited so that the description pays.
func tableLog(n, highest int, most uint8) uint8 {
	least := min(bits.Len(uint(n)), bits.Len(uint(highest))+1)
	log := max(bits.Len(uint(n-1))-3, least, 5)
	return uint8(min(log, int(most)))
}

// impossible exceeds the size of any data.
const impossible = 1 << 30

// costBits returns the size in 1/256 bits of symbols with the given counts, or impossible if the
// table lacks one of them.
func (b *tableBuilder) costBits(counts []uint32) int {
	return costBits(counts, b.counts[:b.used], b.log)
}

// costBits is the same for an encoding table.
func (e *fseEncoder) costBits(counts []uint32) int { return costBits(counts, e.counts[:e.used], e.log) }

func costBits(counts []uint32, states []int16, log uint8) int {
	total := 0
	for s, c := range counts {
		if c == 0 {
			continue
		}
		if s >= len(states) || states[s] == 0 {
			return impossible
		}
		total += int(c) * (int(log)<<8 - log2x256(uint32(max(states[s], -states[s]))))
	}
	return total
}

// log2x256 returns the binary logarithm times 256. Its rounding is the same on every machine.
func log2x256(v uint32) int {
	n := bits.Len32(v) - 1
	f := uint64(v) << 32 >> n & 0xffffffff // fraction of the mantissa
	// log2(1+x) is close to x + 0.34*x*(1-x).
	x := f >> 16
	return n<<8 + int((x<<8+x*(65536-x)>>16*88)>>16)
}
