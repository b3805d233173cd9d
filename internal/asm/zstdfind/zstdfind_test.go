package zstdfind

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// compare searches with the generic code and with the tier's kernel, and checks that the matches
// are valid.
func compare(t *testing.T, s, want *State, src []byte, at int) {
	t.Helper()
	s.Src, s.At, s.Anchor, s.Latest, s.Before = src, max(at, 1), at, 1, 4
	want.Src, want.At, want.Anchor, want.Latest, want.Before = src, max(at, 1), at, 1, 4
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
	if s.Table != want.Table {
		t.Fatalf("%d bytes: the table differs", len(src))
	}
	s.Base += uint32(len(src))
	want.Base += uint32(len(src))
}

// fill makes bytes that repeat themselves now and then.
func fill(b []byte, r *rand.Rand) {
	letters := 2 + r.IntN(200)
	for i := range b {
		b[i] = byte(r.IntN(letters))
	}
	for range len(b) / 30 {
		to, n := r.IntN(len(b)), r.IntN(60)
		from := r.IntN(to + 1)
		for i := 0; i < n && to+i < len(b); i++ {
			b[to+i] = b[from+i]
		}
	}
}

func TestFind(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 9))
		g := asmtest.NewGuard(t, 1<<17)
		s, want := &State{Base: 1}, &State{Base: 1}
		for _, n := range append(asmtest.Counts(40_000), 100_000) {
			for _, head := range []bool{true, false} {
				src := g.Tail(n, 0)
				if head {
					src = g.Head(n, 0)
				}
				fill(src, r)
				compare(t, s, want, src, r.IntN(n/2+1)*(n%2))
				if !g.Intact() {
					t.Fatal("writes to its input")
				}
			}
		}
	})
}

// FuzzFind searches through any bytes.
func FuzzFind(f *testing.F) {
	f.Add([]byte("some text, some other text, and some more"), uint16(0))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 1, 2, 3, 4}, 1000), uint16(7))
	f.Fuzz(func(t *testing.T, src []byte, at uint16) {
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			compare(t, &State{Base: 1}, &State{Base: 1}, src, min(int(at), len(src)))
			restore()
		}
	})
}
