package pcodec

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// runsOf returns runs of latents of many lengths and distributions.
func runsOf[L Latent]() [][]L {
	rng := rand.New(rand.NewPCG(1, 2))
	var all [][]L
	for _, n := range []int{1, 2, 3, 4, 5, 255, 256, 257, 1000, 4096, 40000} {
		for _, width := range []int{0, 1, 3, 7, 8, 13, 31, 64} {
			run := make([]L, n)
			for i := range run {
				run[i] = L(rng.Uint64()>>(64-width)) + L(rng.ExpFloat64()*20)
			}
			run[n/2] = ^L(0)
			all = append(all, run)
		}

		// Few latents that are far apart, and others between them.
		run := make([]L, n)
		for i := range run {
			run[i] = middle[L]() + L(int64(rng.NormFloat64()*9)*1001)
			if rng.IntN(9) == 0 {
				run[i] += L(rng.IntN(1000))
			}
		}
		all = append(all, run)
	}
	return all
}

func testLatents[L Latent](t *testing.T) {
	e := &LatentEncoder[L]{}
	d := &LatentDecoder[L]{}
	for _, run := range runsOf[L]() {
		encoded := e.Append([]byte("in front"), run, 8)[len("in front"):]
		got := make([]L, len(run))
		rest, err := d.Decode(got, append(slices.Clone(encoded), "behind"...), 0)
		if err != nil {
			t.Fatalf("%d latents: %v", len(run), err)
		}
		if string(rest) != "behind" {
			t.Fatalf("%d latents: %d bytes remain, want 6", len(run), len(rest))
		}
		if !slices.Equal(got, run) {
			t.Fatalf("%d latents changed", len(run))
		}

		if _, err := d.Decode(got, encoded[:len(encoded)-1], 0); err == nil {
			t.Fatalf("%d latents: decoded without the last byte", len(run))
		}
	}
}

func TestLatents(t *testing.T) {
	t.Run("8", testLatents[uint8])
	t.Run("16", testLatents[uint16])
	t.Run("32", testLatents[uint32])
	t.Run("64", testLatents[uint64])
}

// TestFrequentLatents checks that latents that occur often take no offsets, and that others between
// them stay what they are.
func TestFrequentLatents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	e := &LatentEncoder[uint32]{}
	run := make([]uint32, 20000)
	for i := range run {
		run[i] = 1<<31 + uint32(rng.IntN(16)*123457) - 1000
	}
	if n := len(e.Append(nil, run, 6)); n > len(run)/2*11/10 {
		t.Errorf("%d bytes of %d latents, want 4 bits for each", n, len(run))
	}
}

// TestGrid checks that cells have the latents, in their order, and spans as many as they say.
func TestGrid(t *testing.T) {
	t.Run("8", testGrid[uint8])
	t.Run("16", testGrid[uint16])
	t.Run("32", testGrid[uint32])
	t.Run("64", testGrid[uint64])
}

func testGrid[L Latent](t *testing.T) {
	g := &grid[L]{}
	for _, run := range runsOf[L]() {
		low, high := extremes(run)
		g.sort(run, low, high)
		spans := g.divide(nil, 6)
		ends := make([]int32, len(spans))
		for i := range ends {
			ends[i] = int32(i + 1)
		}
		symbols := make([]uint16, len(run))
		g.find(symbols, ends)

		counts := make([]int, len(spans))
		for i, l := range run {
			s := spans[symbols[i]]
			counts[symbols[i]]++
			if l < s.lower || l > s.upper {
				t.Fatalf("%d is in the span from %d to %d", l, s.lower, s.upper)
			}
		}
		for i, s := range spans {
			if s.count != counts[i] {
				t.Fatalf("span %d has %d latents, and says %d", i, counts[i], s.count)
			}
			if i > 0 && s.lower < spans[i-1].lower {
				t.Fatalf("span %d begins at %d, before the one at %d", i, s.lower, spans[i-1].lower)
			}
		}
	}
}

// FuzzLatents decodes anything: what decodes is encoded and decodes again.
func FuzzLatents(f *testing.F) {
	e := &LatentEncoder[uint32]{}
	for _, run := range runsOf[uint32]()[:40] {
		f.Add(e.Append(nil, run, 6), len(run))
	}
	f.Add(bytes.Repeat([]byte{0xff}, 100), 300)

	f.Fuzz(func(t *testing.T, src []byte, n int) {
		n = 1 + int(uint(n)%5000)
		d := &LatentDecoder[uint32]{}
		run := make([]uint32, n)
		if _, err := d.Decode(run, src, 0); err != nil {
			return
		}

		again := make([]uint32, n)
		if _, err := d.Decode(again, (&LatentEncoder[uint32]{}).Append(nil, run, 6), 0); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again, run) {
			t.Fatal("latents changed")
		}
	})
}
