package zstdseq

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// tables fills a state with tables that are possible for codes of up to most bits.
func tables(s *State, r *rand.Rand, most int) {
	length := func(least int32) Entry {
		extra := max(0, r.IntN(most+1)-6)
		return MakeEntry(0, 0, uint8(extra), least+int32(r.IntN(40)))
	}
	for i := range TableSize {
		for _, t := range []*[TableSize]Entry{&s.Literal, &s.Match, &s.Offset} {
			bits := r.IntN(10)
			next := r.IntN(TableSize - 1<<bits + 1)
			switch {
			case t == &s.Offset:
				code := r.IntN(min(most, 31) + 1)
				t[i] = MakeEntry(0, 0, uint8(code), int32(int64(1)<<code-3))
			case t == &s.Match:
				t[i] = length(3)
			default:
				t[i] = length(0)
			}
			t[i] = t[i].With(uint8(bits), uint16(next))
		}
	}
}

// A memory contains the buffers that a state refers to, each right before an inaccessible page. The
// bit stream also has such a page in front, Lead bytes before its start.
type memory struct{ bits, lits, dst *asmtest.Guard }

func newMemory(t testing.TB, room int) *memory {
	return &memory{asmtest.NewGuard(t, room), asmtest.NewGuard(t, room+Slack), asmtest.NewGuard(t, room)}
}

func (m *memory) state(r *rand.Rand, stream []byte, lits, room, out int) *State {
	s := &State{From: Lead, Pos: max(0, len(stream)*8-1-r.IntN(8)), Out: out, Left: 1 + r.IntN(300), Window: 1 << 40}
	if r.IntN(3) == 0 {
		s.Window = int64(r.IntN(2000))
	}
	s.Repeat = [3]int64{1 + int64(r.IntN(40)), 1 + int64(r.IntN(4)), 1 + int64(r.IntN(40))}
	s.Bits = m.bits.Tail(Lead+len(stream), 0)
	if r.IntN(2) == 0 {
		s.Bits = m.bits.Head(Lead+len(stream), 0)
	}
	copy(s.Bits[Lead:], stream)
	s.Lits = m.lits.Tail(lits+Slack, 0)[:lits]
	asmtest.Fill(s.Lits, r.Uint32())
	s.Dst = m.dst.Tail(room, 0)
	asmtest.Fill(s.Dst, r.Uint32())
	return s
}

// compare runs a state with the generic code and with the tier's kernel until the generic code
// fails or cannot continue.
func compare(t *testing.T, s *State, logs [3]uint8) {
	t.Helper()
	want := *s
	want.Dst = bytes.Clone(s.Dst)
	started := s.Start(logs[0], logs[1], logs[2])
	if again := want.Start(logs[0], logs[1], logs[2]); started != again || started == Corrupt {
		return
	}
	for {
		got, expected := s.Run(), want.runGeneric()
		if got != expected {
			t.Fatalf("status %d, want %d, %d sequences left", got, expected, want.Left)
		}
		if got == Corrupt {
			return
		}
		if !bytes.Equal(s.Dst[:s.Out], want.Dst[:s.Out]) {
			t.Fatalf("other bytes, %d sequences left", s.Left)
		}
		a, b := *s, want
		a.Dst, b.Dst = nil, nil
		a.Bits, b.Bits, a.Lits, b.Lits = nil, nil, nil, nil
		if a.Pos != b.Pos || a.Left != b.Left || a.Out != b.Out || a.Lit != b.Lit || a.Repeat != b.Repeat ||
			a.literal != b.literal || a.match != b.match || a.offset != b.offset {
			t.Fatalf("stops at %+v, want %+v", a.place(), b.place())
		}
		if got == Done || !s.pending(&want, t) {
			return
		}
	}
}

func (s *State) place() []any {
	return []any{s.Pos, s.Left, s.Out, s.Lit, s.Repeat, s.literal, s.match, s.offset, s.LiteralLength, s.MatchLength, s.Distance}
}

// pending executes a pending sequence in both states, byte by byte, unless it is invalid.
func (s *State) pending(want *State, t *testing.T) bool {
	t.Helper()
	if s.LiteralLength != want.LiteralLength || s.MatchLength != want.MatchLength || s.Distance != want.Distance {
		t.Fatalf("pending %+v, want %+v", s.place(), want.place())
	}
	ll, ml := int(s.LiteralLength), int(s.MatchLength)
	if s.LiteralLength > int64(len(s.Lits)-s.Lit) || s.LiteralLength+s.MatchLength > int64(len(s.Dst)-s.Out) || s.Distance > int64(s.Out+ll) {
		return false
	}
	for _, x := range []*State{s, want} {
		copy(x.Dst[x.Out:], x.Lits[x.Lit:x.Lit+ll])
		x.Out, x.Lit = x.Out+ll, x.Lit+ll
		for range ml {
			x.Dst[x.Out] = x.Dst[x.Out-int(x.Distance)]
			x.Out++
		}
	}
	return true
}

func TestRun(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		const room = 1 << 16
		m := newMemory(t, room)
		r := rand.New(rand.NewPCG(5, 6))
		for range 1500 {
			stream := make([]byte, 1+r.IntN(4000))
			for i := range stream {
				stream[i] = byte(r.Uint32())
			}
			n := 1 + r.IntN(room)
			s := m.state(r, stream, r.IntN(room), n, r.IntN(n))
			tables(s, r, 6+r.IntN(20))
			compare(t, s, [3]uint8{9, 9, 9})
			if !m.bits.Intact() || !m.dst.Intact() || !m.lits.Intact() {
				t.Fatal("writes elsewhere")
			}
		}
	})
}

// TestCopies executes single sequences of every distance and length that kernels treat differently,
// with every amount of room behind them.
func TestCopies(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		const before = 100
		m := newMemory(t, 8192)
		r := rand.New(rand.NewPCG(5, 6))
		for _, distance := range []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 31, 32, 33, 63, 64, before} {
			for _, n := range asmtest.Counts(3000) {
				for _, behind := range []int{0, 1, 31, 32, 33, 64} {
					lits := (n + int(distance)) % 70
					s := m.state(r, make([]byte, 8), lits, before+lits+n+behind, before)
					s.Window = 1 << 40
					s.Left = 1
					s.Literal[0], s.Match[0], s.Offset[0] = MakeEntry(0, 0, 0, int32(lits)), MakeEntry(0, 0, 0, int32(n)), MakeEntry(0, 0, 0, distance)
					compare(t, s, [3]uint8{})
				}
			}
		}
	})
}

// FuzzRun runs any bits through tables of the fuzzer's choice.
func FuzzRun(f *testing.F) {
	f.Add(uint64(1), []byte("some bits to read backwards"), uint16(100), uint16(3000), uint16(50))
	f.Add(uint64(2), bytes.Repeat([]byte{0xff, 0x55, 0}, 200), uint16(5000), uint16(50000), uint16(7))
	f.Fuzz(func(t *testing.T, seed uint64, stream []byte, lits, room, out uint16) {
		if len(stream) == 0 || len(stream) > 1<<16-Lead {
			return
		}
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			m := newMemory(t, 1<<16)
			r := rand.New(rand.NewPCG(seed, 1))
			s := m.state(r, stream, int(lits), int(room), int(min(out, room)))
			tables(s, r, 6+r.IntN(20))
			compare(t, s, [3]uint8{9, 9, 9})
			restore()
		}
	})
}
