package blosclz_test

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/blosclz"
	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// sizes are lengths around the limits of the encoder and of the kernels.
var sizes = []int{16, 63, 64, 65, 75, 76, 77, 80, 100, 130, 1000, 1024, 2050, 4096, 16384, 16385, 50_000, 100_001, 160_000}

// TestTiers checks that all tiers make the same streams, between inaccessible pages, and decodes
// them under each tier.
func TestTiers(t *testing.T) {
	from, to := asmtest.NewGuard(t, 160_000), asmtest.NewGuard(t, 160_000)
	for level := 1; level <= 9; level += 2 {
		for _, kind := range codectest.Kinds() {
			for i, n := range sizes {
				src := kind.Make(n)
				restore := cpu.Limit(cpu.TierNone)
				want := make([]byte, n)
				want = want[:blosclz.NewEncoder(level).Encode(want, src)]
				restore()
				asmtest.EachTier(t, func(t *testing.T) {
					in, dst := from.Tail(n, 0), to.Head(n, 0)
					if i%2 == 0 {
						in, dst = from.Head(n, 0), to.Tail(n, 0)
					}
					copy(in, src)
					got := dst[:blosclz.NewEncoder(level).Encode(dst, in)]
					if !bytes.Equal(got, want) || !to.Intact() || !from.Intact() {
						t.Fatalf("level %d: %d bytes of %s encode to %d, in plain Go to %d, and not the same", level, n, kind.Name, len(got), len(want))
					}
					if len(want) == 0 {
						return
					}
					in, dst = from.Tail(len(want), 0), to.Tail(n, 0)
					if i%2 == 0 {
						in, dst = from.Head(len(want), 0), to.Head(n, 0)
					}
					copy(in, want)
					if err := blosclz.Decode(dst, in); err != nil || !bytes.Equal(dst, src) || !to.Intact() {
						t.Fatalf("level %d: %d bytes of %s do not come back from %d: %v", level, n, kind.Name, len(want), err)
					}
				})
			}
		}
	}
}

// TestTiersRoom encodes into exactly as many bytes as needed, and into fewer, under every tier.
func TestTiersRoom(t *testing.T) {
	to := asmtest.NewGuard(t, 20_000)
	for _, kind := range codectest.Kinds() {
		src := kind.Make(12_000)
		full := make([]byte, len(src))
		full = full[:blosclz.NewEncoder(9).Encode(full, src)]
		if len(full) == 0 {
			continue
		}
		asmtest.EachTier(t, func(t *testing.T) {
			e := blosclz.NewEncoder(9)
			for _, less := range []int{0, 1, 2, 31, 33, 64, 90, 100, len(full) / 2} {
				if less > len(full) {
					continue
				}
				dst := to.Tail(len(full)-less, 0)
				n := e.Encode(dst, src)
				if less == 0 && !bytes.Equal(dst[:n], full) || less > 0 && n != 0 || !to.Intact() {
					t.Errorf("%s: %d bytes of output with room for %d of %d", kind.Name, n, len(dst), len(full))
				}
			}
		})
	}
}
