package lz4_test

import (
	"bytes"
	"fmt"
	"testing"

	reference "github.com/pierrec/lz4/v4"

	"github.com/cairn-go/cairn/codecs/internal/lz4"
	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// TestHCRoundTrip encodes at every level and under every tier, between inaccessible pages, and
// compares the output with that of a new encoder in plain Go.
func TestHCRoundTrip(t *testing.T) { asmtest.EachTier(t, hcRoundTrip) }

func hcRoundTrip(t *testing.T) {
	from, to := asmtest.NewGuard(t, 210_000), asmtest.NewGuard(t, lz4.Bound(210_000))
	for level := 0; level <= 13; level++ {
		used := lz4.NewHCEncoder(level)
		for _, kind := range codectest.Kinds() {
			for i, n := range sizes {
				if n > 20_000 && (level%3 != 1 || testing.Short()) {
					continue
				}
				src, dst := from.Tail(n, 0), to.Head(lz4.Bound(n), 0)
				if i%2 == 0 {
					src, dst = from.Head(n, 0), to.Tail(lz4.Bound(n), 0)
				}
				copy(src, kind.Make(n))
				size := used.Encode(dst, src)
				back, theirs := make([]byte, n), make([]byte, n)
				if err := lz4.Decode(back, dst[:size], nil); err != nil || !bytes.Equal(back, src) {
					t.Fatalf("level %d: %d bytes of %s do not come back from %d: %v", level, n, kind.Name, size, err)
				}
				if k, err := reference.UncompressBlock(dst[:size], theirs); err != nil || !bytes.Equal(theirs[:k], src) {
					t.Fatalf("level %d: the reference does not get %d bytes of %s back: %v", level, n, kind.Name, err)
				}
				want := make([]byte, lz4.Bound(n))
				restore := cpu.Limit(cpu.TierNone)
				want = want[:lz4.NewHCEncoder(level).Encode(want, src)]
				restore()
				if !bytes.Equal(dst[:size], want) {
					t.Fatalf("level %d: %d bytes of %s encode to %d, by a new encoder in plain Go to %d", level, n, kind.Name, size, len(want))
				}
				if !from.Intact() || !to.Intact() {
					t.Fatalf("level %d: %d bytes of %s: wrote outside", level, n, kind.Name)
				}
			}
		}
	}
}

// TestHCRoom encodes into exactly as many bytes as needed, and into fewer.
func TestHCRoom(t *testing.T) { asmtest.EachTier(t, hcRoom) }

func hcRoom(t *testing.T) {
	for _, level := range []int{1, 3, 9} {
		e := lz4.NewHCEncoder(level)
		for _, kind := range codectest.Kinds() {
			src := kind.Make(5000)
			full := make([]byte, lz4.Bound(len(src)))
			full = full[:e.Encode(full, src)]
			if dst := make([]byte, len(full)); e.Encode(dst, src) != len(full) || !bytes.Equal(dst, full) {
				t.Errorf("level %d: %s does not fit into the %d bytes it needs", level, kind.Name, len(full))
			}
			for _, less := range []int{1, 2, 20, len(full) / 2, len(full)} {
				if n := e.Encode(make([]byte, len(full)-min(less, len(full))), src); n != 0 {
					t.Errorf("level %d: %s fits into %d bytes less than it needs", level, kind.Name, less)
				}
			}
		}
	}
}

// TestHCLevels compares sizes. No level may be more than 1 % larger than the one before, the first
// of which is the fast encoder. The reference's search of the same depth must not be smaller.
func TestHCLevels(t *testing.T) {
	for _, kind := range codectest.Kinds() {
		if kind.Name == "random" || kind.Name == "zeros" {
			continue
		}
		src := kind.Make(100_000)
		dst := make([]byte, lz4.Bound(len(src)))
		last := lz4.NewEncoder(1).Encode(dst, src)
		for _, level := range []int{1, 4, 9, 12} {
			n := lz4.NewHCEncoder(level).Encode(dst, src)
			if n > last+last/100 {
				t.Errorf("%s: level %d makes %d bytes, the one before %d", kind.Name, level, n, last)
			}
			last = n
		}
		c := reference.CompressorHC{Level: 256}
		k, err := c.CompressBlock(src, dst)
		if err != nil {
			t.Fatal(err)
		}
		if n := lz4.NewHCEncoder(9).Encode(dst, src); n > k+k/100 {
			t.Errorf("%s: level 9 makes %d bytes, the reference %d", kind.Name, n, k)
		}
	}
}

func ExampleHCEncoder() {
	src := codectest.Kinds()[3].Make(100_000)
	dst := make([]byte, len(src))
	fast, small := lz4.NewEncoder(1), lz4.NewHCEncoder(9)
	fmt.Println(fast.Encode(dst, src) > small.Encode(dst, src))
	// Output: true
}
