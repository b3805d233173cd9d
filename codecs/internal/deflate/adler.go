package deflate

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/adler32"
)

const (
	// adlerWords is the number of words that fit into lanes of 16 bits: 255·(1+2+…+22) is less than
	// 65536.
	adlerWords = 22
	adlerRun   = 8 * adlerWords
	evenBytes  = 0x00ff00ff00ff00ff
)

// Adler32 returns the Adler-32 of b (RFC 1950 §8.2).
//
// Without a kernel it works on words of 8 bytes, in lanes of 16 bits, with even and odd bytes
// apart. The first sum of Adler-32 is that of the bytes. The second sum adds the first sum after
// each byte; the running sums of the lanes give the weight of each byte in it, in steps of 8.
func Adler32(b []byte) uint32 {
	first, second, n := adler32.Update(1, 0, b)
	b = b[n:]
	s1 := uint64(first)
	s2 := uint64(second)

	for len(b) >= adlerRun {
		run := b[:adlerRun]
		b = b[adlerRun:]
		var even, odd, evens, odds uint64
		for i := 0; i <= len(run)-8; i += 8 {
			w := binary.LittleEndian.Uint64(run[i:])
			evens += even
			odds += odd
			even += w & evenBytes
			odd += w >> 8 & evenBytes
		}

		s2 += adlerRun*s1 + 8*(lanes(evens)+lanes(odds))
		// Within a word the first byte has weight 8, the last one weight 1.
		s2 += 8*(even&0xffff) + 6*(even>>16&0xffff) + 4*(even>>32&0xffff) + 2*(even>>48)
		s2 += 7*(odd&0xffff) + 5*(odd>>16&0xffff) + 3*(odd>>32&0xffff) + odd>>48

		s1 += lanes(even) + lanes(odd)
		s1 %= adler32.Mod
		s2 %= adler32.Mod
	}

	for _, c := range b {
		s1 += uint64(c)
		s2 += s1
	}
	return uint32(s2%adler32.Mod<<16 | s1%adler32.Mod)
}

// lanes adds the four lanes of a word.
func lanes(w uint64) uint64 {
	return w&0xffff + w>>16&0xffff + w>>32&0xffff + w>>48
}
