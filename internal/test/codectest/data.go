package codectest

import (
	"encoding/binary"
	"math/rand/v2"
)

// A Kind generates data of one kind.
type Kind struct {
	Name string
	Fill func(b []byte, r *rand.Rand)
}

// Kinds returns the kinds of data that the suite encodes: typical content of chunks, and edge
// cases.
func Kinds() []Kind {
	return []Kind{
		{"zeros", func(b []byte, _ *rand.Rand) { clear(b) }},
		{"runs", runs},
		{"random", func(b []byte, r *rand.Rand) { fill(b, func(int) byte { return byte(r.Uint32()) }) }},
		{"text", text},
		{"periods", periods},
		{"shuffled ramp", shuffledRamp},
		{"shuffled walk", shuffledWalk},
		{"sparse", func(b []byte, r *rand.Rand) {
			fill(b, func(int) byte { return byte(r.Uint32()) & -byte(r.IntN(50)/49) })
		}},
	}
}

// Make returns n bytes of a kind. It is deterministic.
func (k Kind) Make(n int) []byte {
	b := make([]byte, n)
	k.Fill(b, rand.New(rand.NewPCG(uint64(n), uint64(len(k.Name)))))
	return b
}

func fill(b []byte, next func(i int) byte) {
	for i := range b {
		b[i] = next(i)
	}
}

// runs repeats bytes 1 to 2000 times.
func runs(b []byte, r *rand.Rand) {
	left := 0
	value := byte(0)
	fill(b, func(int) byte {
		if left == 0 {
			left = 1 + r.IntN(1<<(1+r.IntN(11)))
			value = byte(r.IntN(4))
		}
		left--
		return value
	})
}

// text is words from a small vocabulary.
func text(b []byte, r *rand.Rand) {
	words := []string{"chunk ", "block ", "filter ", "codec ", "stream ", "the ", "of ", "a ", "and\n", "compressed ", "1.25, "}
	for len(b) > 0 {
		b = b[copy(b, words[r.IntN(len(words))]):]
	}
}

// periods repeats patterns of 1 to 40 bytes a few times each, for matches that overlap their
// source.
func periods(b []byte, r *rand.Rand) {
	for len(b) > 0 {
		pattern := make([]byte, 1+r.IntN(40))
		fill(pattern, func(int) byte { return byte(r.Uint32()) })
		for n := 1 + r.IntN(30); n > 0 && len(b) > 0; n-- {
			b = b[copy(b, pattern):]
		}
	}
}

// shuffledRamp is the byte planes of 0, 1, 2, … as 32-bit integers.
func shuffledRamp(b []byte, _ *rand.Rand) {
	planes(b, func(i int) uint32 { return uint32(i) })
}

// shuffledWalk is the byte planes of a random walk: a plane of noise, then planes of increasingly
// long runs.
func shuffledWalk(b []byte, r *rand.Rand) {
	at := uint32(1 << 30)
	planes(b, func(int) uint32 { at += uint32(r.IntN(511)) - 255; return at })
}

func planes(b []byte, next func(i int) uint32) {
	n := len(b) / 4
	for i := range n {
		var item [4]byte
		binary.LittleEndian.PutUint32(item[:], next(i))
		for plane, v := range item {
			b[plane*n+i] = v
		}
	}
}

// Sizes returns the lengths to test: around every power of two up to limit, and some beyond the
// windows and block sizes of the codecs if limit allows.
func Sizes(limit int) []int {
	sizes := []int{1, 2, 3}
	for p := 4; p <= limit; p *= 2 {
		sizes = append(sizes, p-1, p, p+1)
	}

	for _, n := range []int{12, 13, 20, 66, 100, 1000, 9000, 150_000, 300_001} {
		if n <= limit {
			sizes = append(sizes, n)
		}
	}
	return sizes
}
