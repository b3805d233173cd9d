package shuffle

// Masks that select every other unit of 1, 2 and 4 bits, and of 1, 2 and 4 bytes.
const (
	evenBits    = 0x5555555555555555
	evenPairs   = 0x3333333333333333
	evenNibbles = 0x0f0f0f0f0f0f0f0f
	evenBytes   = 0x00ff00ff00ff00ff
	evenWords   = 0x0000ffff0000ffff
	evenDwords  = 0x00000000ffffffff
)

// The swaps exchange the odd units of n bits of a with the even ones of b: the upper right and the
// lower left quarter of each 2x2 matrix of units with rows a and b. Doing so at two or three scales
// transposes matrices of 4x4 and 8x8.

func swap1(a, b uint64) (_, _ uint64) {
	t := (a>>1 ^ b) & evenBits
	return a ^ t<<1, b ^ t
}

func swap2(a, b uint64) (_, _ uint64) {
	t := (a>>2 ^ b) & evenPairs
	return a ^ t<<2, b ^ t
}

func swap4(a, b uint64) (_, _ uint64) {
	t := (a>>4 ^ b) & evenNibbles
	return a ^ t<<4, b ^ t
}

func swap8(a, b uint64) (_, _ uint64) {
	t := (a>>8 ^ b) & evenBytes
	return a ^ t<<8, b ^ t
}

func swap16(a, b uint64) (_, _ uint64) {
	t := (a>>16 ^ b) & evenWords
	return a ^ t<<16, b ^ t
}

func swap32(a, b uint64) (_, _ uint64) {
	return a&evenDwords | b<<32, a>>32 | b&^evenDwords
}

// transposeBytes transposes an 8x8 matrix of bytes whose rows are eight words, lowest byte first.
// It is its own inverse.
func transposeBytes(a, b, c, d, e, f, g, h uint64) (_, _, _, _, _, _, _, _ uint64) {
	a, e = swap32(a, e)
	b, f = swap32(b, f)
	c, g = swap32(c, g)
	d, h = swap32(d, h)

	a, c = swap16(a, c)
	b, d = swap16(b, d)
	e, g = swap16(e, g)
	f, h = swap16(f, h)

	a, b = swap8(a, b)
	c, d = swap8(c, d)
	e, f = swap8(e, f)
	g, h = swap8(g, h)
	return a, b, c, d, e, f, g, h
}

// transposeBits transposes eight 8x8 matrices of bits: byte p of word i is row i of matrix p,
// lowest bit first. It is its own inverse.
func transposeBits(a, b, c, d, e, f, g, h uint64) (_, _, _, _, _, _, _, _ uint64) {
	a, e = swap4(a, e)
	b, f = swap4(b, f)
	c, g = swap4(c, g)
	d, h = swap4(d, h)

	a, c = swap2(a, c)
	b, d = swap2(b, d)
	e, g = swap2(e, g)
	f, h = swap2(f, h)

	a, b = swap1(a, b)
	c, d = swap1(c, d)
	e, f = swap1(e, f)
	g, h = swap1(g, h)
	return a, b, c, d, e, f, g, h
}

// transposeByteBits transposes one 8x8 matrix of bits whose row i is byte i.
func transposeByteBits(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}
