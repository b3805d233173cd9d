package byteshuffle

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// reference shuffles the first n items of src by definition.
func reference(dst []byte, pitch int, src []byte, size, n int) {
	for i := range n {
		for j := range size {
			dst[j*pitch+i] = src[i*size+j]
		}
	}
}

// run shuffles and unshuffles items. Both buffers begin or end shift bytes from a page that faults.
// Items that the kernels do not process must be unchanged.
func run(t *testing.T, flat, planes *asmtest.Guard, size, items, pad, shift int, head bool) {
	t.Helper()
	pitch := items + pad
	planeBytes := 0
	if items > 0 {
		planeBytes = (size-1)*pitch + items
	}
	memory := func(g *asmtest.Guard, n int) []byte {
		if head {
			return g.Head(n, shift)
		}
		return g.Tail(n, shift)
	}
	src, dst := memory(flat, size*items), memory(planes, planeBytes)
	asmtest.Fill(src, uint32(size+items))
	want := bytes.Clone(dst)
	kept := bytes.Clone(src)
	n := Shuffle(dst, pitch, src, size)
	reference(want, pitch, src, size, n)
	fail := func(what string) {
		t.Helper()
		t.Fatalf("size %d, %d items (%d done), pitch +%d, shift %d, head %v: %s", size, items, n, pad, shift, head, what)
	}
	switch {
	case n < 0 || n > items:
		fail("a wrong number is done")
	case !bytes.Equal(dst, want):
		fail("Shuffle gives other bytes, or writes between the planes or beyond what it says")
	case !bytes.Equal(src, kept) || !flat.Intact() || !planes.Intact():
		fail("Shuffle writes elsewhere")
	}
	reference(dst, pitch, src, size, items) // the rest
	back := memory(flat, size*items)
	n = Unshuffle(back, dst, pitch, size)
	switch {
	case n < 0 || n > items:
		fail("a wrong number is restored")
	case !bytes.Equal(back[:n*size], kept[:n*size]):
		fail("Unshuffle gives other bytes")
	case !asmtest.Untouched(back[n*size:]) || !flat.Intact() || !planes.Intact():
		fail("Unshuffle writes elsewhere")
	}
}

func TestKernels(t *testing.T) {
	counts := asmtest.Counts(1100)
	if testing.Short() {
		counts = []int{0, 1, 63, 64, 65, 127, 128, 200, 511, 512, 513, 1031}
	}
	most := slices.Max(counts)
	flat, planes := asmtest.NewGuard(t, most*300+64), asmtest.NewGuard(t, (most+128)*300+64)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range asmtest.TypeSizes() {
			for i, items := range counts {
				for _, pad := range []int{0, 64, 13} {
					run(t, flat, planes, size, items, pad, i%3*11, i%2 == 0)
					run(t, flat, planes, size, items, pad, 0, i%2 != 0)
				}
			}
		}
	})
}

// TestMisaligned tries every distance from a cache line for both buffers.
func TestMisaligned(t *testing.T) {
	flat, planes := asmtest.NewGuard(t, 17*600+64), asmtest.NewGuard(t, 17*670+64)
	asmtest.EachTier(t, func(t *testing.T) {
		for shift := range 64 {
			for _, size := range []int{2, 3, 4, 8, 12, 16, 17}[shift%4:] {
				run(t, flat, planes, size, 600, shift, shift, shift%2 == 0)
			}
		}
	})
}

// TestDone checks that the kernels process everything but the end, which fails if no kernel is
// called.
func TestDone(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range []int{2, 3, 4, 5, 7, 8, 12, 15, 16, 24, 32, 255} {
			const items = 1200
			b, d := make([]byte, items*size), make([]byte, items*size)
			forward, backward := Shuffle(d, items, b, size), Unshuffle(b, d, items, size)
			want := 0
			if cpu.AVX2 || cpu.NEON {
				want = items - 8*groupItems
			}
			if forward < want || backward < want || want == 0 && forward+backward > 0 {
				t.Errorf("size %d: shuffled %d and restored %d of %d items", size, forward, backward, items)
			}
		}
	})
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{}, uint16(1), uint8(0))
	f.Add(bytes.Repeat([]byte("0123456789abcdef"), 70), uint16(16), uint8(64))
	f.Add(bytes.Repeat([]byte("0123456789ab"), 131), uint16(12), uint8(1))
	f.Fuzz(func(t *testing.T, src []byte, size uint16, pad uint8) {
		width := max(1, int(size))
		items := len(src) / width
		pitch := items + int(pad)
		planes := make([]byte, width*pitch)
		// by number of items processed: the reference takes most of the time
		wants := map[int][]byte{}
		want := func(n int) []byte {
			if wants[n] == nil {
				wants[n] = make([]byte, len(planes))
				reference(wants[n], pitch, src, width, n)
			}
			return wants[n]
		}
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			clear(planes)
			n := Shuffle(planes, pitch, src[:items*width], width)
			if !bytes.Equal(planes, want(n)) {
				t.Errorf("%v: Shuffle gives other bytes", tier)
			}
			back := make([]byte, items*width)
			n = Unshuffle(back, want(items), pitch, width)
			if !bytes.Equal(back[:n*width], src[:n*width]) {
				t.Errorf("%v: Unshuffle gives other bytes", tier)
			}
			restore()
		}
	})
}
