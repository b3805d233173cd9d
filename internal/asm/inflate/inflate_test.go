package inflate

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// tables returns tables of random entries as described at Entry. They need not belong to a valid
// code, which the loop does not check.
func tables(r *rand.Rand) (*[LitLenTable]Entry, *[DistanceTable]Entry) {
	litLen, distance := new([LitLenTable]Entry), new([DistanceTable]Entry)
	rare := 1 + r.IntN(5000) // one in so many entries stops the loop
	far := r.IntN(14)
	for i := range litLen {
		length, first := 1+r.IntN(LitLenBits), i <= LitLenMask
		if !first {
			length = LitLenBits + 1 + r.IntN(15-LitLenBits)
		}
		switch k := r.IntN(12); {
		case r.IntN(rare) == 0:
			litLen[i] = Special | uint32(length)
		case r.IntN(rare) == 0:
			litLen[i] = End | uint32(length)
		case k < 2 && first:
			litLen[i] = Special | Subtable | uint32(1+r.IntN(4))<<CodeBits | uint32(LitLenMask+1+r.IntN(2000))<<Value
		case k < 5:
			litLen[i] = Literal | 1<<CodeBits | uint32(length) | uint32(r.IntN(256))<<Value
		case k < 7 && first:
			litLen[i] = Literal | 2<<CodeBits | uint32(length) | uint32(r.IntN(1<<16))<<Value
		case k < 8:
			litLen[i] = uint32(length)<<CodeBits | uint32(length) | 258<<Value
		default:
			extra := r.IntN(6)
			litLen[i] = uint32(length)<<CodeBits | uint32(length+extra) | uint32(3+r.IntN(100))<<Value
		}
	}
	for i := range distance {
		length, first := 1+r.IntN(DistanceBits), i < 1<<DistanceBits
		if !first {
			length = DistanceBits + 1 + r.IntN(15-DistanceBits)
		}
		extra := r.IntN(far + 1)
		switch k := r.IntN(12); {
		case r.IntN(rare) == 0:
			distance[i] = Special | uint32(length)
		case k < 2 && first:
			distance[i] = Special | Subtable | uint32(1+r.IntN(7))<<CodeBits | uint32(1<<DistanceBits+r.IntN(600))<<Value
		case k < 6:
			distance[i] = uint32(length)<<CodeBits | uint32(length) | uint32(1+r.IntN(40))<<Value
		default:
			distance[i] = uint32(length)<<CodeBits | uint32(length+extra) | uint32(1+1<<extra)<<Value
		}
	}
	return litLen, distance
}

// TestRun compares every tier with the definition, on random tables and bits, in memory that faults
// beyond its ends.
func TestRun(t *testing.T) {
	in, out := asmtest.NewGuard(t, 9000), asmtest.NewGuard(t, 70000)
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		var seen [TooFar + 1]int
		for range 1500 {
			litLen, distance := tables(r)
			src, dst := in.Tail(r.IntN(8000), 0), out.Tail(r.IntN(60000), 0)
			for i := range src {
				src[i] = byte(r.Uint32())
			}
			at, n := r.IntN(len(src)+1), 0
			if r.IntN(4) > 0 && len(dst) > 0 {
				at, n = min(at, 20), min(len(dst), r.IntN(40000))
			}
			have := r.Uint64N(64)
			want := Loop{Src: src, Dst: bytes.Clone(dst), At: at, N: n, Bits: r.Uint64() & (1<<have - 1), Have: have, LitLen: litLen, Distance: distance}
			got := want
			got.Dst = dst
			status := Margin
			if at <= len(src)-InputMargin && n <= len(dst)-OutputMargin {
				status = want.generic()
			}
			if s := got.Run(); s != status {
				t.Fatalf("status %d, want %d", s, status)
			}
			seen[status]++
			if !in.Intact() || !out.Intact() {
				t.Fatal("writes elsewhere")
			}
			if status > Ended {
				continue
			}
			if got.At != want.At || got.N != want.N || got.Bits != want.Bits || got.Have != want.Have || !bytes.Equal(got.Dst[:got.N], want.Dst[:got.N]) {
				t.Fatalf("ends at %d %d %x %d, want %d %d %x %d", got.At, got.N, got.Bits, got.Have, want.At, want.N, want.Bits, want.Have)
			}
		}
		for s, n := range seen {
			if n < 20 {
				t.Errorf("status %d came up %d times only", s, n)
			}
		}
	})
}

// TestMatches compares matches of every length and distance in every tier with the definition.
func TestMatches(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		const start = 600
		var litLen [LitLenTable]Entry
		var distance [DistanceTable]Entry
		dst, want := make([]byte, start+2*OutputMargin), make([]byte, start+2*OutputMargin)
		for length := 3; length <= 258; length++ {
			for _, back := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 23, 31, 32, 33, 63, 64, 65, 257, 258, 300, start} {
				asmtest.Fill(want, uint32(length))
				copy(dst, want)
				for i := range length {
					want[start+i] = want[start+i-back]
				}
				for i := range litLen {
					litLen[i] = End
				}
				litLen[1] = 1<<CodeBits | 1 | uint32(length)<<Value
				for i := range distance {
					distance[i] = uint32(back) << Value
				}
				l := Loop{Src: make([]byte, 100), Dst: dst, N: start, Bits: 1, Have: 1, LitLen: &litLen, Distance: &distance}
				if s := l.Run(); s != Ended || l.N != start+length || !bytes.Equal(dst[:l.N], want[:l.N]) {
					t.Fatalf("%v: %d bytes from %d back: status %d, %d bytes", cpu.Tiers(), length, back, s, l.N-start)
				}
			}
		}
	})
}
