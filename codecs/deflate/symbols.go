package deflate

import "encoding/binary"

// block decodes the symbols of a block to dst[n:], where it may refer to dst[:n], and returns where it ends.
func (d *Decoder) block(dst []byte, n int, r *bitReader) (int, error) {
	for {
		var done bool
		var err error
		if n, done, err = d.fast(dst, n, r); done || err != nil {
			return n, err
		}
		// Near an end of either buffer, one symbol at a time.
		if n, done, err = d.symbol(dst, n, r); done || err != nil {
			return n, err
		}
	}
}

// What one round of the fast loop may touch behind where it starts: of the input two loads of 8 bytes, the second up to 7
// bytes further on; of the output four literals and the longest match, with what copying writes beyond its end.
const (
	inputMargin  = 16
	outputMargin = 6 + maxMatch + copySlack
)

// fast decodes symbols as long as both buffers have room for a round without checks. After a refill there are 56 bits: enough
// for two literals of up to 11 bits each and a length of up to 20, and after another one for a distance of up to 28.
func (d *Decoder) fast(dst []byte, n int, r *bitReader) (_ int, done bool, err error) {
	src, at, b, have := r.src, r.at, r.bits, uint64(r.have)
	lastIn, lastOut := len(src)-inputMargin, len(dst)-outputMargin
	litLen, distance := &d.litLen, &d.distance
	for at <= lastIn && n <= lastOut {
		b |= binary.LittleEndian.Uint64(src[at:]) << (have & 63)
		at += int((63 - have) >> 3 & 7)
		have |= 56
		e := litLen[b&(1<<litLenBits-1)]
		if e&entryLiteral != 0 {
			b, have, n = dropLiterals(dst, n, e, b, have)
			e = litLen[b&(1<<litLenBits-1)]
			if e&entryLiteral != 0 {
				b, have, n = dropLiterals(dst, n, e, b, have)
				e = litLen[b&(1<<litLenBits-1)]
				if e&entryLiteral != 0 {
					b, have, n = dropLiterals(dst, n, e, b, have)
					continue
				}
			}
		}
		if e&entrySpecial != 0 {
			e = d.longLitLen(e, b)
			if e&entryLiteral != 0 {
				b >>= e & entryDrop
				have -= uint64(e & entryDrop)
				dst[n] = byte(e >> entryValue)
				n++
				continue
			}
			if e&entrySpecial != 0 {
				if e&^0xfff != entryEnd {
					return 0, false, errSymbol
				}
				b >>= e & entryDrop
				have -= uint64(e & entryDrop)
				done = true
				break
			}
		}
		length := int(e>>entryValue) + int(b&(1<<(e&entryDrop)-1)>>(e>>entryCodeBits&entryCodeMask))
		b >>= e & entryDrop
		have -= uint64(e & entryDrop)

		b |= binary.LittleEndian.Uint64(src[at:]) << (have & 63)
		at += int((63 - have) >> 3 & 7)
		have |= 56
		e = distance[b&(1<<distanceBits-1)]
		if e&entrySpecial != 0 {
			if e = d.longDistance(e, b); e&entrySpecial != 0 {
				return 0, false, errSymbol
			}
		}
		back := int(e>>entryValue) + int(b&(1<<(e&entryDrop)-1)>>(e>>entryCodeBits&entryCodeMask))
		b >>= e & entryDrop
		have -= uint64(e & entryDrop)
		if back > n {
			return 0, false, errTooFar
		}
		copyMatch(dst, n, back, length)
		n += length
	}
	r.at, r.bits, r.have = at, b&(1<<have-1), uint(have)
	return n, done, nil
}

// dropLiterals stores the one or two literals of e, two bytes in any case, and drops their bits.
func dropLiterals(dst []byte, n int, e entry, b, have uint64) (uint64, uint64, int) {
	binary.LittleEndian.PutUint16(dst[n:], uint16(e>>entryValue))
	return b >> (e & entryDrop), have - uint64(e&entryDrop), n + int(e>>entryCodeBits&entryCodeMask)
}

// longLitLen looks a code up in the second table if e says so.
func (d *Decoder) longLitLen(e entry, bits uint64) entry {
	if e&entrySubtable != 0 {
		more := uint32(bits>>litLenBits) & (1<<(e>>entryCodeBits&entryCodeMask) - 1)
		e = d.litLen[(e>>entryValue+more)&(litLenTable-1)]
	}
	return e
}

func (d *Decoder) longDistance(e entry, bits uint64) entry {
	if e&entrySubtable != 0 {
		more := uint32(bits>>distanceBits) & (1<<(e>>entryCodeBits&entryCodeMask) - 1)
		e = d.distance[(e>>entryValue+more)&(distanceTable-1)]
	}
	return e
}

// symbol decodes one literal or match, with every check.
func (d *Decoder) symbol(dst []byte, n int, r *bitReader) (_ int, done bool, err error) {
	r.refill()
	e := d.litLen[r.bits&(1<<litLenBits-1)]
	e = d.longLitLen(e, r.bits)
	if e&entryLiteral != 0 {
		return d.literals(dst, n, r, e)
	}
	if e&entrySpecial != 0 && e&^0xfff != entryEnd {
		return 0, false, r.orTruncated(errSymbol)
	}
	length, err := r.takeValue(e)
	if err != nil || e&entrySpecial != 0 {
		return n, true, err
	}
	r.refill()
	e = d.distance[r.bits&(1<<distanceBits-1)]
	e = d.longDistance(e, r.bits)
	if e&entrySpecial != 0 {
		return 0, false, r.orTruncated(errSymbol)
	}
	back, err := r.takeValue(e)
	switch {
	case err != nil:
		return 0, false, err
	case back > n:
		return 0, false, errTooFar
	case length > len(dst)-n:
		return 0, false, ErrLong
	}
	copyExactly(dst[:n+length], n, back)
	return n + length, false, nil
}

// literals stores the one or two literals of an entry. Of two, the second may be an accident of bits that are not there.
func (d *Decoder) literals(dst []byte, n int, r *bitReader, e entry) (_ int, done bool, err error) {
	if e>>entryCodeBits&entryCodeMask == 2 {
		first := uint(d.lengths[e>>entryValue&0xff])
		e = entryLiteral | 1<<entryCodeBits | uint32(first) | e&(0xff<<entryValue)
	}
	if _, err := r.take(uint(e & entryDrop)); err != nil {
		return 0, false, err
	}
	if n == len(dst) {
		return 0, false, ErrLong
	}
	dst[n] = byte(e >> entryValue)
	return n + 1, false, nil
}

// takeValue consumes a code and its extra bits, and returns the value that they stand for.
func (r *bitReader) takeValue(e entry) (int, error) {
	all, err := r.take(uint(e & entryDrop))
	return int(e>>entryValue + all>>(e>>entryCodeBits&entryCodeMask)), err
}

// orTruncated is the error for bits that are no code: that there are no more bits, if so.
func (r *bitReader) orTruncated(err reason) error {
	if r.have < maxCodeLen {
		return errTruncated
	}
	return err
}
