package filter

import "encoding/binary"

// An lzfTable has the position behind the last occurrence of three bytes, by their hash.
type lzfTable [1 << lzfHashBits]int32

const lzfHashBits = 14

func lzfHash(b []byte) uint32 {
	v := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	return v * 2654435761 >> (32 - lzfHashBits)
}

func lzfEncode(w *workspace, _ Filter, dst, src []byte) ([]byte, error) {
	if w.lzf == nil {
		w.lzf = new(lzfTable)
	}
	clear(w.lzf[:])
	dst = dst[:0]
	literals := 0 // first byte that is not encoded

	for i := 0; i+4 <= len(src); {
		slot := &w.lzf[lzfHash(src[i:])]
		at := int(*slot) - 1
		*slot = int32(i + 1)
		if at < 0 || i-at > lzfWindow || !sameThree(src[at:], src[i:]) {
			i++
			continue
		}

		n := 3
		for n < lzfMost && i+n < len(src) && src[at+n] == src[i+n] {
			n++
		}

		dst = appendMatch(appendLiterals(dst, src[literals:i]), n, i-at)
		if len(dst) >= len(src) {
			return nil, nil
		}

		literals = i + n
		for i++; i < literals && i+4 <= len(src); i++ {
			w.lzf[lzfHash(src[i:])] = int32(i + 1)
		}
		i = literals
	}

	dst = appendLiterals(dst, src[literals:])
	if len(dst) >= len(src) {
		return nil, nil
	}
	return dst, nil
}

// sameThree reports whether three bytes are the same; both have a fourth.
func sameThree(a, b []byte) bool {
	return (binary.LittleEndian.Uint32(a)^binary.LittleEndian.Uint32(b))<<8 == 0
}

func appendLiterals(dst, b []byte) []byte {
	for len(b) > 0 {
		n := min(len(b), lzfLiterals)
		dst = append(append(dst, byte(n-1)), b[:n]...)
		b = b[n:]
	}
	return dst
}

// appendMatch appends a match of n bytes, at least 3, from back bytes before.
func appendMatch(dst []byte, n, back int) []byte {
	back--
	n -= 2
	if n < lzfLong {
		return append(dst, byte(n<<5|back>>8), byte(back))
	}
	return append(dst, byte(lzfLong<<5|back>>8), byte(n-lzfLong), byte(back))
}
