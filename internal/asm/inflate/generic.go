package inflate

import "encoding/binary"

// generic is the definition of Run. A refill provides 56 bits: enough for two look-ups of literals,
// up to 11 bits each, and a length of up to 20 bits. A second refill provides enough for a distance
// of up to 28 bits.
func (l *Loop) generic() Status {
	src := l.Src
	dst := l.Dst
	at := l.At
	n := l.N
	b := l.Bits
	have := l.Have
	lastIn := len(src) - InputMargin
	lastOut := len(dst) - OutputMargin
	litLen := l.LitLen
	distance := l.Distance
	status := Margin

	for at <= lastIn && n <= lastOut {
		b, have, at = refill(src, at, b, have)

		e := litLen[b&(1<<LitLenBits-1)]
		if e&Literal != 0 {
			b, have, n = literals(dst, n, e, b, have)
			e = litLen[b&(1<<LitLenBits-1)]
			if e&Literal != 0 {
				b, have, n = literals(dst, n, e, b, have)
				e = litLen[b&(1<<LitLenBits-1)]
				if e&Literal != 0 {
					b, have, n = literals(dst, n, e, b, have)
					continue
				}
			}
		}

		if e&Special != 0 {
			e = LongLitLen(litLen, e, b)
			if e&Literal != 0 {
				b, have, n = literals(dst, n, e, b, have)
				continue
			}
			if e&Special != 0 {
				if e&KindMask != End {
					return BadCode
				}
				b >>= e & Drop
				have -= uint64(e & Drop)
				status = Ended
				break
			}
		}

		length := int(e>>Value) + int(b&(1<<(e&Drop)-1)>>(e>>CodeBits&CodeMask))
		b >>= e & Drop
		have -= uint64(e & Drop)

		b, have, at = refill(src, at, b, have)
		e = distance[b&(1<<DistanceBits-1)]
		if e&Special != 0 {
			if e = LongDistance(distance, e, b); e&Special != 0 {
				return BadCode
			}
		}

		back := int(e>>Value) + int(b&(1<<(e&Drop)-1)>>(e>>CodeBits&CodeMask))
		b >>= e & Drop
		have -= uint64(e & Drop)

		if back > n {
			return TooFar
		}

		copyMatch(dst, n, back, length)
		n += length
	}

	l.At = at
	l.N = n
	l.Bits = b & (1<<have - 1)
	l.Have = have
	return status
}

// refill loads bits until there are at least 56.
func refill(src []byte, at int, b, have uint64) (uint64, uint64, int) {
	b |= binary.LittleEndian.Uint64(src[at:]) << (have & 63)
	return b, have | 56, at + int((63-have)>>3&7)
}

// literals stores the one or two literals of e, always writing two bytes, and drops their bits.
func literals(dst []byte, n int, e Entry, b, have uint64) (uint64, uint64, int) {
	binary.LittleEndian.PutUint16(dst[n:], uint16(e>>Value))
	return b >> (e & Drop), have - uint64(e&Drop), n + int(e>>CodeBits&CodeMask)
}

// LongLitLen looks up a code in its second table if e, its entry in the first table, refers to one.
func LongLitLen(table *[LitLenTable]Entry, e Entry, bits uint64) Entry {
	if e&Subtable != 0 {
		more := uint32(bits>>LitLenBits) & (1<<(e>>CodeBits&CodeMask) - 1)
		e = table[(e>>Value+more)&(LitLenTable-1)]
	}
	return e
}

// LongDistance is LongLitLen for distances.
func LongDistance(table *[DistanceTable]Entry, e Entry, bits uint64) Entry {
	if e&Subtable != 0 {
		more := uint32(bits>>DistanceBits) & (1<<(e>>CodeBits&CodeMask) - 1)
		e = table[(e>>Value+more)&(DistanceTable-1)]
	}
	return e
}
