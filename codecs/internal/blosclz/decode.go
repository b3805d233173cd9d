package blosclz

import (
	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/lz"
)

// Decode fills dst exactly from the stream src. It does not allocate unless it fails, with an error
// that matches cairn.ErrCorrupt; the contents of dst are then undefined. It may be called
// concurrently.
func Decode(dst, src []byte) error {
	if len(src) == 0 {
		return corrupt(0, "empty stream")
	}

	in := 1
	out := 0
	token := int(src[0] & distanceMask)
	for {
		if token < tokenLiteral {
			n := token + 1
			if n > len(dst)-out || n > len(src)-in {
				return corrupt(in, "literal run does not fit")
			}
			copyLiterals(dst, src, out, in, n)
			in += n
			out += n

			if in == len(src) {
				break
			}
		} else {
			length, distance, next := readMatch(src, in, token, len(dst)-out)
			// Every match must be followed by another token: other decoders drop a match at the end
			// of a stream.
			if next >= len(src) {
				return corrupt(in, "stream ends within or after a match")
			}
			if length > len(dst)-out || distance > out {
				return corrupt(in, "match does not fit")
			}

			copyMatch(dst, out, distance, length)
			out += length
			in = next
		}

		in, out = lz.ExpandBlosc(dst, src, in, out)
		token = int(src[in])
		in++
	}

	if out != len(dst) {
		return cairn.Corruptf("codec stream", -1, "blosclz stream decodes to %d bytes, want %d", out, len(dst))
	}
	return nil
}

// beyond exceeds the length of any block. Sums of lengths stop there to avoid overflow.
const beyond = 1 << 30

// DecodePrefix fills dst with the first len(dst) decoded bytes of the stream src and ignores the
// rest of src. Otherwise it is like Decode.
func DecodePrefix(dst, src []byte) error {
	if len(src) == 0 {
		return corrupt(0, "empty stream")
	}

	in := 1
	out := 0
	token := int(src[0] & distanceMask)
	for out < len(dst) {
		room := len(dst) - out
		if token < tokenLiteral {
			n := min(token+1, room)
			if n > len(src)-in {
				return corrupt(in, "literal run does not fit")
			}
			copyLiterals(dst, src, out, in, n)
			in += n
			out += n
		} else {
			length, distance, next := readMatch(src, in, token, beyond)
			if distance > out || next >= len(src) {
				return corrupt(in, "match does not fit")
			}
			length = min(length, room)
			copyMatch(dst, out, distance, length)
			out += length
			in = next
		}

		// The fast loop needs another token, which a prefix may lack.
		if out == len(dst) {
			break
		}

		if in < len(src) {
			in, out = lz.ExpandBlosc(dst, src, in, out)
		}
		if in >= len(src) {
			return corrupt(in, "stream ends before the bytes that are wanted")
		}

		token = int(src[in])
		in++
	}
	return nil
}

// corrupt returns an error about the token whose second byte is at the given offset of the stream.
func corrupt(at int, reason string) error {
	return cairn.Corruptf("codec stream", -1, "blosclz: %s at byte %d of the stream", reason, max(at-1, 0))
}

// readMatch parses the rest of a match token at src[in] and returns the offset of the next token,
// which is at least len(src) if src is too short. It stops adding length bytes beyond room to avoid
// overflow.
func readMatch(src []byte, in, token, room int) (length, distance, next int) {
	length = token>>lengthShift + lengthBias
	distance = (token&distanceMask)<<8 + 1
	if token>>lengthShift == longLength {
		for {
			if in >= len(src) || length > room {
				return length, distance, in
			}
			b := src[in]
			in++
			length += int(b)
			if b != farByte {
				break
			}
		}
	}

	if in >= len(src) {
		return length, distance, in
	}
	low := src[in]
	in++
	distance += int(low)

	if low == farByte && token&distanceMask == distanceMask {
		if len(src)-in < 2 {
			return length, distance, len(src)
		}
		distance = int(src[in])<<8 + int(src[in+1]) + maxNear + 1
		in += 2
	}
	return length, distance, in
}

// copyLiterals copies n bytes, at most maxRun, from src[in:] to dst[out:]. If there is room it
// copies a fixed number of bytes, which is faster; later tokens overwrite the excess.
func copyLiterals(dst, src []byte, out, in, n int) {
	if len(dst)-out >= maxRun && len(src)-in >= maxRun {
		*(*[maxRun]byte)(dst[out:]) = *(*[maxRun]byte)(src[in:])
		return
	}
	copy(dst[out:out+n], src[in:in+n])
}

// copyMatch copies length bytes from distance bytes before dst[out:]. If the ranges overlap, the
// pattern is repeated.
func copyMatch(dst []byte, out, distance, length int) {
	to := dst[out : out+length]
	from := dst[out-distance : out+length]

	switch room := len(dst) - out; {
	case distance >= 16 && length <= 64 && room >= length+16:
		for from, n := dst[out-distance:], 0; n < length; n += 16 {
			*(*[16]byte)(from[distance:]) = *(*[16]byte)(from)
			from = from[16:]
		}
		return
	case distance >= 8 && length <= 64 && room >= length+8:
		for from, n := dst[out-distance:], 0; n < length; n += 8 {
			*(*[8]byte)(from[distance:]) = *(*[8]byte)(from)
			from = from[8:]
		}
		return
	case distance >= length:
		copy(to, from)
		return
	case length <= 16:
		for i := range to {
			to[i] = from[i]
		}
		return
	}

	// Copying everything since the start of the pattern doubles the number of whole periods each
	// time.
	for done := distance; done < len(from); {
		done += copy(from[done:], from[:done])
	}
}
