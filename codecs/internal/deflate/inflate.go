package deflate

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/inflate"
)

const (
	errTruncated    reason = "ends within the data"
	errBlockType    reason = "block has the reserved type"
	errStoredLength reason = "length of a stored block does not match its complement"
	errSymbolCount  reason = "block defines more symbols than there are"
	errNoLast       reason = "repeats a code length before the first"
	errRepeat       reason = "repeats a code length beyond the last"
	errSymbol       reason = "bits that are no code"
	errTooFar       reason = "match reaches back before the start"

	// ErrLong is the error for data that decode to more than was asked for.
	ErrLong reason = "decodes to more bytes than asked for"
	// ErrShort is the error for data that decode to less than was asked for.
	ErrShort reason = "decodes to fewer bytes than asked for"
)

// A Decoder decodes DEFLATE data. It contains the tables, does not allocate, and must not be used
// concurrently. The zero value is ready to use.
type Decoder struct {
	litLen   [inflate.LitLenTable]entry
	distance [inflate.DistanceTable]entry
	precode  [precodeTable]entry
	lengths  [litLenSymbols + distanceSymbols]uint8
	builder  tableBuilder
	fixed    bool // the tables contain the fixed code
}

// Decode fills dst exactly from the DEFLATE data at the beginning of src, and returns the size of
// that data. Whatever src contains, it neither panics nor writes outside of dst. After an error the
// contents of dst are undefined.
func (d *Decoder) Decode(dst, src []byte) (int, error) {
	r := bitReader{src: src}
	n := 0
	for final := false; !final; {
		r.refill()
		head, err := r.take(3)
		if err != nil {
			return 0, err
		}

		final = head&1 != 0
		switch head >> 1 {
		case blockStored:
			n, err = stored(dst, n, &r)
		case blockFixed:
			if err := d.readFixed(); err != nil {
				return 0, err
			}
			n, err = d.block(dst, n, &r)
		case blockDynamic:
			if err := d.readCodes(&r, len(dst)-n); err != nil {
				return 0, err
			}
			n, err = d.block(dst, n, &r)
		default:
			err = errBlockType
		}

		if err != nil {
			return 0, err
		}
	}

	if n < len(dst) {
		return 0, ErrShort
	}
	r.alignToByte()
	return r.at, nil
}

// stored copies a stored block to dst[n:] (RFC 1951 §3.2.4).
func stored(dst []byte, n int, r *bitReader) (int, error) {
	r.alignToByte()
	if len(r.src)-r.at < 4 {
		return 0, errTruncated
	}

	length := int(binary.LittleEndian.Uint16(r.src[r.at:]))
	if length^0xffff != int(binary.LittleEndian.Uint16(r.src[r.at+2:])) {
		return 0, errStoredLength
	}
	r.at += 4

	switch {
	case length > len(r.src)-r.at:
		return 0, errTruncated
	case length > len(dst)-n:
		return 0, ErrLong
	}

	copy(dst[n:], r.src[r.at:r.at+length])
	r.at += length
	return n + length, nil
}

// readFixed builds the tables of the fixed code.
func (d *Decoder) readFixed() error {
	if d.fixed {
		return nil
	}

	var lengths [litLenFixed]uint8
	fixedLengths(&lengths)
	if err := d.builder.build(d.litLen[:], inflate.LitLenBits, lengths[:], litLenEntries[:]); err != nil {
		return err
	}

	for s := range lengths[:distanceFixed] {
		lengths[s] = 5
	}
	if err := d.builder.build(d.distance[:], inflate.DistanceBits, lengths[:distanceFixed], distanceEntries[:]); err != nil {
		return err
	}

	d.fixed = true
	return nil
}

// pairFrom is the number of bytes left to decode from which pairing literals in the table pays.
const pairFrom = 4096

// readCodes reads the codes of a block and builds their tables (RFC 1951 §3.2.7). left is the
// maximum number of bytes in the block.
func (d *Decoder) readCodes(r *bitReader, left int) error {
	d.fixed = false
	counts, err := r.take(14)
	if err != nil {
		return err
	}

	litLens := int(counts&31) + 257
	distances := int(counts>>5&31) + 1
	precodes := int(counts>>10) + 4
	if litLens > litLenSymbols || distances > distanceSymbols {
		return errSymbolCount
	}

	if err := d.readPrecode(r, precodes); err != nil {
		return err
	}
	if err := d.readLengths(r, litLens+distances); err != nil {
		return err
	}

	if err := d.builder.build(d.litLen[:], inflate.LitLenBits, d.lengths[:litLens], litLenEntries[:]); err != nil {
		return err
	}
	if left > pairFrom && pairsPay(d.lengths[:]) {
		pairLiterals(&d.litLen)
	}
	return d.builder.build(d.distance[:], inflate.DistanceBits, d.lengths[litLens:litLens+distances], distanceEntries[:])
}

// readPrecode reads the code of the code lengths: n lengths of three bits each.
func (d *Decoder) readPrecode(r *bitReader, n int) error {
	var lengths [precodeSymbols]uint8
	for _, s := range precodeOrder[:n] {
		r.refill()
		l, err := r.take(3)
		if err != nil {
			return err
		}
		lengths[s] = uint8(l)
	}
	return d.builder.build(d.precode[:], maxPrecodeLen, lengths[:], precodeEntries[:])
}

// readLengths reads n code lengths.
func (d *Decoder) readLengths(r *bitReader, n int) error {
	for i := 0; i < n; {
		r.refill()
		e := d.precode[r.bits&(precodeTable-1)]
		if e&inflate.Special != 0 {
			return errSymbol
		}
		if _, err := r.take(uint(e & inflate.Drop)); err != nil {
			return err
		}

		symbol := e >> inflate.Value
		if symbol < firstRepeat {
			d.lengths[i] = uint8(symbol)
			i++
			continue
		}

		// Symbols above the lengths repeat one: the previous length, or zero.
		value := uint8(0)
		base := uint32(3)
		extra := uint(repeatZeroBits)
		switch symbol {
		case repeatLast:
			if i == 0 {
				return errNoLast
			}
			value = d.lengths[i-1]
			extra = repeatLastBits
		case repeatZeroLong:
			base = 11
			extra = repeatZLongBits
		}

		more, err := r.take(extra)
		if err != nil {
			return err
		}

		times := int(base + more)
		if times > n-i {
			return errRepeat
		}

		for range times {
			d.lengths[i] = value
			i++
		}
	}
	return nil
}
