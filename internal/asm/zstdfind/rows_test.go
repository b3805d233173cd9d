package zstdfind

import (
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// compareRows looks up some positions of src with the tier's kernel and with the generic code.
func compareRows(t *testing.T, r, want *Rows, src []byte, seed uint64, log, attempts int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 3))
	for _, x := range []*Rows{r, want} {
		x.SetLog(log)
		x.Src, x.Next, x.Attempts = src, 1, attempts
	}
	for at := 1; at+4 <= len(src); at += 1 + random.IntN(4) {
		length, distance := r.Longest(at)
		wantLength, wantDistance := want.longestGeneric(at, false)
		if ahead := min(at+random.IntN(20)+1, len(src)-4); ahead > at {
			n, d := r.Peek(ahead)
			if wantN, wantD := want.longestGeneric(ahead, true); n != wantN || d != wantD {
				t.Fatalf("%d of %d bytes, from before: %d at %d, want %d at %d", ahead, len(src), n, d, wantN, wantD)
			}
		}
		if length != wantLength || distance != wantDistance || r.Next != want.Next {
			t.Fatalf("%d of %d bytes: %d at %d, want %d at %d", at, len(src), length, distance, wantLength, wantDistance)
		}
		if distance > 0 && equal(src, at-distance, at) != length {
			t.Fatalf("%d of %d bytes: %d at %d is no match", at, len(src), length, distance)
		}
	}
	if r.Tags != want.Tags || r.At != want.At || r.First != want.First {
		t.Fatalf("%d bytes: the rows differ", len(src))
	}
	r.Base += uint32(len(src))
	want.Base += uint32(len(src))
	compareSeek(t, r, want, src, random)
}

// compareSeek looks for all positions of src that are worth a look.
func compareSeek(t *testing.T, r, want *Rows, src []byte, random *rand.Rand) {
	t.Helper()
	s := Scan{Least: random.IntN(40), Latest: 1 + random.IntN(20), Runs: random.IntN(2) == 0, At: 1}
	r.Next, want.Next = 1, 1
	for s.At < len(src)-EndRoom {
		s.Until = min(s.At+1+random.IntN(20_000), len(src)-EndRoom)
		w := s
		ok, wantOK := r.Seek(&s), want.seekGeneric(&w)
		if ok != wantOK || s != w || r.Next != want.Next {
			t.Fatalf("%d bytes: %+v, %v, want %+v, %v", len(src), s, ok, w, wantOK)
		}
		if ok {
			s.At += 1 + random.IntN(s.Length)
			s.Anchor = s.At - random.IntN(2)
		}
	}
	if r.Tags != want.Tags || r.At != want.At || r.First != want.First {
		t.Fatalf("%d bytes: the rows differ after a scan", len(src))
	}
	r.Base += uint32(len(src))
	want.Base += uint32(len(src))
}

func TestRows(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(2, 9))
		g := asmtest.NewGuard(t, 1<<17)
		r, want := &Rows{Base: 1}, &Rows{Base: 1}
		for i, n := range append(asmtest.Counts(3000), 100_000) {
			for _, place := range []func(n, align int) []byte{g.Tail, g.Head} {
				src := place(n, 0)
				fill(src, random)
				compareRows(t, r, want, src, uint64(i), 4+i%10, 1+i*7%40)
				if !g.Intact() {
					t.Fatal("writes to its input")
				}
			}
		}
	})
}

// FuzzRows looks up positions of any bytes.
func FuzzRows(f *testing.F) {
	f.Add([]byte("some text, some other text, and some more"), uint64(1))
	f.Fuzz(func(t *testing.T, src []byte, seed uint64) {
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			compareRows(t, &Rows{Base: 1}, &Rows{Base: 1}, src, seed, 4+int(seed%10), 1+int(seed>>8%40))
			restore()
		}
	})
}
