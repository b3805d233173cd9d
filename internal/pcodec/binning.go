package pcodec

import (
	"math"
	"math/bits"
	"slices"
)

// binCost returns the bits of a bin in the metadata.
func binCost[L latent](sizeLog int) float64 {
	return float64(sizeLog + latentBits[L]() + lengthBits[L]())
}

// A joiner joins spans to bins.
type joiner[L latent] struct {
	best []int64 // what the first spans take
	from []int32 // where their last bin begins
	sums []int32 // the latents in them
	ends []int32 // of bins, in spans
}

// join joins adjacent spans to bins so that they and the latents take the fewest bits, if the
// metadata of a bin take as many as given. It returns the bins in the memory of into, and the bits.
func (m *joiner[L]) join(into, spans []span[L], meta float64) ([]span[L], float64) {
	n := len(spans)
	m.best = sized(m.best, n+1)
	m.from = sized(m.from, n+1)
	m.sums = sized(m.sums, n+1)
	m.best[0] = 0
	m.sums[0] = 0
	for i := range spans {
		m.sums[i+1] = m.sums[i] + int32(spans[i].count)
	}
	for i := range spans {
		m.extend(spans[:i+1], int64(meta*Bit), Log2(uint64(m.sums[n])))
	}

	into = into[:0]
	m.ends = m.ends[:0]
	for i := int32(n); i > 0; i = m.from[i] {
		j := m.from[i]
		bin := span[L]{spans[j].lower, spans[j].upper, int(m.sums[i] - m.sums[j])}
		for _, s := range spans[j:i] {
			bin.upper = max(bin.upper, s.upper)
		}
		into = append(into, bin)
		m.ends = append(m.ends, i)
	}
	slices.Reverse(into)
	slices.Reverse(m.ends)
	return into, float64(m.best[n]) / Bit
}

// extend finds the best last bin of spans, of which fewer have theirs.
func (m *joiner[L]) extend(spans []span[L], meta, logTotal int64) {
	i := len(spans)
	sums := m.sums[:i]
	best := m.best[:i]
	sum := m.sums[i]
	upper := spans[i-1].upper
	least := int64(math.MaxInt64)
	from := 0
	for j := i - 1; j >= 0; j-- {
		// Of equal latents among others the upper end is not the last.
		upper = max(upper, spans[j].upper)
		count := int64(sum - sums[j])
		width := int64(bits.Len64(uint64(upper-spans[j].lower))) << bitLog
		if width*count >= least {
			break // longer bins take more
		}

		cost := best[j] + (logTotal-Log2(uint64(count))+width)*count
		if cost < least {
			least = cost
			from = j
		}
	}
	m.best[i] = least + meta
	m.from[i] = int32(from)
}

// weightsOf returns weights of spans of total latents whose sum is a power of two, 1<<sizeLog or
// less, and its logarithm. Each span has at least 1.
func weightsOf[L latent](spans []span[L], total, sizeLog int) ([]int, int) {
	sizeLog = max(sizeLog, bits.Len(uint(len(spans)-1)))
	size := 1 << sizeLog

	weights := make([]int, len(spans))
	sum := 0
	for i := range spans {
		weights[i] = max(1, int(int64(spans[i].count)*int64(size)/int64(total)))
		sum += weights[i]
	}
	if sum != size {
		adjust(spans, weights, size-sum)
	}

	even := 0
	for _, w := range weights {
		even |= w
	}
	shift := min(sizeLog, bits.TrailingZeros(uint(even)))
	for i := range weights {
		weights[i] >>= shift
	}
	return weights, sizeLog - shift
}

// adjust adds to weights as many as given, or takes away as many. The parts that rounding takes go
// to those that lose most.
func adjust[L latent](spans []span[L], weights []int, missing int) {
	// A weight more or less than w changes the bits of a latent by nearly 1/(w±1/2).
	sign := 1
	if missing < 0 {
		sign = -1
	}
	changes := make([]int64, len(spans))
	change := func(i int) int64 {
		if sign < 0 && weights[i] == 1 {
			return math.MinInt64
		}
		return int64(sign) * int64(spans[i].count) << 32 / int64(2*weights[i]+sign)
	}
	for i := range spans {
		changes[i] = change(i)
	}

	for ; missing != 0; missing -= sign {
		most := 0
		for i, c := range changes {
			if c > changes[most] {
				most = i
			}
		}
		weights[most] += sign
		changes[most] = change(most)
	}
}
