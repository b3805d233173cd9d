package storage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A link is what lies between a reader and a server.
type link struct {
	latency time.Duration
	rate    float64 // bytes per second, of all requests together
}

// took returns how long requests of some sizes take over a link, 16 at the same time: each waits
// for the latency, and then its bytes for those of requests before it.
func (l link) took(sizes []int64) time.Duration {
	var free [rangeRequests]time.Duration // when a request of each slot ends
	pipe := time.Duration(0)
	for _, size := range sizes {
		slot := slices.Index(free[:], slices.Min(free[:]))
		pipe = max(pipe, free[slot]+l.latency) + time.Duration(float64(size)/l.rate*1e9)
		free[slot] = pipe
	}
	return pipe
}

// scattered returns ranges of n bytes at a distance of each other.
func scattered(count int, n, distance int64) (ranges []Range) {
	for i := range count {
		ranges = append(ranges, Range{int64(i) * distance, make([]byte, n)})
	}
	return ranges
}

// sizesWith returns the sizes of the requests for ranges with a gap.
func sizesWith(ranges []Range, gap int64) (sizes []int64) {
	for len(ranges) > 0 {
		n, end := nextGroup(ranges, gap)
		sizes = append(sizes, end-ranges[0].Off)
		ranges = ranges[n:]
	}
	return sizes
}

// TestGapsSuitMostLinks compares how requests are merged with what would be the fastest, for
// lookups of the usual kinds, over near and far, narrow and wide links. bench/results/remote.md
// has what it prints: go test ./storage -run Gaps -v
func TestGapsSuitMostLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	points := make([]Range, 1000)
	for i := range points {
		points[i] = Range{r.Int64N(100 << 20), make([]byte, 8<<10)}
	}
	slices.SortFunc(points, func(a, b Range) int { return int(a.Off - b.Off) })

	links := []link{{5e6, 10e6}, {5e6, 100e6}, {50e6, 10e6}, {50e6, 100e6}}
	f := &rangeFile{o: RangeOptions{Gap: rangeGap}}
	for _, c := range []struct {
		name   string
		ranges []Range
	}{
		{"a plane: 128 blocks of 24 KiB, 40 KiB apart", scattered(128, 24<<10, 64<<10)},
		{"a series: 500 blocks of 4 KiB, 36 KiB apart", scattered(500, 4<<10, 40<<10)},
		{"a series: 500 blocks of 4 KiB, 196 KiB apart", scattered(500, 4<<10, 200<<10)},
		{"1,000 points: blocks of 8 KiB in 100 MiB", points},
		{"times: 2,000 of 8 bytes, 10 KiB apart", scattered(2000, 8, 10<<10)},
		{"times: 2,000 of 8 bytes, 20 KiB apart", scattered(2000, 8, 20<<10)},
		{"times: 2,000 of 8 bytes, 60 KiB apart", scattered(2000, 8, 60<<10)},
		{"times: 50 of 8 bytes, 60 KiB apart", scattered(50, 8, 60<<10)},
	} {
		line := "| " + c.name
		for _, l := range links {
			ours := l.took(sizesWith(c.ranges, f.gap(c.ranges)))
			always := l.took(sizesWith(c.ranges, rangeGap))
			never := l.took(sizesWith(c.ranges, rangeSmallGap))
			line += fmt.Sprintf(" | %.2f, %.2f, %.2f", ours.Seconds(), always.Seconds(), never.Seconds())
			if best := min(always, never); ours > 14*best {
				t.Errorf("%s over %v takes %v instead of %v", c.name, l, ours, best)
			}
		}
		t.Log(line + " |")
	}
}
