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
	best []float32 // what the first spans take
	from []int32   // where their last bin begins
	sums []int32   // the latents in them
	ends []int32   // of bins, in spans
}

// join joins adjacent spans to bins so that they and the latents take the fewest bits, if the
// metadata of a bin take as many as given. It returns the bins in the memory of into, and the bits.
func (m *joiner[L]) join(into, spans []span[L], meta float64) ([]span[L], float64) {
	n := len(spans)
	m.best = sized(m.best, n+1)
	m.from = sized(m.from, n+1)
	m.sums = sized(m.sums, n+1)
	best := m.best
	from := m.from[:len(best)]
	sums := m.sums[:len(best)]
	best[0] = 0
	sums[0] = 0
	for i := range spans {
		sums[i+1] = sums[i] + int32(spans[i].count)
	}
	logTotal := log2(int(sums[n]))

	for i := 1; i <= n; i++ {
		upper := spans[i-1].upper
		least := float32(math.MaxFloat32)
		sum := sums[i]
		for j := i - 1; j >= 0; j-- {
			// Of equal latents among others the upper end is not the last.
			upper = max(upper, spans[j].upper)
			count := float32(sum - sums[j])
			width := float32(bits.Len64(uint64(upper - spans[j].lower)))
			if width*count >= least {
				break // longer bins take more
			}
			each := logTotal - log2(int(sum-sums[j])) + width
			cost := best[j] + float32(meta) + each*count
			if cost < least {
				least = cost
				from[i] = int32(j)
			}
		}
		best[i] = least
	}

	into = into[:0]
	m.ends = m.ends[:0]
	for i := int32(n); i > 0; i = from[i] {
		j := from[i]
		bin := span[L]{spans[j].lower, spans[j].upper, int(sums[i] - sums[j])}
		for _, s := range spans[j:i] {
			bin.upper = max(bin.upper, s.upper)
		}
		into = append(into, bin)
		m.ends = append(m.ends, i)
	}
	slices.Reverse(into)
	slices.Reverse(m.ends)
	return into, float64(best[n])
}

// fractions has log2(1+i/256).
var fractions = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(math.Log2(1 + float64(i)/256))
	}
	return t
}()

// log2 returns the logarithm of a count, to two digits.
func log2(n int) float32 {
	length := bits.Len64(uint64(n)) - 1
	fraction := uint64(n) << (63 - length) >> 55 & 255
	return float32(length) + fractions[fraction]
}

// weightsOf returns weights of spans of total latents whose sum is a power of two, 1<<sizeLog or
// less, and its logarithm. Each span has at least 1.
func weightsOf[L latent](spans []span[L], total, sizeLog int) ([]int, int) {
	sizeLog = max(sizeLog, bits.Len(uint(len(spans)-1)))
	size := 1 << sizeLog

	// The parts that rounding takes go to those that lose most.
	weights := make([]int, len(spans))
	sum := 0
	for i := range spans {
		weights[i] = max(1, int(int64(spans[i].count)*int64(size)/int64(total)))
		sum += weights[i]
	}
	for ; sum < size; sum++ {
		weights[neediest(spans, weights)]++
	}
	for ; sum > size; sum-- {
		weights[richest(spans, weights)]--
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

// neediest returns the span whose latents save most bits with a weight more.
func neediest[L latent](spans []span[L], weights []int) int {
	best := 0
	most := -1.0
	for i := range spans {
		saves := float64(spans[i].count) * math.Log2(1+1/float64(weights[i]))
		if saves > most {
			most = saves
			best = i
		}
	}
	return best
}

// richest returns the span whose latents lose fewest bits with a weight less.
func richest[L latent](spans []span[L], weights []int) int {
	best := 0
	least := math.MaxFloat64
	for i := range spans {
		if weights[i] == 1 {
			continue
		}
		loses := -float64(spans[i].count) * math.Log2(1-1/float64(weights[i]))
		if loses < least {
			least = loses
			best = i
		}
	}
	return best
}
