// Package asmtest helps to test kernels under every tier that the machine has. It provides memory
// that faults when accessed beyond its ends, lengths worth testing, and a way to run a test once
// per tier.
package asmtest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

// RequireVar names the environment variable that lists, separated by commas, the tiers that a test
// run must have. On a machine that is known to have a tier, tests then fail instead of silently
// skipping a kernel.
const RequireVar = "CAIRN_REQUIRE_TIERS"

// EachTier runs f as a subtest under every tier that this machine and build have, TierNone
// included.
func EachTier(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	tiers := cpu.Tiers()
	for _, name := range strings.Split(os.Getenv(RequireVar), ",") {
		if name != "" && !slices.ContainsFunc(tiers, func(tier cpu.Tier) bool { return tier.String() == name }) {
			t.Errorf("%s asks for tier %q; there are only %v", RequireVar, name, tiers)
		}
	}

	for _, tier := range tiers {
		t.Run("tier="+tier.String(), func(t *testing.T) {
			defer cpu.Limit(tier)()
			f(t)
		})
	}
}

// Counts returns numbers of items up to most, near powers of two and near multiples of the kernels'
// group sizes.
func Counts(most int) []int {
	var out []int
	for n := range 20 {
		out = append(out, n)
	}
	for n := 32; n <= most; n *= 2 {
		out = append(out, n-1, n, n+1, n+n/2, n+7, n+n/2+31)
	}
	return slices.DeleteFunc(out, func(n int) bool { return n > most })
}

// TypeSizes returns item sizes in bytes: all small ones, and some on either side of the kernels'
// vector sizes.
func TypeSizes() []int {
	out := []int{20, 23, 24, 28, 31, 32, 33, 48, 64, 100, 255, 300}
	for size := range 17 {
		out = append(out, size+1)
	}
	return out
}

// Fill fills b with the top bytes of a linear congruential generator. No two adjacent groups of 8
// bytes are equal.
func Fill(b []byte, seed uint32) {
	x := seed
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
}
