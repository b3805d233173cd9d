package zstdfind

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// compareDouble searches with the generic code and with the tier's kernel, and checks that the
// matches are valid.
func compareDouble(t *testing.T, s, want *Double, src []byte, at int, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 6))
	log, ignore, haste := 6+r.IntN(12), uint32(8*r.IntN(5)), uint32(2+r.IntN(9))
	reach, lazy := 3+r.IntN(20), r.IntN(2) == 0
	for _, x := range []*Double{s, want} {
		x.SetLog(log)
		x.Ignore, x.Haste, x.Reach, x.Lazy = ignore, haste, reach, lazy
		x.Src, x.At, x.Anchor, x.Latest, x.Before = src, max(at, 1), at, 1, 4
	}
	pos := at
	for {
		s.Find()
		want.findGeneric()
		if !slices.Equal(s.Out[:s.N], want.Out[:want.N]) {
			t.Fatalf("%d bytes from %d: %d matches, want %d, or others", len(src), at, s.N, want.N)
		}
		if s.At != want.At || s.Anchor != want.Anchor || s.Latest != want.Latest || s.Before != want.Before {
			t.Fatalf("%d bytes from %d: stops elsewhere", len(src), at)
		}
		for _, m := range s.Out[:s.N] {
			pos += int(m.Literals)
			from := pos - int(m.Distance)
			if from < 0 || m.Length < 4 || !bytes.Equal(src[from:from+int(m.Length)], src[pos:pos+int(m.Length)]) {
				t.Fatalf("%d bytes: %+v is no match at %d", len(src), m, pos)
			}
			pos += int(m.Length)
		}
		if pos != s.Anchor {
			t.Fatalf("%d bytes: matches end at %d, not at %d", len(src), pos, s.Anchor)
		}
		if s.At >= len(src)-EndRoom {
			break
		}
	}
	if s.Long != want.Long || s.Short != want.Short {
		t.Fatalf("%d bytes: a table differs", len(src))
	}
	s.Base += uint32(len(src))
	want.Base += uint32(len(src))
}

func TestDouble(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 9))
		g := asmtest.NewGuard(t, 1<<17)
		s, want := &Double{Base: 1}, &Double{Base: 1}
		for i, n := range append(asmtest.Counts(3000), 40_000, 100_000) {
			for _, place := range []func(n, align int) []byte{g.Tail, g.Head} {
				src := place(n, 0)
				fill(src, r)
				compareDouble(t, s, want, src, r.IntN(n/2+1)*(n%2), uint64(i))
				if !g.Intact() {
					t.Fatal("writes to its input")
				}
			}
		}
	})
}

// FuzzDouble searches through any bytes.
func FuzzDouble(f *testing.F) {
	f.Add([]byte("some text, some other text, and some more"), uint16(0), uint64(1))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 1, 2, 3, 4}, 1000), uint16(7), uint64(2))
	f.Fuzz(func(t *testing.T, src []byte, at uint16, seed uint64) {
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			compareDouble(t, &Double{Base: 1}, &Double{Base: 1}, src, min(int(at), len(src)), seed)
			restore()
		}
	})
}
