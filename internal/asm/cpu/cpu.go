// Package cpu detects the vector instructions that kernels may use, in tiers rather than single
// features.
//
// The flags are variables so that tests can clear them and reach every kernel on one machine;
// nothing else writes them. All are false under the purego build tag and on processors without
// kernels.
package cpu

// A kernel is called if the flag of its tier is set. A higher tier includes the lower ones of its
// architecture.
var (
	// AVX2 is x86-64-v3 as a whole: AVX2, BMI1, BMI2, FMA, F16C, LZCNT, MOVBE.
	AVX2 = detected.avx2
	// AVX512 is AVX2 and the F, BW, CD, DQ and VL parts of AVX-512, which is x86-64-v4.
	AVX512 = detected.avx512
	// AVX512GFNI is AVX512 and VBMI, VBMI2, GFNI and VPCLMULQDQ: Ice Lake, Zen 4 and later.
	AVX512GFNI = detected.gfni
	// NEON is the vector unit that every 64-bit ARM processor has.
	NEON = detected.neon
)

// flags are the flags of a processor or tier.
type flags struct{ avx2, avx512, gfni, neon bool }

// detected is initialized once, at startup.
var detected = detect()

// A Tier is a set of flags: those of a processor that has this tier and no higher one.
type Tier uint8

// The tiers. TierNone is plain Go.
const (
	TierNone Tier = iota
	TierAVX2
	TierAVX512
	TierAVX512GFNI
	TierNEON
	tierCount
)

// String returns the tier's name in lower case, as in "avx2".
func (t Tier) String() string {
	if t >= tierCount {
		return "unknown tier"
	}
	return [tierCount]string{"none", "avx2", "avx512", "avx512gfni", "neon"}[t]
}

func (t Tier) flags() flags {
	return flags{
		avx2:   t >= TierAVX2 && t <= TierAVX512GFNI,
		avx512: t == TierAVX512 || t == TierAVX512GFNI,
		gfni:   t == TierAVX512GFNI,
		neon:   t == TierNEON,
	}
}

// Tiers returns the tiers that this processor and build have, lowest first. TierNone is always the
// first.
func Tiers() []Tier {
	var out []Tier
	for t := TierNone; t < tierCount; t++ {
		f := t.flags()
		if f.avx2 && !detected.avx2 || f.avx512 && !detected.avx512 || f.gfni && !detected.gfni || f.neon && !detected.neon {
			continue
		}
		out = append(out, t)
	}
	return out
}

// Limit sets the flags to those of a tier, as far as the processor has them, and returns a function
// that restores them. It is for tests and benchmarks: no kernel may run at the same time.
func Limit(t Tier) (restore func()) {
	before := flags{AVX2, AVX512, AVX512GFNI, NEON}
	f := t.flags()
	set(flags{f.avx2 && detected.avx2, f.avx512 && detected.avx512, f.gfni && detected.gfni, f.neon && detected.neon})
	return func() { set(before) }
}

func set(f flags) {
	AVX2 = f.avx2
	AVX512 = f.avx512
	AVX512GFNI = f.gfni
	NEON = f.neon
}
