package latents

import (
	"math"
	"unsafe"
)

// width returns the bits of a latent.
func width[L Latent]() int { return int(unsafe.Sizeof(L(0))) * 8 }

// middle returns the highest bit of a latent.
func middle[L Latent]() L { return ^(^L(0) >> 1) }

// Flip inverts the highest bit of latents.
func Flip[L Latent](latents []L) {
	mid := middle[L]()
	for i := flip(latents); i < len(latents); i++ {
		latents[i] ^= mid
	}
}

// Unorder replaces latents, which are in the order of floating-point numbers, by their bits, after
// it added first. The lowest bits of numbers, as many as shift says, are not in latents.
func Unorder[L Latent](latents []L, first L, shift uint) {
	mid := middle[L]()
	top := width[L]() - 1
	kept := ^L(0) << shift
	for i := unorder(latents, first, shift); i < len(latents); i++ {
		// All bits change if the highest is clear, and only that one if it is set.
		l := (latents[i] + first) << shift
		latents[i] = (l ^ (l>>top - 1 | mid)) & kept
	}
}

// Multiply multiplies latents by a step, and adds first.
func Multiply[L Latent](latents []L, step, first L) {
	if step == 1 && first == 0 {
		return
	}
	for i := multiply(latents, step, first); i < len(latents); i++ {
		latents[i] = latents[i]*step + first
	}
}

// Quotients replaces latents of 32 or 64 bits, after it added first, by the bits of floating-point
// numbers: of those nearest to the quotient of the signed integer and a number, plus an offset,
// either of which is rounded to a double.
func Quotients[L Latent](latents []L, first L, by, offset float64) {
	for i := quotients(latents, first, by, offset); i < len(latents); i++ {
		latents[i] = bitsOf[L](float64(signed(latents[i]+first)/by) + offset)
	}
}

// Products is Quotients of products.
func Products[L Latent](latents []L, first L, by, offset float64) {
	for i := products(latents, first, by, offset); i < len(latents); i++ {
		latents[i] = bitsOf[L](float64(signed(latents[i]+first)*by) + offset)
	}
}

// Add adds others, as many, to latents.
func Add[L Latent](latents, others []L) {
	others = others[:len(latents)]
	for i := add(latents, others); i < len(latents); i++ {
		latents[i] += others[i]
	}
}

// ToSingles rounds the numbers of 64 bits that latents are the bits of to single precision.
func ToSingles[L Latent](latents []L) {
	for i := toSingles(latents); i < len(latents); i++ {
		f := math.Float64frombits(uint64(latents[i]))
		latents[i] = L(math.Float64bits(float64(float32(f))))
	}
}

// signed returns the signed integer with the bits of a latent.
func signed[L Latent](l L) float64 {
	if width[L]() == 32 {
		return float64(int32(l))
	}
	return float64(int64(l))
}

// bitsOf returns the bits of the number nearest to f.
func bitsOf[L Latent](f float64) L {
	if width[L]() == 32 {
		return L(math.Float32bits(float32(f)))
	}
	return L(math.Float64bits(f))
}

// Sums replaces latents by the sums of those in front of them and sum, after it inverted the bits
// of flip in them. It returns the sum of all.
func Sums[L Latent](latents []L, sum, flip L) L {
	done := 0
	done, sum = sums(latents, sum, flip)
	latents = latents[done:]
	for i, d := range latents {
		latents[i] = sum
		sum += d ^ flip
	}
	return sum
}

// Whole numbers below twice the precision are counted from the middle, in the order of numbers; so
// are those below 0, from -0 on.

// Singles replaces primary latents, which count whole numbers, by the latents of their products
// with base, to which the secondary ones are added around the middle. It returns how many it did:
// at the next one the number is 1<<24 or more.
func Singles(primary, secondary []uint32, base float32) int {
	const mid = 1 << 31
	secondary = secondary[:len(primary)]
	for i := singles(primary, secondary, base); i < len(primary); i++ {
		l := primary[i] ^ mid
		negative := uint32(int32(l) >> 31)
		l ^= negative
		if l >= 1<<24 {
			return i
		}
		product := math.Float32bits(float32(int32(l))*base) ^ negative&mid
		product ^= uint32(int32(product)>>31) | mid
		primary[i] = product + secondary[i] ^ mid
	}
	return len(primary)
}

// Doubles is Singles of numbers of 64 bits, up to 1<<53.
func Doubles(primary, secondary []uint64, base float64) int {
	const mid = 1 << 63
	secondary = secondary[:len(primary)]
	for i := doubles(primary, secondary, base); i < len(primary); i++ {
		l := primary[i] ^ mid
		negative := uint64(int64(l) >> 63)
		l ^= negative
		if l >= 1<<53 {
			return i
		}
		product := math.Float64bits(float64(int64(l))*base) ^ negative&mid
		product ^= uint64(int64(product)>>63) | mid
		primary[i] = product + secondary[i] ^ mid
	}
	return len(primary)
}
