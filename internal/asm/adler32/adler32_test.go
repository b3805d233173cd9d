package adler32

import (
	"bytes"
	"hash/adler32"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// sum computes the checksum of b: the kernel's part, and the rest by definition.
func sum(b []byte) (uint32, int) {
	s1, s2, n := Update(1, 0, b)
	for _, c := range b[n:] {
		s1 = (s1 + uint32(c)) % Mod
		s2 = (s2 + s1) % Mod
	}
	return s2<<16 | s1, n
}

func TestKernels(t *testing.T) {
	g := asmtest.NewGuard(t, 140000)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range asmtest.Counts(130000) {
			for _, shift := range []int{0, 1, 5, 31} {
				for _, b := range [][]byte{g.Head(size, shift), g.Tail(size, shift)} {
					asmtest.Fill(b, uint32(size))
					check(t, b)
				}
			}
			check(t, bytes.Repeat([]byte{0xff}, size))
		}
	})
}

func check(t *testing.T, b []byte) {
	t.Helper()
	got, n := sum(b)
	if want := adler32.Checksum(b); got != want {
		t.Fatalf("%d bytes: %#x, want %#x", len(b), got, want)
	}
	want := 0
	switch {
	case cpu.AVX2:
		want = len(b) &^ 31
	case cpu.NEON:
		want = len(b) &^ 63
	}
	if n != want {
		t.Fatalf("%d of %d bytes done", n, len(b))
	}
}
