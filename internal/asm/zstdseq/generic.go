package zstdseq

import "encoding/binary"

// word returns the eight bytes that end with the one that holds bit pos of the stream. The lowest
// 56 + pos%8 of its bits precede pos.
func (s *State) word(pos int) uint64 {
	return binary.LittleEndian.Uint64(s.Bits[s.From+pos>>3-7:])
}

// extract returns the n bits of w below bit have, and the bits below those.
func extract(w uint64, have, n uint64) (value, rest uint64) {
	have -= n
	return w >> (have & 63) & (1<<(n&63) - 1), have
}

// runGeneric is the portable [State.Run].
func (s *State) runGeneric() Status {
	dst := s.Dst
	lits := s.Lits
	status := Done
	out := s.Out
	lit := s.Lit

	for s.Left > 0 {
		litLen, matchLen, distance := s.next()
		if distance <= 0 {
			status = Corrupt
			break
		}

		from := out + int(litLen)
		end := from + int(matchLen)
		litEnd := lit + int(litLen)
		if end > len(dst)-Slack || litEnd > len(lits) || matchLen > LongMatch || distance > s.Window || distance > int64(from) {
			s.LiteralLength = litLen
			s.MatchLength = matchLen
			s.Distance = distance
			status = Pending
			break
		}

		*(*half)(dst[out:]) = *(*half)(lits[lit : lit+Slack])
		if litLen > 16 {
			copyLiterals(dst[out:from+Slack], lits[lit:litEnd+Slack])
		}

		if distance >= 16 && matchLen <= 32 {
			to := dst[from : from+32]
			back := dst[from-int(distance):]
			*(*half)(to) = *(*half)(back)
			*(*half)(to[16:]) = *(*half)(back[16:])
		} else {
			copyMatch(dst, from, int(distance), int(matchLen))
		}

		out = end
		lit = litEnd
	}

	s.Out = out
	s.Lit = lit
	return status
}

// next decodes a sequence, and the states of the one after it, if there is one. The distance is not
// positive if the stream is corrupt.
func (s *State) next() (literals, length, distance int64) {
	literal := s.literal
	match := s.match
	offset := s.offset
	w := s.word(s.Pos)
	have := uint64(s.Pos&7 + 56)

	var bits, matchLen, litLen uint64
	bits, have = extract(w, have, uint64(offset>>8&0xff))
	distance = int64(bits) + int64(offset)>>32
	extra := int((offset>>8 + match>>8 + literal>>8) & 0xff)
	pos := s.Pos - extra
	s.Pos = pos
	if extra > 29 {
		// Too few bits may be left for the states, or even for the lengths.
		if pos < 0 {
			return 0, 0, 0
		}
		at := pos + extra - int(offset>>8&0xff)
		w = s.word(at)
		have = uint64(at&7 + 56)
	}

	matchLen, have = extract(w, have, uint64(match>>8&0xff))
	litLen, have = extract(w, have, uint64(literal>>8&0xff))
	literals = int64(litLen + uint64(literal>>32))
	length = int64(matchLen + uint64(match>>32))
	if extra > 29 {
		w = s.word(pos)
		have = uint64(pos&7 + 56)
	}

	if s.Left--; s.Left > 0 {
		pos -= int((literal + match + offset) & 0xff)
		s.Pos = pos
		bits, have = extract(w, have, uint64(literal&0xff))
		s.literal = s.Literal[(uint64(literal>>16&0xffff)+bits)%TableSize]
		bits, have = extract(w, have, uint64(match&0xff))
		s.match = s.Match[(uint64(match>>16&0xffff)+bits)%TableSize]
		bits, _ = extract(w, have, uint64(offset&0xff))
		s.offset = s.Offset[(uint64(offset>>16&0xffff)+bits)%TableSize]
	}
	if pos < 0 {
		return 0, 0, 0
	}

	if distance > 0 {
		s.Repeat[2], s.Repeat[1], s.Repeat[0] = s.Repeat[1], s.Repeat[0], distance
		return literals, length, distance
	}
	return literals, length, s.repeat(int(distance)+2, literals == 0)
}

// repeat returns the distance that a code of 0, 1 or 2 represents, and makes it the latest (RFC
// 8878 §3.1.1.5).
func (s *State) repeat(code int, noLiterals bool) int64 {
	if noLiterals {
		code++
	}
	r := &s.Repeat
	switch code {
	case 0:
	case 1:
		r[0], r[1] = r[1], r[0]
	case 2:
		r[0], r[1], r[2] = r[2], r[0], r[1]
	default:
		r[0], r[1], r[2] = r[0]-1, r[0], r[1]
	}
	return r[0]
}

type half = [16]byte // the unit of copies

// copyLiterals copies all bytes except the first half, and writes at most Slack undefined bytes
// behind them.
func copyLiterals(to, from []byte) {
	for i := 16; i < len(to)-Slack; i += 16 {
		*(*half)(to[i:]) = *(*half)(from[i:])
	}
}

// copyMatch copies n bytes from distance bytes before out, and writes at most Slack undefined bytes
// behind them.
func copyMatch(dst []byte, out, distance, n int) {
	end := out + n
	if distance < 16 {
		// Each short copy doubles the period, until the units no longer overlap.
		step := distance
		for distance < 16 {
			*(*half)(dst[out:]) = *(*half)(dst[out-distance:])
			if out += step; out >= end {
				return
			}
			distance *= 2
			step = distance
		}
	}

	to := dst[out : end+Slack]
	from := dst[out-distance : end+Slack-distance]
	for i := 0; i < len(to)-Slack; i += 16 {
		*(*half)(to[i:]) = *(*half)(from[i:])
	}
}
