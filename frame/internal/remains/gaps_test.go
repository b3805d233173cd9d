package remains

import (
	"testing"

	"github.com/cairn-go/cairn/chunk"
)

// TestSpread distributes lost chunks over the gaps between the chunks that were found.
func TestSpread(t *testing.T) {
	found := func(n int) []Chunk {
		chunks := make([]Chunk, n)
		for i := range chunks {
			chunks[i].Header = chunk.Header{CBytes: 100}
		}
		return chunks
	}
	short, long := Gap{Before: 1, From: 200, To: 290}, Gap{Before: 3, From: 500, To: 900}
	rest := Gap{Before: 4, From: 1000, To: 1400, Maybe: true}
	for name, c := range map[string]struct {
		gaps    []Gap
		missing int
		want    map[int]int // number of lost chunks, by the number of chunks before them
		guessed bool
	}{
		"none":              {[]Gap{short, long}, 0, nil, false},
		"one each":          {[]Gap{short, long, rest}, 2, map[int]int{1: 1, 3: 1}, false},
		"fewer than gaps":   {[]Gap{short, long}, 1, map[int]int{3: 1}, true},
		"more in long ones": {[]Gap{short, long}, 4, map[int]int{1: 1, 3: 3}, true},
		"more than fit":     {[]Gap{short, long}, 9, map[int]int{1: 1, 3: 4}, true},
		"no gap":            {[]Gap{rest}, 2, nil, false},
		"cut at the end":    {[]Gap{{Before: 4, From: 900, To: 1400}}, 3, map[int]int{4: 3}, false},
	} {
		q := Search{Size: 1400, Chunks: found(4), Gaps: c.gaps}
		lost, guessed := q.Spread(c.missing)
		if guessed != c.guessed || len(lost) != len(c.want) {
			t.Errorf("%s: %v, guessed %v", name, lost, guessed)
		}
		for before, n := range c.want {
			if len(lost[before]) != n {
				t.Errorf("%s: %d lost behind %d chunks, want %d", name, len(lost[before]), before, n)
			}
		}
	}
}
