package zfp

import "math/bits"

// This file codes planes of 4 and 16 bits. After transposition, each row of 64 bits contains every
// 16th or 4th plane, side by side.

// encodeFour writes planes of 4 bits until at least limit bits are written.
func (c *coder) encodeFour(w *bitWriter, width, first, limit int) {
	rows := (*[4]uint64)(c.values[:])
	transpose(rows[:])
	known := uint8(0)
	code := uint64(0)
	have := uint(0)

	for k := width - 1; k >= first && limit > 0; k-- {
		f := &written[known][rows[k&3]>>(k&60)&15]
		code |= uint64(f.bits) << have
		have += uint(f.width)
		limit -= int(f.width)
		known = f.known
		if have > wordBits-mostForm {
			w.put(code, have)
			code = 0
			have = 0
		}
	}
	w.put(code, have)
}

// decodeFour reads planes of 4 bits from at most left bits.
func (c *coder) decodeFour(r *bitReader, width, first int, left uint) {
	var rows [4]uint64
	known := uint8(0)
	code := uint64(0)
	have := uint(0)

	for k := width - 1; k >= first && left > 0; k-- {
		if left < mostForm {
			begin := r.at
			plane, after := decodePlane(r, uint(known), 4, left)
			rows[k&3] |= plane << (k & 60)
			known = uint8(after)
			have = 0
			left -= r.at - begin
			continue
		}

		if have < mostForm {
			code = r.peek()
			have = 57
		}

		f := &read[known][code&(1<<mostForm-1)]
		rows[k&3] |= uint64(f.plane) << (k & 60)
		code >>= f.width & 63
		have -= uint(f.width)
		r.at += uint(f.width)
		left -= uint(f.width)
		known = f.known
	}

	transpose(rows[:])
	copy(c.values[:], rows[:])
}

// encodeSixteen writes planes of 16 bits until at least limit bits are written.
func (c *coder) encodeSixteen(w *bitWriter, width, first, limit int) {
	rows := (*[16]uint64)(c.values[:])
	transpose(rows[:])
	known := uint(0)
	for k := width - 1; k >= first && limit > 0; k-- {
		plane := rows[k&15] >> (k & 48) & (1<<16 - 1)
		code := plane & (1<<known - 1)
		have := known
		plane >>= known

		for known < 16 {
			if plane == 0 {
				have++
				break
			}
			zeros := uint(bits.TrailingZeros64(plane)) & 15
			plane >>= zeros + 1
			known += zeros + 1
			code |= (1 | 2<<zeros) << have
			have += zeros + 2
			if known == 16 { // the last bit is implied
				have--
				code &= 1<<have - 1
			}
		}

		w.put(code, have)
		limit -= int(have)
	}
}

// decodeSixteen reads planes of 16 bits from at most left bits.
func (c *coder) decodeSixteen(r *bitReader, width, first int, left uint) {
	var rows [16]uint64
	known := uint(0)
	for k := width - 1; k >= first && left > 0; k-- {
		begin := r.at
		var plane uint64
		if left < 32 {
			plane, known = decodePlane(r, known, 16, left)
		} else {
			plane, known = decodeShort(r, known)
		}
		rows[k&15] |= plane << (k & 48)
		left -= r.at - begin
	}

	transpose(rows[:])
	copy(c.values[:], rows[:])
}

// decodeShort is decodePlane for 16 bits without a limit. Such a plane takes at most 31 bits, so
// that one peek suffices.
func decodeShort(r *bitReader, known uint) (plane uint64, last uint) {
	v := r.peek()
	plane = v & (1<<known - 1)
	v >>= known
	used := known

	for known < 16 {
		if v&1 == 0 {
			used++
			break
		}

		end := 15 - known
		zeros := uint(bits.TrailingZeros64(v>>1 | 1<<end))
		known += zeros
		plane |= 1 << (known & 63)
		known++
		used += zeros + 2
		v >>= zeros + 2
		if zeros == end {
			used--
		}
	}

	r.at += used
	return plane, known
}

// Planes of 4 bits have so few forms that a table contains all of them.

// A form is the code of a plane of 4 bits, given the number of known values.
type form struct {
	bits  uint8 // of the code
	width uint8
	known uint8 // the number of known values afterwards
	plane uint8
}

// mostForm is the length of the longest code of a plane of 4 bits: all set, none known.
const mostForm = 7

var (
	written = writtenForms() // by known values and plane
	read    = readForms()    // by known values and the next mostForm bits
)

func writtenForms() (forms [5][16]form) {
	for known := range forms {
		for plane := range forms[known] {
			var out [16]byte
			w := bitWriter{out: out[:]}
			after := encodePlane(&w, uint64(plane), uint(known), 4)
			forms[known][plane] = form{uint8(w.word), uint8(w.have), uint8(after), uint8(plane)}
		}
	}
	return forms
}

func readForms() (forms [5][1 << mostForm]form) {
	for known := range forms {
		for _, f := range written[known] {
			for rest := int(f.bits); rest < 1<<mostForm; rest += 1 << f.width {
				forms[known][rest] = f
			}
		}
	}
	return forms
}
