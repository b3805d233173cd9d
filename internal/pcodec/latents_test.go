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
	}
	return all
}

func testLatents[L Latent](t *testing.T) {
	e := &LatentEncoder[L]{}
	d := &LatentDecoder[L]{}
	for _, run := range runsOf[L]() {
		encoded := e.Append([]byte("in front"), run, 8)[len("in front"):]
		got := make([]L, len(run))
		rest, err := d.Decode(got, append(slices.Clone(encoded), "behind"...))
		if err != nil {
			t.Fatalf("%d latents: %v", len(run), err)
		}
		if string(rest) != "behind" {
			t.Fatalf("%d latents: %d bytes remain, want 6", len(run), len(rest))
		}
		if !slices.Equal(got, run) {
			t.Fatalf("%d latents changed", len(run))
		}

		if _, err := d.Decode(got, encoded[:len(encoded)-1]); err == nil {
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
		if _, err := d.Decode(run, src); err != nil {
			return
		}

		again := make([]uint32, n)
		if _, err := d.Decode(again, (&LatentEncoder[uint32]{}).Append(nil, run, 6)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again, run) {
			t.Fatal("latents changed")
		}
	})
}
