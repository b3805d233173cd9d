package zfp

// A coder converts the coefficients of a cell to bit planes and these to a stream, and back.
type coder struct {
	values [maxCell]uint64 // in the bit order of planes
	// for 64 values or more: planes[q][k] contains bit k of each of values[64*q:]
	planes [4][wordBits]uint64
}

// split sets the planes from first on, of width bits, from n values, 64 or 256.
func (c *coder) split(n, width, first int) {
	for q := range n / wordBits {
		values := c.values[wordBits*q:][:wordBits]
		for half := width/32 - 1; half >= first/32; half-- {
			rows := (*[32]uint64)(c.planes[q][32*half:])
			shift := uint(32*half) & 63
			for i := range rows {
				rows[i] = values[i]>>shift&(1<<32-1) | values[i+32]>>shift<<32
			}
			transpose(rows[:])
		}
	}
}

// join undoes split. Planes below first are zero.
func (c *coder) join(n, width, first int) {
	for q := range n / wordBits {
		values := c.values[wordBits*q:][:wordBits]
		clear(values)
		for half := width/32 - 1; half >= first/32; half-- {
			rows := (*[32]uint64)(c.planes[q][32*half:])
			shift := uint(32*half) & 63
			for k := 32 * half; k < first; k++ {
				c.planes[q][k] = 0
			}

			transpose(rows[:])
			for i, r := range rows {
				values[i] |= r & (1<<32 - 1) << shift
				values[i+32] |= r >> 32 << shift
			}
		}
	}
}

// swaps contains the masks of the bits that stay in place when rows exchange groups of n bits.
var swaps = [...]uint64{1: 0x5555555555555555, 2: 0x3333333333333333, 4: 0x0f0f0f0f0f0f0f0f, 8: 0x00ff00ff00ff00ff, 16: 0x0000ffff0000ffff}

// transpose transposes square matrices of bits with 4, 16 or 32 rows. They are side by side in the
// rows.
func transpose(rows []uint64) {
	for s := len(rows) / 2; s > 0; s /= 2 {
		keep := swaps[s]
		shift := uint(s) & 63
		for i := 0; i < len(rows); i += 2 * s {
			a := rows[i : i+s]
			b := rows[i+s:][:s]
			for k, v := range a {
				t := (v>>shift ^ b[k]) & keep
				a[k] = v ^ t<<shift
				b[k] ^= t
			}
		}
	}
}
