package rounding

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/cairn-go/cairn/internal/govalue"
)

// floats is a format of IEEE 754.
type floats struct {
	mantissa int // bits that are stored
	exponent int // bits
	bias     int
}

// floatsOf returns the format of floats of 2, 4 or 8 bytes.
func floatsOf(size int) floats {
	switch size {
	case 2:
		return floats{10, 5, 15}
	case 4:
		return floats{23, 8, 127}
	}
	return floats{52, 11, 1023}
}

// An entry says how many of the last bits of items with one exponent become zero: high for
// mantissas from the threshold on, low for others. The threshold is a multiple of the coarser step,
// so that items below it do not come to lie beyond it, and stay what they are the second time.
type entry struct {
	threshold uint64
	low, high uint8
}

// never is a threshold that no mantissa reaches, of 32 bits either.
const never = math.MaxUint64

// table returns the entries for all exponents. Those of infinities and NaN keep all bits. factor is
// that of packed floats.
func (f floats) table(b Bound, factor float64) []entry {
	table := make([]entry, 1<<f.exponent)
	for e := range table[:len(table)-1] {
		table[e] = f.entry(b, factor, e)
	}
	return table
}

// entry returns the entry of an exponent as items have it.
func (f floats) entry(b Bound, factor float64, exponent int) entry {
	last := max(exponent, 1) - f.bias - f.mantissa // the last bit stands for 2**last
	switch b.Rule {
	case Absolute:
		return f.one(exponentOf(b.Value, factor) + 1 - last)
	case Bits:
		return f.one(f.mantissa - int(b.Value))
	}
	if exponent == 0 {
		return f.one(0) // numbers that are not normal have fewer digits anyway
	}

	if b.Rule == Relative {
		// The bound is part·2**x·|v|, so half a step may be 2**(x-1)·2**e where part times the
		// mantissa, which is in [1, 2), is below 1, and twice that from there on.
		part, x := math.Frexp(b.Value)
		least := math.Ceil(math.Ldexp(1, f.mantissa) / part)
		for math.FMA(part, least, -math.Ldexp(1, f.mantissa)) < 0 {
			least++
		}
		return f.two(uint64(least), x+f.mantissa, x+f.mantissa+1)
	}

	// A power of ten, if one is among the numbers with this exponent, is where steps change.
	tens := floorLog(last+f.mantissa, log10of2)
	steps := func(tens int) int { return floorLog(tens+1-int(b.Value), log2of10) - last }
	return f.two(ceilRatio(tens+1, last), steps(tens), steps(tens+1))
}

// one returns the entry for one step.
func (f floats) one(drop int) entry {
	return f.two(math.MaxUint64, drop, drop)
}

// two returns the entry for two steps: high from the number on whose mantissa is least, with its
// first bit.
func (f floats) two(least uint64, low, high int) entry {
	clamp := func(drop int) uint8 { return uint8(min(max(drop, 0), f.mantissa+2)) }
	e := entry{threshold: never, low: clamp(low), high: clamp(high)}
	first := uint64(1) << f.mantissa
	if least >= 2*first {
		e.high = e.low
		return e
	}

	step := uint64(1) << e.high
	least = (least + step - 1) &^ (step - 1)
	if least < 2*first {
		e.threshold = max(least, first) - first
	}
	return e
}

const (
	log10of2 = 0.30102999566398119521
	log2of10 = 3.32192809488736234787
)

// floorLog returns n·log, rounded down. Only for 0 it is a whole number, or near one.
func floorLog(n int, log float64) int { return int(math.Floor(float64(n) * log)) }

// ceilRatio returns 10**tens / 2**twos, rounded up, or the largest number if that is less.
func ceilRatio(tens, twos int) uint64 {
	power := func(base int64, n int) *big.Int {
		return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(n, 0))), nil)
	}
	a := new(big.Int).Mul(power(10, tens), power(2, -twos))
	b := new(big.Int).Mul(power(10, -tens), power(2, twos))
	a.Add(a, b).Sub(a, big.NewInt(1))
	if a.Div(a, b); !a.IsUint64() {
		return math.MaxUint64
	}
	return a.Uint64()
}

// exponentOf returns the largest n such that 2**n·factor is at most bound.
func exponentOf(bound, factor float64) int {
	_, n := math.Frexp(bound / factor)
	n = min(max(n, -1100), 1024)
	for n > -1100 && !(math.Ldexp(factor, n) <= bound) {
		n--
	}
	return n
}

// coarse rounds an item that loses all of its mantissa, or more.
func (f floats) coarse(bits uint64, drop int) uint64 {
	sign := bits >> (f.mantissa + f.exponent) << (f.mantissa + f.exponent)
	first := uint64(1) << f.mantissa
	mantissa := bits & (first - 1)
	exponent := bits &^ sign &^ (first - 1)
	up := false
	switch {
	case drop == f.mantissa && exponent == 0:
		up = mantissa > first/2 // from 0, which is even
	case drop == f.mantissa:
		up = mantissa >= first/2 // from 1, which is odd
	case drop == f.mantissa+1 && exponent > 0:
		up = mantissa > 0 // it is above a half
		if !up {
			return 0
		}
	default:
		return 0
	}

	if up {
		exponent += first
	}
	if exponent == 0 {
		return 0
	}
	return sign | exponent
}

// nearest returns the item to which one is rounded.
func (f floats) nearest(bits uint64, e *entry) uint64 {
	drop := e.low
	if bits&(1<<f.mantissa-1) >= e.threshold {
		drop = e.high
	}
	if int(drop) >= f.mantissa {
		return f.coarse(bits, int(drop))
	}

	mask := uint64(1)<<drop - 1
	odd := bits >> drop & (mask & 1)
	return (bits + mask>>1 + odd) &^ mask
}

// round32 rounds little-endian floats of 32 bits.
func (r *Rounder) round32(items []byte) (t tally) {
	const mantissa = 1<<23 - 1
	const exponent = 0xff << 23
	table := (*[256]entry)(r.table)
	absolute := float32(0)
	relative := float32(0) // not above that of t, so that most items need no division
	for ; len(items) >= 4; items = items[4:] {
		was := binary.LittleEndian.Uint32(items)
		e := &table[was>>23&0xff]
		drop := e.low
		if was&mantissa >= uint32(e.threshold) {
			drop = e.high
		}

		mask := uint32(1)<<(drop&31) - 1
		is := (was + mask>>1 + was>>(drop&31)&(mask&1)) &^ mask
		if drop >= 23 {
			is = uint32(r.format.coarse(uint64(was), int(drop)))
		}
		if is == was || is&exponent == exponent {
			continue
		}

		before := math.Float32frombits(was)
		after := math.Float32frombits(is)
		if r.guarded && !r.allows(float64(before), float64(after)) {
			continue
		}
		binary.LittleEndian.PutUint32(items, is)

		// The difference is exact, as it has no more bits than the item.
		d := math.Float32frombits(math.Float32bits(before-after) &^ (1 << 31))
		if d > absolute || d > relative*math.Float32frombits(was&^(1<<31)) {
			absolute = max(absolute, d)
			t.note(float64(before), float64(after))
			relative = float32(t.relative) * (1 - 1.0/(1<<20))
		}
	}
	return t
}

// round64 rounds little-endian floats of 64 bits.
func (r *Rounder) round64(items []byte) (t tally) {
	const mantissa = 1<<52 - 1
	const exponent = 0x7ff << 52
	table := (*[2048]entry)(r.table)
	relative := 0.0
	for ; len(items) >= 8; items = items[8:] {
		was := binary.LittleEndian.Uint64(items)
		e := &table[was>>52&0x7ff]
		drop := e.low
		if was&mantissa >= e.threshold {
			drop = e.high
		}

		mask := uint64(1)<<(drop&63) - 1
		is := (was + mask>>1 + was>>(drop&63)&(mask&1)) &^ mask
		if drop >= 52 {
			is = r.format.coarse(was, int(drop))
		}
		if is == was || is&exponent == exponent {
			continue
		}

		before := math.Float64frombits(was)
		after := math.Float64frombits(is)
		if r.guarded && !r.allows(before, after) {
			continue
		}
		binary.LittleEndian.PutUint64(items, is)

		if d := math.Abs(before - after); d > t.absolute || d > relative*math.Abs(before) {
			t.note(before, after)
			relative = t.relative * (1 - 1.0/(1<<40))
		}
	}
	return t
}

// roundFloats rounds floats of any size and byte order.
func (r *Rounder) roundFloats(items []byte) (t tally) {
	f := r.format
	last := uint64(len(r.table) - 1)
	for ; len(items) >= r.item.Size; items = items[r.item.Size:] {
		was := r.item.Bits(items)
		is := f.nearest(was, &r.table[was>>f.mantissa&last])
		if is == was || is>>f.mantissa&last == last {
			continue
		}

		before := f.value(was)
		after := f.value(is)
		if r.guarded && !r.allows(before, after) {
			continue
		}
		if r.offset == 0 {
			t.note(before, after)
		} else {
			d := math.Abs(before - after)
			t.notePacked(d, d*math.Abs(r.factor)/math.Abs(before*r.factor+r.offset))
		}
		r.item.PutBits(items, is)
	}
	return t
}

// value returns the value of an item.
func (f floats) value(bits uint64) float64 {
	switch f.mantissa {
	case 10:
		return float64(govalue.WidenFloat16(uint16(bits)))
	case 23:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}
