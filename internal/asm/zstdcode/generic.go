package zstdcode

import (
	"encoding/binary"
	"math/bits"
)

// nameGeneric is the portable [Name].
func nameGeneric(to []Sequence, matches []Match, codes *Codes, counts *Counts, repeat *[3]uint32) {
	r := *repeat
	for i := range matches {
		m := &matches[i]
		lengths := uint32(longLiterals) + highBit(m.Literals|1)*257
		if m.Literals < ShortLiterals {
			lengths = uint32(codes.Literal[m.Literals])
		}

		l := lengths & 0xff
		n := lengths >> 8
		extra := uint64(m.Literals) & (1<<(n&31) - 1)

		lengths = uint32(longMatches) + highBit((m.Length-3)|1)*257
		if m.Length-3 < ShortMatches {
			lengths = uint32(codes.Match[m.Length-3])
		}

		c := lengths & 0xff
		more := lengths >> 8
		extra |= uint64(m.Length-3) & (1<<(more&31) - 1) << (n & 31)
		n += more

		v := Offset(&r, m.Distance, m.Literals == 0)
		o := highBit(v)
		extra |= uint64(v) & (1<<(o&31) - 1) << (n & 63)
		to[i] = Sequence{extra, uint8(l), uint8(o), uint8(c), uint8(n + o)}

		counts.Literal[l&63]++
		counts.Offset[o&63]++
		counts.Match[c&63]++
	}

	*repeat = r
}

// highBit returns the index of the highest bit set; v must not be 0.
func highBit(v uint32) uint32 { return uint32(bits.Len32(v)) - 1 }

// Offset returns the offset value of a distance and makes the distance the latest (RFC 8878
// §3.1.1.5): 1 to 3 for a repeated distance, else the distance plus 3.
func Offset(r *[3]uint32, distance uint32, noLiterals bool) uint32 {
	shift := uint32(0)
	if noLiterals {
		shift = 1
	} else if distance == r[0] {
		return 1
	}

	value := distance + 3
	switch distance {
	case r[1]:
		r[0], r[1] = r[1], r[0]
		return 2 - shift
	case r[2]:
		value = 3 - shift
	case r[0] - shift:
		value = 3
	}

	r[0], r[1], r[2] = distance, r[0], r[1]
	return value
}

// writeGeneric is the portable [Stream.Write].
func (w *Stream) writeGeneric(seqs []Sequence, t *Tables, s *States) bool {
	lt := t.Literal
	ot := t.Offset
	mt := t.Match
	ls := s.Literal
	os := s.Offset
	ms := s.Match
	acc := w.Bits
	have := uint32(w.Have)
	at := w.N

	for i := len(seqs) - 1; i >= 0; i-- {
		if at > len(w.Out)-Slack {
			return false
		}

		q := &seqs[i]
		y := &ot.Symbols[q.Offset&63]
		n := (os + y.Shift) >> 16
		acc |= uint64(os) & (1<<(n&31) - 1) << (have & 63)
		have += n
		os = uint32(ot.States[(int32(os>>(n&31))+y.First)&(TableSize-1)])

		y = &mt.Symbols[q.Match&63]
		n = (ms + y.Shift) >> 16
		acc |= uint64(ms) & (1<<(n&31) - 1) << (have & 63)
		have += n
		ms = uint32(mt.States[(int32(ms>>(n&31))+y.First)&(TableSize-1)])

		y = &lt.Symbols[q.Literal&63]
		n = (ls + y.Shift) >> 16
		acc |= uint64(ls) & (1<<(n&31) - 1) << (have & 63)
		have += n
		ls = uint32(lt.States[(int32(ls>>(n&31))+y.First)&(TableSize-1)])

		extra := q.Extra
		more := uint32(q.Bits)
		if more > wide {
			binary.LittleEndian.PutUint64(w.Out[at:], acc)
			at += int(have >> 3)
			acc >>= have & 56
			have &= 7
			if more > 56 {
				acc |= extra & 0xffffffff << have
				binary.LittleEndian.PutUint64(w.Out[at:], acc)
				at += 4
				acc >>= 32
				extra >>= 32
				more -= 32
			}
		}

		acc |= extra << (have & 63)
		have += more
		binary.LittleEndian.PutUint64(w.Out[at:], acc)
		at += int(have >> 3)
		acc >>= have & 56
		have &= 7
	}

	w.Bits = acc
	w.Have = int(have)
	w.N = at
	s.Literal = ls
	s.Offset = os
	s.Match = ms
	return true
}

// wide is how many bits fit besides those of three states and a byte.
const wide = 64 - 7 - 9 - 9 - 8
