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

// merged joins adjacent spans to bins so that they and the latents take the fewest bits, if the
// metadata of a bin take as many as given. It returns the spans of the bins, and the bits.
func merged[L latent](into, spans []span[L], meta float64) ([]span[L], float64) {
	n := len(spans)
	total := 0
	for i := range spans {
		total += spans[i].count
	}
	logTotal := log2(total)

	// best[i] is what the first i spans take, and from[i] where their last bin begins.
	best := make([]float32, n+1)
	from := make([]int, n+1)
	sums := make([]int, n+1)
	for i := range spans {
		sums[i+1] = sums[i] + spans[i].count
	}

	for i := 1; i <= n; i++ {
		upper := spans[i-1].upper
		least := float32(math.MaxFloat32)
		for j := i - 1; j >= 0; j-- {
			count := sums[i] - sums[j]
			width := bits.Len64(uint64(upper - spans[j].lower))
			if float32(width)*float32(count) >= least {
				break // longer bins take more
			}
			each := logTotal - log2(count) + float32(width)
			cost := best[j] + float32(meta) + each*float32(count)
			if cost < least {
				least = cost
				from[i] = j
			}
		}
		best[i] = least
	}

	into = into[:0]
	for i := n; i > 0; i = from[i] {
		j := from[i]
		into = append(into, span[L]{spans[j].lower, spans[i-1].upper, sums[i] - sums[j]})
	}
	slices.Reverse(into)
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
