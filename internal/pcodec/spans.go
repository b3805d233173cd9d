package pcodec

import (
	"math/bits"
	"slices"

	"github.com/cairn-go/cairn/internal/asm/minmax"
)

// A span is a range of latents, and how many there are in it.
type span[L latent] struct {
	lower, upper L
	count        int
}

// A divider divides latents into spans. It sorts them by their upper bits into buckets, and within
// those buckets only in which spans begin or end.
type divider[L latent] struct {
	base    L
	shift   int
	counts  []uint32 // of buckets, then where they end
	others  []uint32
	begins  []uint32 // where buckets begin
	sorted  []bool   // of buckets
	latents []L      // by buckets
	scratch []L
}

// bucketsLog is the logarithm of the number of buckets, of many latents.
const bucketsLog = 12

// spans divides latents into at most 1<<log spans of about as many latents each, in the memory of
// spans. Equal latents are in one span.
func (s *divider[L]) spans(spans []span[L], latents []L, log int) []span[L] {
	spans = spans[:0]
	n := len(latents)
	if n == 0 {
		return spans
	}
	low, high := extremes(latents)
	if low == high {
		return append(spans, span[L]{low, high, n})
	}

	// A bucket for each number, unless that were many more than there are latents.
	s.base = low
	length := bits.Len64(uint64(high - low))
	s.shift = 0
	if length > min(16, bits.Len(uint(n))) {
		s.shift = max(0, length-min(bucketsLog, max(1, bits.Len(uint(n))-2)))
	}
	s.count(latents, int(uint64(high-low)>>s.shift)+1)
	if s.shift == 0 {
		return byCounts(spans, s.counts, low, n, log)
	}
	s.scatter(latents)
	return s.byBuckets(spans, n, log)
}

// extremes returns the least and the greatest of latents.
func extremes[L latent](latents []L) (low, high L) {
	switch l := any(latents).(type) {
	case []uint8:
		least, most := minmax.Of(l)
		return L(least), L(most)
	case []uint16:
		least, most := minmax.Of(l)
		return L(least), L(most)
	case []uint32:
		least, most := minmax.Of(l)
		return L(least), L(most)
	}

	a := latents[0]
	b := a
	c := a
	d := a
	for ; len(latents) >= 2; latents = latents[2:] {
		v := (*[2]L)(latents)
		a = min(a, v[0])
		b = min(b, v[1])
		c = max(c, v[0])
		d = max(d, v[1])
	}
	for _, l := range latents {
		a = min(a, l)
		c = max(c, l)
	}
	return min(a, b), max(c, d)
}

// count counts the latents in each bucket. Equal ones often follow each other, so that there are
// two counts.
func (s *divider[L]) count(latents []L, buckets int) {
	s.counts = sized(s.counts, buckets)
	s.others = sized(s.others, buckets)
	clear(s.counts)
	clear(s.others)

	counts := s.counts
	others := s.others[:len(counts)]
	base := s.base
	shift := s.shift & 63

	for ; len(latents) >= 2; latents = latents[2:] {
		v := (*[2]L)(latents)
		counts[(v[0]-base)>>shift]++
		others[(v[1]-base)>>shift]++
	}
	for _, l := range latents {
		counts[(l-base)>>shift]++
	}

	for i, n := range others {
		counts[i] += n
	}
}

// share returns where the span that begins at a latent should end, of n latents.
func share(at, n, log int) int {
	quantile := at<<log/n + 1
	return min(n, (quantile*n+1<<log-1)>>log)
}

// ownSpan reports whether as many equal latents have a span of their own.
func ownSpan(count, n, log int) bool { return count<<(log+1) >= n }

// byCounts is spans if each bucket is of one number, the first of base.
func byCounts[L latent](spans []span[L], counts []uint32, base L, n, log int) []span[L] {
	bucket := 0
	past := int(counts[0]) // the latents of buckets up to this one
	first := 0             // bucket of the latent at
	last := 0              // bucket with latents before this one
	for at := 0; at < n; {
		for end := share(at, n, log); past < end; {
			if counts[bucket] > 0 {
				last = bucket
			}
			bucket++
			past += int(counts[bucket])
		}

		// A latent that fills much of a span gets one of its own.
		begin := past - int(counts[bucket])
		if begin > at && ownSpan(past-begin, n, log) {
			spans = append(spans, span[L]{base + L(first), base + L(last), begin - at})
			at = begin
			first = bucket
		}
		spans = append(spans, span[L]{base + L(first), base + L(bucket), past - at})
		at = past
		if at == n {
			break
		}

		last = bucket
		bucket++
		for counts[bucket] == 0 {
			bucket++
		}
		past += int(counts[bucket])
		first = bucket
	}
	return spans
}

// scatter sorts latents into buckets.
func (s *divider[L]) scatter(latents []L) {
	s.begins = sized(s.begins, len(s.counts)+1)
	sum := uint32(0)
	for i, n := range s.counts {
		s.begins[i] = sum
		s.counts[i] = sum
		sum += n
	}
	s.begins[len(s.counts)] = sum

	s.sorted = sized(s.sorted, len(s.counts))
	clear(s.sorted)

	s.latents = sized(s.latents, len(latents))
	out := s.latents
	next := s.counts
	base := s.base
	shift := s.shift & 63
	for _, l := range latents {
		bucket := (l - base) >> shift
		to := next[bucket]
		next[bucket] = to + 1
		out[to] = l
	}
}

// byBuckets is spans of buckets with several numbers.
func (s *divider[L]) byBuckets(spans []span[L], n, log int) []span[L] {
	bucket := 0
	for at := 0; at < n; {
		end := share(at, n, log)
		for int(s.begins[bucket+1]) < end {
			bucket++
		}
		s.sort(bucket)
		last := s.latents[end-1]
		from := max(at, int(s.begins[bucket]))
		i, _ := slices.BinarySearch(s.latents[from:end], last)
		begin := from + i
		past := begin + repeats(s.latents[begin:s.begins[bucket+1]], last)

		// A latent that fills much of a span gets one of its own.
		lower := s.least(at)
		if begin > at && ownSpan(past-begin, n, log) {
			spans = append(spans, span[L]{lower, s.most(begin - 1), begin - at})
			at = begin
			lower = last
		}
		spans = append(spans, span[L]{lower, last, past - at})
		at = past
	}
	return spans
}

// least returns the latent at a place where a bucket begins, or of a sorted bucket.
func (s *divider[L]) least(at int) L {
	bucket := s.bucket(at)
	if s.sorted[bucket] {
		return s.latents[at]
	}
	return slices.Min(s.latents[s.begins[bucket]:s.begins[bucket+1]])
}

// most returns the latent at a place where a bucket ends, or of a sorted bucket.
func (s *divider[L]) most(at int) L {
	bucket := s.bucket(at)
	if s.sorted[bucket] {
		return s.latents[at]
	}
	return slices.Max(s.latents[s.begins[bucket]:s.begins[bucket+1]])
}

// bucket returns the bucket of the latent at a place.
func (s *divider[L]) bucket(at int) int { return int((s.latents[at] - s.base) >> s.shift) }

// sort sorts a bucket.
func (s *divider[L]) sort(bucket int) {
	if s.sorted[bucket] {
		return
	}
	s.sorted[bucket] = true

	latents := s.latents[s.begins[bucket]:s.begins[bucket+1]]
	s.scratch = sized(s.scratch, len(latents))
	sort(latents, s.scratch)
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
