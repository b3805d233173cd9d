package lz4_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	reference "github.com/pierrec/lz4/v4"

	"github.com/cairn-go/cairn/codecs/internal/lz4"
	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// sizes are lengths around the limits of the encoders: the shortest source, the probe, the near
// table.
var sizes = []int{0, 1, 5, 12, 13, 14, 63, 64, 65, 76, 77, 100, 300, 1000, 1025, 4095, 4096, 5000, 16384, 65546, 65547, 65548, 100_000, 200_001}

// choices are lengths around the limits at which encoders choose a search.
var choices = []int{24575, 24576, 33_800, 49151, 49152, 65600}

// TestRoundTrip encodes at every acceleration and under every tier, compares the output with that
// of a new encoder in plain Go, and decodes it with two decoders.
func TestRoundTrip(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		for _, acceleration := range []int{1, 3, 4, 5, 9} {
			used := lz4.NewEncoder(acceleration)
			for _, kind := range codectest.Kinds() {
				for _, n := range slices.Concat(sizes, choices) {
					if testing.Short() && n > 65_547 && acceleration > 1 {
						continue
					}
					src := kind.Make(n)
					got, want := make([]byte, lz4.Bound(n)), make([]byte, lz4.Bound(n))
					got = got[:used.Encode(got, src)]
					restore := cpu.Limit(cpu.TierNone)
					want = want[:lz4.NewEncoder(acceleration).Encode(want, src)]
					restore()
					if !bytes.Equal(got, want) {
						t.Fatalf("acceleration %d: %d bytes of %s encode to %d, by a new encoder in plain Go to %d, or not to the same",
							acceleration, n, kind.Name, len(got), len(want))
					}
					checkDecodes(t, got, src)
				}
			}
		}
	})
}

// checkDecodes decodes a block with two decoders and checks its end, unless the source is noise.
func checkDecodes(t *testing.T, block, src []byte) {
	t.Helper()
	if len(block) == 0 && len(src) >= 4096 {
		return
	}
	back, theirs := make([]byte, len(src)), make([]byte, len(src))
	if err := lz4.Decode(back, block, nil); err != nil || !bytes.Equal(back, src) {
		t.Fatalf("%d bytes do not come back from %d: %v", len(src), len(block), err)
	}
	if k, err := reference.UncompressBlock(block, theirs); err != nil || !bytes.Equal(theirs[:k], src) {
		t.Fatalf("the reference does not get %d bytes back from %d: %v", len(src), len(block), err)
	}
	if len(src) > 12 {
		checkEnding(t, block, len(src), "source of", len(src))
	}
}

// TestSizes compares the sizes of blocks with those of a port of liblz4 at the same acceleration,
// in total and for each kind of data.
func TestSizes(t *testing.T) {
	for _, acceleration := range []int{1, 2, 3, 5, 9} {
		e := lz4.NewEncoder(acceleration)
		c := reference.CompressorCCompat{Acceleration: acceleration}
		for _, n := range []int{512, 2048, 8192, 32 << 10, 64 << 10, 128 << 10, 512 << 10} {
			sum, most := 0, 0
			for _, kind := range codectest.Kinds() {
				src := kind.Make(n)
				got, want := make([]byte, lz4.Bound(n)), make([]byte, reference.CompressBlockBound(n))
				size := e.Encode(got, src)
				if size == 0 {
					size = n
				}
				theirs, err := c.CompressBlock(src, want)
				if err != nil {
					t.Fatal(err)
				}
				theirs = min(theirs, n)
				if size > theirs+theirs/10+32 {
					t.Errorf("acceleration %d: %d bytes of %s encode to %d, by the reference to %d", acceleration, n, kind.Name, size, theirs)
				}
				sum, most = sum+size, most+theirs
			}
			if sum > most+most/50 {
				t.Errorf("acceleration %d: %d bytes of all kinds encode to %d, by the reference to %d", acceleration, n, sum, most)
			}
		}
	}
}

// TestShortMatches encodes bytes that repeat in short pieces only, in bursts between zeros.
func TestShortMatches(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	pieces := make([]byte, 40*7)
	for i := range pieces {
		pieces[i] = byte(r.IntN(12))
	}
	src := make([]byte, 1<<16)
	for at := 100; at+7 <= len(src); at += 7 {
		if at%2048 > 1400 {
			copy(src[at:], pieces[r.IntN(40)*7:][:7])
		}
	}

	dst := make([]byte, lz4.Bound(len(src)))
	size := lz4.NewEncoder(5).Encode(dst, src)
	c := reference.CompressorCCompat{Acceleration: 5}
	theirs, err := c.CompressBlock(src, dst)
	if err != nil || size == 0 || size > theirs+theirs/50 {
		t.Errorf("%d bytes, by the reference %d, %v", size, theirs, err)
	}
}

// TestPendingLiterals encodes noise before bytes of few values: the literals before the first match
// do not fit where searches are compared.
func TestPendingLiterals(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 29))
		for n := 28 << 10; n <= 64<<10; n += 4 << 10 {
			for values := 6; values < 16; values += 2 {
				src := make([]byte, n)
				for i := range src {
					src[i] = byte(r.IntN(256))
					if i > n/2-8<<10 {
						src[i] %= byte(values)
					}
				}
				for acceleration := 1; acceleration <= 9; acceleration++ {
					block := make([]byte, lz4.Bound(n))
					checkDecodes(t, block[:lz4.NewEncoder(acceleration).Encode(block, src)], src)
				}
			}
		}
	})
}

// TestRoom encodes into exactly as many bytes as needed, and into fewer.
func TestRoom(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		e := lz4.NewEncoder(1)
		for _, kind := range codectest.Kinds() {
			for _, n := range []int{3, 40, 100, 5000, 20_000, 80_000} {
				src := kind.Make(n)
				full := make([]byte, lz4.Bound(n))
				full = full[:e.Encode(full, src)]
				if len(full) == 0 {
					continue
				}
				guard := asmtest.NewGuard(t, len(full))
				for _, less := range []int{0, 1, 2, 15, 31, 64, 65, 90, 100, len(full) / 2, len(full)} {
					if less > len(full) {
						continue
					}
					dst := guard.Tail(len(full)-less, 0)
					size := e.Encode(dst, src)
					if less == 0 && !bytes.Equal(dst[:size], full) {
						t.Errorf("%d bytes of %s do not fit into the %d they need", n, kind.Name, len(full))
					}
					if less > 0 && size != 0 || !guard.Intact() {
						t.Errorf("%d bytes of %s fit into %d instead of %d", n, kind.Name, len(full)-less, len(full))
					}
				}
			}
		}
	})
}

// TestEncodeReads encodes sources that begin or end at inaccessible pages.
func TestEncodeReads(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		e := lz4.NewEncoder(5)
		guard := asmtest.NewGuard(t, 70_000)
		for _, kind := range codectest.Kinds() {
			for n := 0; n < 70_000; n += 1 + n/5 {
				want := kind.Make(n)
				dst, back := make([]byte, lz4.Bound(n)), make([]byte, n)
				for name, src := range map[string][]byte{"before": guard.Tail(n, 0), "behind": guard.Head(n, 0)} {
					copy(src, want)
					size := e.Encode(dst, src)
					if size == 0 {
						continue
					}
					if err := lz4.Decode(back, dst[:size], nil); err != nil || !bytes.Equal(back, want) {
						t.Fatalf("%d bytes of %s %s a page do not come back: %v", n, kind.Name, name, err)
					}
				}
			}
		}
	})
}

// TestNoise encodes only noise, and noise followed by other data.
func TestNoise(t *testing.T) {
	noise := codectest.Kinds()[2].Make(50_000)
	dst := make([]byte, lz4.Bound(len(noise)))
	e := lz4.NewEncoder(1)
	if n := e.Encode(dst, noise); n != 0 {
		t.Errorf("%d bytes of noise encode to %d", len(noise), n)
	}
	if n := e.Encode(dst, noise[:4000]); n == 0 {
		t.Error("a short source is probed")
	}
	clear(noise[10_000:])
	if n := e.Encode(dst, noise); n == 0 || n > 11_000 {
		t.Errorf("a fifth of noise encodes to %d bytes", n)
	}
}

func ExampleEncoder() {
	src := bytes.Repeat([]byte("cairn "), 100)
	enc := lz4.NewEncoder(1)
	dst := make([]byte, len(src)) // not enough for blocks longer than their source
	n := enc.Encode(dst, src)
	fmt.Println(len(src), "bytes in", n)

	back := make([]byte, len(src))
	fmt.Println(lz4.Decode(back, dst[:n], nil), bytes.Equal(back, src))
	// Output:
	// 600 bytes in 18
	// <nil> true
}
