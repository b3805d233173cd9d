package remains

import (
	"slices"

	"github.com/cairn-go/cairn/chunk"
)

// Inner returns the gaps in which at least one chunk is lost for certain.
func (q *Search) Inner() []Gap {
	return slices.DeleteFunc(slices.Clone(q.Gaps), func(g Gap) bool { return g.Maybe })
}

// Spread distributes missing chunks over the inner gaps. It returns the gap of each lost chunk,
// keyed by the number of chunks before the gap. Every gap gets one; further chunks go to long gaps.
// guessed reports that this is only an estimate.
func (q *Search) Spread(missing int) (lost map[int][]Gap, guessed bool) {
	lost = map[int][]Gap{}
	lose := func(g Gap, n int64) {
		for ; n > 0 && missing > 0; n-- {
			lost[g.Before] = append(lost[g.Before], g)
			missing--
		}
	}

	inner := q.Inner()
	if missing < len(inner) {
		guessed = missing > 0
		slices.SortStableFunc(inner, func(a, b Gap) int { return int(min(1, max(-1, b.length()-a.length()))) })
	}

	for _, g := range inner {
		lose(g, 1)
	}
	switch {
	case missing <= 0 || len(inner) == 0:
	case len(inner) == 1 && (len(q.Trailers) > 0 || inner[0].To == q.Size):
		// All missing chunks are in the only gap, or behind the end of a truncated file.
		lose(inner[0], inner[0].length()/chunk.HeaderSize)
		guessed = missing > 0 && inner[0].To < q.Size
	default:
		guessed = true
		for _, g := range inner {
			lose(g, g.length()/q.average()-1)
		}
	}

	return lost, guessed
}

func (g Gap) length() int64 { return g.To - g.From }

// average returns the average stored size of the chunks. Without chunks, it is larger than any gap.
func (q *Search) average() int64 {
	sum := int64(0)
	for _, c := range q.Chunks {
		sum += int64(c.Header.CBytes)
	}
	if sum == 0 {
		return q.Size + 1
	}
	return max(1, sum/int64(len(q.Chunks)))
}
