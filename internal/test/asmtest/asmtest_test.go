package asmtest

import (
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
)

func TestGuard(t *testing.T) {
	g := NewGuard(t, 100)
	for name, b := range map[string][]byte{"head": g.Head(100, 3), "tail": g.Tail(100, 3)} {
		if len(b) != 100 || cap(b) != 100 {
			t.Errorf("%s: length %d, capacity %d", name, len(b), cap(b))
		}
	}
	b := g.Head(10, 1)
	clear(b)
	if !g.Intact() {
		t.Error("writing what was handed out counts as stray")
	}
	for _, i := range []int{0, 11} {
		g.Head(10, 1)
		g.memory[i] = 0
		if g.Intact() {
			t.Errorf("a stray write at %d is not found", i)
		}
	}
}

func TestEachTier(t *testing.T) {
	var ran int
	EachTier(t, func(t *testing.T) { ran++ })
	if want := len(cpu.Tiers()); ran != want {
		t.Errorf("ran %d times, want %d", ran, want)
	}
}
