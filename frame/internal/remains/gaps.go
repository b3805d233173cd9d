package remains

import (
	"slices"

	"github.com/cairn-go/cairn/chunk"
)

// Inner returns the gaps that chunks are lost in for certain.
func (q *Search) Inner() []Gap {
	return slices.DeleteFunc(slices.Clone(q.Gaps), func(g Gap) bool { return g.Maybe })
}

// Spread says in which gaps chunks are missing, by the number of chunks in front of them. Every gap
// has at least one, but for those that may have none; where more are missing than that, long gaps
// have more. guessed tells that they may be elsewhere.
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
		// In a file that was cut, or whose only gap it is, all that is missing is in one place.
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

// average returns how many bytes chunks have on average, more than any gap if there is none.
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
