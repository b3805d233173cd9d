package lz4_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/lz4"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// TestBlockEndsSatisfyDecoders checks the ends of blocks, which a round trip does not: liblz4
// rejects a block whose last match starts less than 12 bytes before the end, or ends less than 5
// bytes before it. The decoders of this package and of other Go packages accept such a block.
func TestBlockEndsSatisfyDecoders(t *testing.T) { asmtest.EachTier(t, blocksEnd) }

func blocksEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 5))
	fast := map[int]*lz4.Encoder{1: lz4.NewEncoder(1), 5: lz4.NewEncoder(5), 9: lz4.NewEncoder(9)}
	var deep []*lz4.HCEncoder
	for level := 1; level <= 12; level++ {
		deep = append(deep, lz4.NewHCEncoder(level))
	}
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	dst := make([]byte, lz4.Bound(400))
	for range rounds {
		src := phrases(rng, 13+rng.IntN(300))
		for acceleration, e := range fast {
			checkEnding(t, dst[:e.Encode(dst, src)], len(src), "acceleration", acceleration)
		}
		for i, e := range deep {
			checkEnding(t, dst[:e.Encode(dst, src)], len(src), "level", i+1)
		}
	}
}

// phrases returns n bytes with few distinct values and repetitions of all lengths, so that there
// are overlapping matches up to the end.
func phrases(rng *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		if len(b) > 4 && rng.IntN(3) > 0 {
			from := rng.IntN(len(b))
			b = append(b, b[from:min(len(b), from+rng.IntN(14))]...)
			continue
		}
		b = append(b, byte(1<<rng.IntN(8))&byte(rng.Uint32()))
	}
	return b[:n]
}

// checkEnding checks the sequences of a block of n source bytes. An empty block means that it did
// not fit.
func checkEnding(t *testing.T, block []byte, n int, what string, setting int) {
	t.Helper()
	count := func(nibble int, in []byte) (int, []byte) {
		for more := nibble == 15; more; in = in[1:] {
			nibble += int(in[0])
			more = in[0] == 255
		}
		return nibble, in
	}
	lastMatch, out := 0, 0
	for in := block; len(in) > 0; {
		token := int(in[0])
		literals, rest := count(token>>4, in[1:])
		out += literals
		if in = rest[literals:]; len(in) == 0 {
			if lastMatch > n-12 || lastMatch > 0 && literals < 5 || out != n {
				t.Fatalf("%s %d: %d bytes: last match at %d, then %d literals, in all %d bytes", what, setting, n, lastMatch, literals, out)
			}
			return
		}
		lastMatch = out
		var length int
		length, in = count(token&15, in[2:])
		out += length + 4
	}
}
