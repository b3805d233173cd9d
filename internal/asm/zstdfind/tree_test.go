package zstdfind

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// compareTrees visits some positions of src with the tier's kernel and with the generic code.
func compareTrees(t *testing.T, tree, want *Tree, src []byte, depth, nice int) {
	t.Helper()
	for _, x := range []*Tree{tree, want} {
		x.Src, x.Depth, x.Nice = src, depth, nice
	}
	for at := 0; at+8 <= len(src); at += 1 + at%3/2 {
		tree.Visit(at)
		want.visitGeneric(at)
		if !slices.Equal(tree.Found[:tree.N], want.Found[:want.N]) {
			t.Fatalf("%d of %d bytes: %v, want %v", at, len(src), tree.Found[:tree.N], want.Found[:want.N])
		}
		for _, c := range tree.Found[:tree.N] {
			if n := equal(src, at-int(c.Distance), at); n < int(c.Length) {
				t.Fatalf("%d of %d bytes: %v matches %d bytes", at, len(src), c, n)
			}
		}
	}
	if tree.Roots != want.Roots || tree.Three != want.Three || !slices.Equal(tree.Below, want.Below) {
		t.Fatalf("%d bytes: the trees differ", len(src))
	}
	tree.Base += uint32(len(src))
	want.Base += uint32(len(src))
}

func newTestTree(log int) *Tree { return &Tree{Base: 1, Below: make([]uint32, 2<<log)} }

func TestTree(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 9))
		g := asmtest.NewGuard(t, 1<<17)
		for i, n := range append(asmtest.Counts(2000), 60_000) {
			tree, want := newTestTree(4+i%14), newTestTree(4+i%14)
			for _, place := range []func(n, align int) []byte{g.Tail, g.Head} {
				src := place(n, 0)
				fill(src, random)
				compareTrees(t, tree, want, src, 1+i*5%130, []int{16, 100, 999}[i%3])
				if !g.Intact() {
					t.Fatal("writes to its input")
				}
			}
		}
	})
}

func TestRelax(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(4, 9))
		numbers := func(n int) []uint32 {
			b := make([]uint32, n)
			for i := range b {
				b[i] = random.Uint32N(1000)
			}
			return b
		}
		for n := range 70 {
			at := random.IntN(9)
			w := &Ways{numbers(n + at + 3), numbers(n + at + 3), numbers(n + at + 3)}
			want := &Ways{slices.Clone(w.Price), slices.Clone(w.Length), slices.Clone(w.Distance)}
			costs := numbers(n)
			base, length, distance := random.Uint32N(300), random.Uint32(), random.Uint32()
			w.Relax(at, costs, base, length, distance)
			want.relaxGeneric(at, costs, base, length, distance)
			if !slices.Equal(w.Price, want.Price) || !slices.Equal(w.Length, want.Length) || !slices.Equal(w.Distance, want.Distance) {
				t.Fatalf("%d positions from %d: %v, want %v", n, at, w, want)
			}
		}
	})
}

// FuzzTree visits all positions of any bytes.
func FuzzTree(f *testing.F) {
	f.Add([]byte("some text, some other text, and some more"), uint8(7), uint8(70))
	f.Fuzz(func(t *testing.T, src []byte, depth, nice uint8) {
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			compareTrees(t, newTestTree(10), newTestTree(10), src, 1+int(depth), 8+int(nice))
			restore()
		}
	})
}
