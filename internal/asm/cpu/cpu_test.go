package cpu

import (
	"slices"
	"testing"
	"unsafe"
)

// TestLimit checks that each tier sets only its own flags and those below, and that restore works.
func TestLimit(t *testing.T) {
	before := flags{AVX2, AVX512, AVX512GFNI, NEON}
	if before != detected {
		t.Fatalf("flags are %+v at start, detected %+v", before, detected)
	}
	tiers := Tiers()
	if tiers[0] != TierNone {
		t.Errorf("the lowest tier is %v", tiers[0])
	}
	for tier := TierNone; tier < tierCount; tier++ {
		restore := Limit(tier)
		got := flags{AVX2, AVX512, AVX512GFNI, NEON}
		if slices.Contains(tiers, tier) && got != tier.flags() {
			t.Errorf("%v sets %+v", tier, got)
		}
		if got.avx512 && !got.avx2 || got.gfni && !got.avx512 {
			t.Errorf("%v leaves out a tier below: %+v", tier, got)
		}
		restore()
		if now := (flags{AVX2, AVX512, AVX512GFNI, NEON}); now != before {
			t.Fatalf("%v is not taken back: %+v", tier, now)
		}
	}
}

// TestHighest checks that the highest tier has all detected flags, so that tests over Tiers reach
// every kernel.
func TestHighest(t *testing.T) {
	tiers := Tiers()
	if highest := tiers[len(tiers)-1]; highest.flags() != detected {
		t.Errorf("the highest tier is %v, detected %+v", highest, detected)
	}
}

func TestTierString(t *testing.T) {
	if got := TierAVX512GFNI.String(); got != "avx512gfni" {
		t.Errorf("got %q", got)
	}
	if got := tierCount.String(); got != "unknown tier" {
		t.Errorf("got %q", got)
	}
}

func TestAligned(t *testing.T) {
	buffer := make([]byte, 4*CacheLine)
	for shift := range CacheLine {
		got := Aligned(buffer[shift:])
		skipped := len(buffer) - shift - len(got)
		if skipped < 0 || skipped >= CacheLine || uintptr(unsafe.Pointer(&got[0]))%CacheLine != 0 {
			t.Errorf("from %d on: skips %d bytes to %p", shift, skipped, &got[0])
		}
	}
}
