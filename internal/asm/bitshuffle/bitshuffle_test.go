package bitshuffle

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// reference shuffles the first n items of src by definition.
func reference(dst []byte, pitch, row int, src []byte, size, n int) {
	for i := range n {
		for bit := range 8 * size {
			at := bit/8*pitch + bit%8*row + i/8
			dst[at] = dst[at]&^(1<<(i%8)) | src[i*size+bit/8]>>(bit%8)&1<<(i%8)
		}
	}
}

// run shuffles and unshuffles items. Both buffers begin or end shift bytes from a page that faults.
// Items that the kernels do not process must be unchanged.
func run(t *testing.T, flat, planes *asmtest.Guard, size, items, rowPad, pad, shift int, head bool) {
	t.Helper()
	row := (items+7)/8 + rowPad
	pitch := 8*row + pad
	memory := func(g *asmtest.Guard, n int) []byte {
		if head {
			return g.Head(n, shift)
		}
		return g.Tail(n, shift)
	}
	src, dst := memory(flat, size*items), memory(planes, (size-1)*pitch+7*row+(items+7)/8)
	asmtest.Fill(src, uint32(size+items))
	want, kept := bytes.Clone(dst), bytes.Clone(src)
	n := Shuffle(dst, pitch, row, src, size)
	reference(want, pitch, row, src, size, n)
	fail := func(what string) {
		t.Helper()
		t.Fatalf("size %d, %d items (%d done), row +%d, pitch +%d, shift %d, head %v: %s", size, items, n, rowPad, pad, shift, head, what)
	}
	switch {
	case n%8 != 0 || n < 0 || n > items:
		fail("a wrong number is done")
	case !bytes.Equal(dst, want):
		fail("Shuffle gives other bytes, or writes between the rows or beyond what it says")
	case !bytes.Equal(src, kept) || !flat.Intact() || !planes.Intact():
		fail("Shuffle writes elsewhere")
	}
	reference(dst, pitch, row, src, size, items) // the rest
	back := memory(flat, size*items)
	n = Unshuffle(back, dst, pitch, row, size)
	switch {
	case n%8 != 0 || n < 0 || n > items:
		fail("a wrong number is restored")
	case !bytes.Equal(back[:n*size], kept[:n*size]):
		fail("Unshuffle gives other bytes")
	case !asmtest.Untouched(back[n*size:]) || !flat.Intact() || !planes.Intact():
		fail("Unshuffle writes elsewhere")
	}
}

func TestKernels(t *testing.T) {
	counts := slices.DeleteFunc(asmtest.Counts(2048), func(n int) bool { return n > 20 && n < 500 })
	sizes := asmtest.TypeSizes()
	if testing.Short() {
		sizes = slices.DeleteFunc(sizes, func(size int) bool { return size > 33 })
		counts = []int{0, 8, 511, 512, 520, 1023, 1024, 1543}
	}
	most := slices.Max(counts) * slices.Max(sizes)
	flat, planes := asmtest.NewGuard(t, most+64), asmtest.NewGuard(t, 2*most+1<<16)
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range sizes {
			for i, items := range counts {
				if size > 33 && i%5 > 0 {
					continue
				}
				run(t, flat, planes, size, items, 0, 0, 0, i%2 == 0)
				run(t, flat, planes, size, items, i%3, 64, i%3*11, i%2 != 0)
			}
		}
	})
}

// TestMisaligned tries every distance from a cache line for both buffers.
func TestMisaligned(t *testing.T) {
	const items = 3*groupItems + 8
	flat, planes := asmtest.NewGuard(t, 17*items+64), asmtest.NewGuard(t, 17*(items+8*64+64)+64)
	asmtest.EachTier(t, func(t *testing.T) {
		for shift := range 64 {
			for _, size := range []int{1, 2, 4, 8, 12, 16, 17}[shift%7:] {
				run(t, flat, planes, size, items, shift, shift, shift, shift%2 == 0)
			}
		}
	})
}

// TestDone checks that the kernels process everything but the end, which fails if no kernel is
// called.
func TestDone(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		for _, size := range []int{1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 24, 255} {
			const items = 3*groupItems - 8
			b, d := make([]byte, items*size), make([]byte, items*size)
			forward, backward := Shuffle(d, items, items/8, b, size), Unshuffle(b, d, items, items/8, size)
			want := 0
			if cpu.AVX2 || cpu.NEON {
				want = items - groupItems
			}
			if forward < want || backward < want || want == 0 && forward+backward > 0 {
				t.Errorf("size %d: shuffled %d and restored %d of %d items", size, forward, backward, items)
			}
		}
	})
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte{}, uint16(1), uint8(0), uint8(0))
	f.Add(bytes.Repeat([]byte("0123456789abcdef"), 600), uint16(16), uint8(0), uint8(64))
	f.Add(bytes.Repeat([]byte("0123456789ab"), 1031), uint16(12), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, src []byte, size uint16, rowPad, pad uint8) {
		width := max(1, int(size)%512)
		items := len(src) / width &^ 7
		row := items/8 + int(rowPad)
		pitch := 8*row + int(pad)
		planes := make([]byte, width*pitch)
		// by number of items processed: the reference takes most of the time
		wants := map[int][]byte{}
		want := func(n int) []byte {
			if wants[n] == nil {
				wants[n] = make([]byte, len(planes))
				reference(wants[n], pitch, row, src, width, n)
			}
			return wants[n]
		}
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			clear(planes)
			n := Shuffle(planes, pitch, row, src[:items*width], width)
			if !bytes.Equal(planes, want(n)) {
				t.Errorf("%v: Shuffle gives other bytes", tier)
			}
			back := make([]byte, items*width)
			n = Unshuffle(back, want(items), pitch, row, width)
			if !bytes.Equal(back[:n*width], src[:n*width]) {
				t.Errorf("%v: Unshuffle gives other bytes", tier)
			}
			restore()
		}
	})
}
