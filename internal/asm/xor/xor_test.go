package xor

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// reference is the definition.
func reference(dst, src []byte, word int) {
	for i := range src {
		dst[i] = src[i]
		if i >= word {
			dst[i] ^= dst[i-word]
		}
	}
}

func vector() bool { return cpu.AVX2 || cpu.NEON }

func TestKernels(t *testing.T) {
	in, out := asmtest.NewGuard(t, 5000), asmtest.NewGuard(t, 5000)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, word := range []int{1, 2, 4, 8} {
			for _, size := range asmtest.Counts(4096) {
				for shift := range 33 {
					run(t, in, out, word, size, shift, shift%2 == 0)
				}
			}
		}
	})
}

func run(t *testing.T, in, out *asmtest.Guard, word, size, shift int, head bool) {
	t.Helper()
	memory := func(g *asmtest.Guard) []byte {
		if head {
			return g.Head(size, shift)
		}
		return g.Tail(size, shift)
	}
	src, dst := memory(in), memory(out)
	asmtest.Fill(src, uint32(size))
	kept := bytes.Clone(src)
	n := Running(dst, src, word)
	want := make([]byte, size)
	reference(want, src, word)
	switch {
	case vector() && n < size-31 || !vector() && n != 0 || n > size || n%16 != 0:
		t.Fatalf("word %d, %d bytes: %d done", word, size, n)
	case !bytes.Equal(dst[:n], want[:n]):
		t.Fatalf("word %d, %d bytes, shift %d: wrong bytes", word, size, shift)
	case !asmtest.Untouched(dst[n:]) || !out.Intact() || !in.Intact() || !bytes.Equal(src, kept):
		t.Fatalf("word %d, %d bytes, shift %d: writes elsewhere", word, size, shift)
	}
	if Running(src, src, word); !bytes.Equal(src[:n], want[:n]) {
		t.Fatalf("word %d, %d bytes, shift %d: wrong bytes in place", word, size, shift)
	}
}

// TestBoth puts the result at both ends of pages that fault. The second source overlaps the first,
// as in delta.
func TestBoth(t *testing.T) {
	in, out := asmtest.NewGuard(t, 3000), asmtest.NewGuard(t, 3000)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range asmtest.Counts(2048) {
			for shift := range 65 {
				a, dst := in.Tail(size+shift, 0), out.Head(size, shift)
				if shift%2 == 0 {
					a, dst = in.Head(size+shift, 0), out.Tail(size, shift)
				}
				asmtest.Fill(a, uint32(size))
				kept := bytes.Clone(a)
				n := Both(dst, a[shift:], a)
				if cpu.AVX2 && n < size-127 || !cpu.AVX2 && n != 0 || n > size || n%128 != 0 {
					t.Fatalf("%d bytes: %d done", size, n)
				}
				for i := range n {
					if dst[i] != a[shift+i]^a[i] {
						t.Fatalf("%d bytes, shift %d: byte %d is wrong", size, shift, i)
					}
				}
				if !asmtest.Untouched(dst[n:]) || !out.Intact() || !in.Intact() || !bytes.Equal(a, kept) {
					t.Fatalf("%d bytes, shift %d: writes elsewhere", size, shift)
				}
			}
		}
	})
}

// TestOtherWords checks that words without a kernel are not processed.
func TestOtherWords(t *testing.T) {
	b := make([]byte, 100)
	for _, word := range []int{0, 3, 16} {
		if n := Running(b, b, word); n != 0 {
			t.Errorf("word %d: %d bytes done", word, n)
		}
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add(bytes.Repeat([]byte("0123456789"), 30), uint8(2))
	f.Fuzz(func(t *testing.T, src []byte, log uint8) {
		word := 1 << (log % 4)
		want, got := make([]byte, len(src)), make([]byte, len(src))
		reference(want, src, word)
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			n := Running(got, src, word)
			restore()
			if !bytes.Equal(got[:n], want[:n]) {
				t.Errorf("%v: wrong bytes", tier)
			}
			restore = cpu.Limit(tier)
			back := make([]byte, max(0, len(src)-word)) // of neighbouring words
			n = Both(back, want[len(want)-len(back):], want)
			restore()
			if !bytes.Equal(back[:n], src[len(src)-len(back):][:n]) {
				t.Errorf("%v: wrong differences", tier)
			}
		}
	})
}
