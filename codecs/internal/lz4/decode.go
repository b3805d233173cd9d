package lz4

import (
	"encoding/binary"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/lz"
)

// slack is the distance from the end of a buffer within which decoding copies no excess bytes.
const slack = 64

// Decode fills dst exactly from the block src. Matches may reach back into dict, which logically
// precedes dst. It does not allocate unless it fails, with an error that matches cairn.ErrCorrupt;
// the contents of dst are then undefined. It may be called concurrently.
func Decode(dst, src, dict []byte) error { return decode(dst, src, dict, 0) }

// DecodeBehind fills dst[from:] exactly from the block src. Matches may reach back into dst[:from],
// a dictionary that is as fast as the block itself. Otherwise it is like Decode.
func DecodeBehind(dst, src []byte, from int) error { return decode(dst, src, nil, from) }

func decode(dst, src, dict []byte, out int) error {
	if len(src) == 0 {
		return corrupt(0, "not even a token") // an empty block has one token
	}
	start := out
	in := 0

	for in < len(src) {
		in, out = lz.ExpandLZ4(dst, src, in, out)
		in, out = decodeMost(dst, src, in, out)

		s, err := readSequence(src, in, len(dst)-out)
		if err != nil {
			return err
		}
		out += copy(dst[out:], src[s.literals:][:s.count])

		if s.length == 0 {
			if out != len(dst) {
				return cairn.Corruptf("codec stream", -1, "lz4 stream decodes to %d bytes, want %d", out-start, len(dst)-start)
			}
			return nil
		}

		if s.length > len(dst)-out || s.distance > out+len(dict) || s.distance == 0 {
			return corrupt(in, "match does not fit")
		}
		copyMatch(dst, out, s.distance, s.length, dict)
		out += s.length
		in = s.next
	}
	return corrupt(in, "stream ends within or after a match")
}

// DecodePrefix fills dst with the first len(dst) decoded bytes of the block src and ignores the
// rest of src. Otherwise it is like Decode.
func DecodePrefix(dst, src, dict []byte) error {
	var in, out int
	for out < len(dst) {
		in, out = lz.ExpandLZ4(dst, src, in, out)
		in, out = decodeMost(dst, src, in, out)
		if in >= len(src) {
			return corrupt(in, "stream ends before the bytes that are wanted")
		}

		var err error
		if in, out, err = decodeCut(dst, src, dict, in, out); err != nil {
			return err
		}
	}
	return nil
}

// beyond exceeds the length of any block. Sums of lengths stop there to avoid overflow.
const beyond = 1 << 30

// decodeCut decodes the sequence at src[in], or as much of it as fits into dst.
func decodeCut(dst, src, dict []byte, in, out int) (inAfter, outAfter int, err error) {
	token := int(src[in])
	at := in + 1
	count := token >> 4
	if count == nibbleMax {
		count, at = readLength(src, at, beyond) // the whole length, to find the literals
	}

	count = min(count, len(dst)-out)
	if count > len(src)-at {
		return in, out, corrupt(in, "literals do not fit")
	}
	copy(dst[out:], src[at:at+count])
	at += count
	out += count

	if out == len(dst) {
		return at, out, nil
	}

	if len(src)-at < 2 {
		return in, out, corrupt(in, "stream ends before the bytes that are wanted")
	}
	distance := int(binary.LittleEndian.Uint16(src[at:]))
	length := token & nibbleMax
	at += 2
	if length == nibbleMax {
		length, at = readLength(src, at, len(dst)-out)
	}

	if distance == 0 || distance > out+len(dict) {
		return in, out, corrupt(in, "match does not fit")
	}

	length = min(length+minMatch, len(dst)-out)
	copyMatch(dst, out, distance, length, dict)
	return at, out + length, nil
}

// decodeMost decodes sequences while both buffers are long enough to copy a fixed number of bytes
// at a time; the next sequence overwrites the excess. It returns where it stopped: at a sequence
// near an end, an invalid one, one whose match begins before dst, or one with a long match at a
// distance below eight.
func decodeMost(dst, src []byte, in, out int) (int, int) {
	for len(src)-in > slack && len(dst)-out > slack {
		s := src[in:]
		token := int(s[0])
		count := token >> 4
		length := token&nibbleMax + minMatch
		head := 1
		*(*[16]byte)(dst[out:]) = *(*[16]byte)(s[1:])
		if count == nibbleMax {
			count, head = readLength(s, 1, len(dst)-out)
			if count > len(dst)-out-slack || count > len(s)-head-slack {
				return in, out
			}
			copyWide(dst[out:], s[head:], count)
		}

		s = s[head+count:]
		distance := int(binary.LittleEndian.Uint16(s))
		to := out + count
		from := to - distance
		next := in + head + count + 2
		if length == nibbleMax+minMatch {
			length, head = readLength(s, 2, len(dst)-out)
			length += minMatch
			next += head - 2
		}

		// What needs checks, or a copy that does not fit the cases below, is left to the caller.
		if from < 0 || length > len(dst)-to-slack && length > 18 || distance < 8 && (distance == 0 || length > 32) {
			return in, out
		}

		switch m := dst[from : to+length+32]; {
		case length > 32:
			copyPeriods(m, distance, length)
		case distance >= 16:
			*(*[16]byte)(m[distance:]) = *(*[16]byte)(m)
			*(*[16]byte)(m[distance+16:]) = *(*[16]byte)(m[16:])
		case distance >= 8:
			for at := 0; at < length; at += 8 {
				*(*[8]byte)(m[distance+at:]) = *(*[8]byte)(m[at:])
			}
		default:
			for at := 0; at < length; at++ {
				m[distance+at] = m[at]
			}
		}

		in = next
		out = to + length
	}
	return in, out
}

// copyWide copies n bytes and up to 31 more.
func copyWide(dst, src []byte, n int) {
	for n > 0 && len(src) >= 32 && len(dst) >= 32 {
		*(*[32]byte)(dst) = *(*[32]byte)(src)
		dst = dst[32:]
		src = src[32:]
		n -= 32
	}
}

// copyPeriods fills length bytes from m[distance] with repetitions of the bytes before them.
func copyPeriods(m []byte, distance, length int) {
	m = m[:distance+length]
	for done := distance; done < len(m); {
		done += copy(m[done:], m[:done])
	}
}

// A sequence is a parsed sequence that has not been executed.
type sequence struct {
	literals, count  int // offset and number of the literals in the stream
	distance, length int // of the match; length 0: the stream ends before it
	next             int // offset of the next sequence
}

// readSequence parses the sequence at src[in]. Its literals and its match must not exceed room,
// which avoids overflow.
func readSequence(src []byte, in, room int) (s sequence, err error) {
	token := int(src[in])
	at := in + 1
	if s.count = token >> 4; s.count == nibbleMax {
		s.count, at = readLength(src, at, room)
	}

	if s.count > room || s.count > len(src)-at {
		return s, corrupt(in, "literals do not fit")
	}
	s.literals = at
	at += s.count

	if at == len(src) {
		return s, nil
	}

	if len(src)-at < 2 {
		return s, corrupt(in, "stream ends")
	}

	s.distance = int(binary.LittleEndian.Uint16(src[at:]))
	at += 2
	if s.length = token & nibbleMax; s.length == nibbleMax {
		s.length, at = readLength(src, at, room)
	}
	s.length += minMatch
	s.next = at
	return s, nil
}

// readLength adds the bytes of a length from src[at], and returns the sum and the next offset. It
// stops early when the sum exceeds room or the stream ends.
func readLength(src []byte, at, room int) (n, next int) {
	for n = nibbleMax; at < len(src) && n <= room; {
		b := src[at]
		at++
		n += int(b)
		if b != 255 {
			return n, at
		}
	}
	return room + 1, at
}

// copyMatch copies length bytes from distance bytes before dst[out:], where dict precedes dst. If
// the ranges overlap, the pattern is repeated.
func copyMatch(dst []byte, out, distance, length int, dict []byte) {
	if distance > out {
		n := copy(dst[out:out+length], dict[len(dict)-(distance-out):])
		out += n
		if length -= n; length == 0 {
			return
		}
	}
	if length <= 48 && distance >= 16 && len(dst)-out >= 64 {
		*(*[16]byte)(dst[out:]) = *(*[16]byte)(dst[out-distance:])
		*(*[16]byte)(dst[out+16:]) = *(*[16]byte)(dst[out-distance+16:])
		*(*[16]byte)(dst[out+32:]) = *(*[16]byte)(dst[out-distance+32:])
		return
	}

	all := dst[out-distance : out+length]
	if distance < 8 && length <= 16 {
		for i := range length {
			all[distance+i] = all[i]
		}
		return
	}

	// Copying everything since the start of the pattern doubles the number of whole periods each
	// time.
	for done := distance; done < len(all); {
		done += copy(all[done:], all[:done])
	}
}
