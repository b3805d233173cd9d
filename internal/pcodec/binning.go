package pcodec

import (
	"math"
	"math/bits"
	"slices"
)

// A span is a range of latents, and how many there are in it.
type span[L latent] struct {
	lower, upper L
	count        int
}

// spansOf divides sorted latents into at most 1<<log spans of about as many latents each. Equal
// latents are in one span.
func spansOf[L latent](spans []span[L], sorted []L, log int) []span[L] {
	spans = spans[:0]
	n := len(sorted)

	for at := 0; at < n; {
		// The span ends at the next of the quantiles, or where its last latent does.
		quantile := at<<log/n + 1
		end := min(n, (quantile*n+1<<log-1)>>log)
		last := sorted[end-1]
		begin := lowest(sorted[at:end], last) + at
		past := begin + repeats(sorted[begin:], last)

		// A latent that fills much of a span gets one of its own.
		if begin > at && (past-begin)<<(log+1) >= n {
			spans = append(spans, span[L]{sorted[at], sorted[begin-1], begin - at})
			at = begin
		}
		spans = append(spans, span[L]{sorted[at], last, past - at})
		at = past
	}
	return spans
}

// lowest returns the index of the first of the latents that is equal to the last one.
func lowest[L latent](sorted []L, last L) int {
	i, _ := slices.BinarySearch(sorted, last)
	return i
}

// repeats returns how many latents at the beginning are equal to v.
func repeats[L latent](sorted []L, v L) int {
	// Most latents do not occur often.
	step := 1
	for step < len(sorted) && sorted[step] == v {
		step *= 2
	}
	low := step / 2
	high := min(step, len(sorted))
	for low < high {
		mid := (low + high) / 2
		if sorted[mid] == v {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

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
