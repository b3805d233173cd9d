package zstd

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestEstimate compares estimates with what is encoded: of much, tables matter little.
func TestEstimate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	noise := make([]byte, 1<<16)
	few := make([]byte, 1<<16)
	var counter, words []byte
	for i := range noise {
		noise[i] = byte(rng.Uint32())
		few[i] = byte(rng.IntN(7) * rng.IntN(5))
		counter = binary.LittleEndian.AppendUint32(counter, uint32(i/3))
	}
	for len(words) < 1<<16 {
		at := rng.IntN(200)
		words = append(words, noise[at:at+3+at%9]...)
	}

	for _, test := range []struct {
		name    string
		src     []byte
		row     int
		matches bool
	}{
		{"noise", noise, 0, false}, {"few values", few, 0, true}, {"counter", counter, 0, true},
		{"words", words, 0, true}, {"rows", append(few[:1<<15:1<<15], noise[:1<<15]...), 1 << 15, true},
		{"zeros", make([]byte, 1<<12), 0, false}, {"short", noise[:5], 0, false}, {"empty", nil, 0, false},
	} {
		e := NewEncoder(1)
		dst := make([]byte, len(test.src)+100)
		coded := e.EncodeRows(dst, test.src, test.row)
		got := e.Estimate(test.src, test.row)
		if low, high := coded*9/10-100, coded+coded/16+16; got < low || got > high {
			t.Errorf("%s: %d bytes estimated, %d encoded", test.name, got, coded)
		}
		if found := e.Matches() > 0; found != test.matches {
			t.Errorf("%s: %d matches", test.name, e.Matches())
		}
		if again := e.Estimate(test.src, test.row); again != got {
			t.Errorf("%s: %d bytes estimated, then %d", test.name, got, again)
		}
		if n := e.EncodeRows(dst, test.src, test.row); n != coded {
			t.Errorf("%s: %d bytes encoded, then %d", test.name, coded, n)
		}
	}
}
