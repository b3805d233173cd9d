package truncmask

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// reference is the definition.
func reference(dst, src []byte, mask uint64) {
	for i := range src {
		dst[i] = src[i] & byte(mask>>(i%8*8))
	}
}

func TestKernels(t *testing.T) {
	in, out := asmtest.NewGuard(t, 5000), asmtest.NewGuard(t, 5000)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, mask := range []uint64{0, 0xfedcba9876543210, 0xfffffffff0000000} {
			for _, size := range asmtest.Counts(4096) {
				for shift := range 33 {
					run(t, in, out, mask, size, shift, shift%2 == 0)
				}
			}
		}
	})
}

// run masks memory that begins or ends shift bytes from a page that faults.
func run(t *testing.T, in, out *asmtest.Guard, mask uint64, size, shift int, head bool) {
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
	want := make([]byte, size)
	reference(want, src, mask)
	n := And(dst, src, mask)
	vector := cpu.AVX2 || cpu.NEON
	switch {
	case vector && n < size-127 || !vector && n != 0 || n > size || n%64 != 0:
		t.Fatalf("%d bytes: %d done", size, n)
	case !bytes.Equal(dst[:n], want[:n]):
		t.Fatalf("%d bytes, shift %d: wrong bytes", size, shift)
	case !asmtest.Untouched(dst[n:]) || !out.Intact() || !in.Intact() || !bytes.Equal(src, kept):
		t.Fatalf("%d bytes, shift %d: writes elsewhere", size, shift)
	}
	if And(src, src, mask); !bytes.Equal(src[:n], want[:n]) {
		t.Fatalf("%d bytes, shift %d: wrong bytes in place", size, shift)
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add(bytes.Repeat([]byte("0123456789"), 30), uint64(0xfffffffff0000000))
	f.Fuzz(func(t *testing.T, src []byte, mask uint64) {
		want, got := make([]byte, len(src)), make([]byte, len(src))
		reference(want, src, mask)
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			n := And(got, src, mask)
			restore()
			if !bytes.Equal(got[:n], want[:n]) {
				t.Errorf("%v: wrong bytes", tier)
			}
		}
	})
}
