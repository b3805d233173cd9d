package bytedelta

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// A kernel is a kernel and its definition.
type kernel struct {
	name   string
	run    func(dst, src []byte) int
	define func(dst, src []byte)
	within bool // dst and src may be the same memory
}

var kernels = []kernel{
	{"Differences", Differences, func(dst, src []byte) {
		var before byte
		for i, c := range src {
			dst[i], before = c-before, c
		}
	}, false},
	{"Sums", Sums, func(dst, src []byte) {
		var sum byte
		for i, c := range src {
			sum += c
			dst[i] = sum
		}
	}, true},
}

func TestKernels(t *testing.T) {
	in, out := asmtest.NewGuard(t, 5000), asmtest.NewGuard(t, 5000)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, k := range kernels {
			for _, size := range asmtest.Counts(4096) {
				for shift := range 65 {
					k.test(t, in, out, size, shift, shift%2 == 0)
				}
			}
		}
	})
}

// test runs a kernel on memory that begins or ends shift bytes from a page that faults.
func (k kernel) test(t *testing.T, in, out *asmtest.Guard, size, shift int, head bool) {
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
	k.define(want, src)
	n := k.run(dst, src)
	vector := cpu.AVX2 || cpu.NEON
	switch {
	case vector && n < size-63 || !vector && n != 0 || n > size || n%16 != 0:
		t.Fatalf("%s of %d bytes: %d done", k.name, size, n)
	case !bytes.Equal(dst[:n], want[:n]):
		t.Fatalf("%s of %d bytes, shift %d: wrong bytes", k.name, size, shift)
	case !asmtest.Untouched(dst[n:]) || !out.Intact() || !in.Intact() || !bytes.Equal(src, kept):
		t.Fatalf("%s of %d bytes, shift %d: writes elsewhere", k.name, size, shift)
	}
	if k.within {
		if k.run(src, src); !bytes.Equal(src[:n], want[:n]) {
			t.Fatalf("%s of %d bytes, shift %d: wrong bytes in place", k.name, size, shift)
		}
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte("0123456789"), 30))
	f.Fuzz(func(t *testing.T, src []byte) {
		want, got := make([]byte, len(src)), make([]byte, len(src))
		for _, k := range kernels {
			k.define(want, src)
			for _, tier := range cpu.Tiers() {
				restore := cpu.Limit(tier)
				n := k.run(got, src)
				restore()
				if !bytes.Equal(got[:n], want[:n]) {
					t.Errorf("%s, %v: wrong bytes", k.name, tier)
				}
			}
		}
	})
}
