package zstdcode

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// someCodes returns codes that cover all lengths: below 16 each has its own, others share one in
// eight.
func someCodes() *Codes {
	c := new(Codes)
	of := func(n int) uint16 {
		if n < 16 {
			return uint16(n)
		}
		return uint16(14+n/8) | 3<<8
	}
	for n := range c.Literal {
		c.Literal[n] = of(n)
	}
	for n := range c.Match {
		c.Match[n] = of(n)
	}
	return c
}

// someTable returns a table of 1<<log states for all symbols.
func someTable(r *rand.Rand, log int) *Table {
	t := new(Table)
	size := 1 << log
	for i := range size {
		t.States[i] = uint16(size + r.IntN(size))
	}
	at := 0
	for s := range t.Symbols {
		n := 1 + r.IntN(max(size/64-1, 1))
		most := uint32(log - bits.Len(uint(n-1)) + 1)
		if n == 1 {
			most = uint32(log)
		}
		at %= max(size-n, 1)
		t.Symbols[s] = Symbol{most<<16 - uint32(n)<<most, int32(at - n)}
		at += n
	}
	return t
}

// someMatches makes matches of any bytes, many of them at repeated distances.
func someMatches(b []byte) []Match {
	var out []Match
	for ; len(b) >= 4; b = b[4:] {
		v := binary.LittleEndian.Uint32(b)
		m := Match{Literals: v & 3, Length: 3 + v>>2&15, Distance: 1 + v>>6&7}
		switch v >> 28 {
		case 0:
			m.Literals = v & 0xffff
		case 1:
			m.Length += v & 0x1ffff
		case 2:
			m.Distance += v & 0x7fffff
		case 3:
			m = Match{Literals: 1 << 16, Length: 3 + 1<<16, Distance: 1<<31 - 1}
		}
		out = append(out, m)
	}
	return out
}

// same reports whether two streams are equal, if ok is set. What follows the contents may differ.
func same(a, b *Stream, ok bool) bool {
	return !ok || a.N == b.N && bytes.Equal(a.Out[:a.N], b.Out[:b.N]) && a.Bits == b.Bits && a.Have == b.Have
}

// compare names and writes matches, and writes bytes, by the tier's kernels and the generic code.
func compare(t *testing.T, matches []Match, src []byte, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	codes := someCodes()
	var counts, wantCounts Counts
	repeat, wantRepeat := [3]uint32{1, 4, 8}, [3]uint32{1, 4, 8}
	seqs, want := make([]Sequence, len(matches)+1), make([]Sequence, len(matches)+1)
	Name(seqs, matches, codes, &counts, &repeat)
	nameGeneric(want, matches, codes, &wantCounts, &wantRepeat)
	if !slices.Equal(seqs, want) || counts != wantCounts || repeat != wantRepeat {
		t.Fatalf("names of %d matches differ", len(matches))
	}
	seqs = seqs[:len(matches)]
	for i := range seqs {
		seqs[i].Literal &= 63
	}
	tables := &Tables{someTable(r, 9), someTable(r, 8), someTable(r, 9)}
	room := r.IntN(16*len(matches) + 40)
	a, b := Stream{Out: make([]byte, room), Bits: 5, Have: 3}, Stream{Out: make([]byte, room), Bits: 5, Have: 3}
	s, z := States{513, 257, 1023}, States{513, 257, 1023}
	ok, wantOK := a.Write(seqs, tables, &s), b.writeGeneric(seqs, tables, &z)
	if ok != wantOK || !same(&a, &b, ok) || ok && s != z {
		t.Fatalf("%d sequences in %d bytes: differ", len(matches), room)
	}
	huffman := new(HuffmanCodes)
	for i := range huffman {
		n := 1 + r.IntN(11)
		huffman.Set(i, uint32(r.IntN(1<<n)), uint8(n))
	}
	room = r.IntN(2*len(src) + 20)
	a, b = Stream{Out: make([]byte, room)}, Stream{Out: make([]byte, room)}
	ok, wantOK = a.Huffman(src, huffman), b.huffmanGeneric(src, huffman)
	if ok != wantOK || !same(&a, &b, ok) {
		t.Fatalf("%d bytes in %d: differ", len(src), room)
	}
	if !ok {
		return
	}
	rest := src[r.IntN(len(src)+1):]
	first, second := Stream{Out: make([]byte, room), Bits: 1, Have: 1}, Stream{Out: make([]byte, len(rest)*2+20)}
	want1, want2 := Stream{Out: make([]byte, room), Bits: 1, Have: 1}, Stream{Out: make([]byte, len(rest)*2+20)}
	ok = HuffmanTwo(&first, &second, src, rest, huffman)
	wantOK = want1.huffmanGeneric(src, huffman) && want2.huffmanGeneric(rest, huffman)
	if ok != wantOK || ok && (!same(&first, &want1, ok) || !same(&second, &want2, ok)) {
		t.Fatalf("%d and %d bytes: two streams differ", len(src), len(rest))
	}
}

// compareGather gathers literals between matches in raw, in memory whose ends are guarded.
func compareGather(t *testing.T, raw, to []byte, r *rand.Rand) {
	t.Helper()
	var matches []Match
	var want []byte
	most := 1 << r.IntN(9)
	at := 0
	for {
		m := Match{Literals: uint32(r.IntN(most)), Length: uint32(3 + r.IntN(most))}
		next := at + int(m.Literals+m.Length)
		if next > len(raw) {
			break
		}
		matches = append(matches, m)
		want = append(want, raw[at:at+int(m.Literals)]...)
		at = next
	}
	want = append(want, raw[at:]...)
	if n := Gather(to, raw, matches); !bytes.Equal(to[:n], want) {
		t.Fatalf("literals of %d matches in %d bytes differ", len(matches), len(raw))
	}
}

func TestGather(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		g, h := asmtest.NewGuard(t, 1<<14), asmtest.NewGuard(t, 1<<14)
		r := rand.New(rand.NewPCG(4, 2))
		for i, n := range asmtest.Counts(4000) {
			src := g.Tail(n, 0)
			asmtest.Fill(src, uint32(i))
			compareGather(t, src, h.Tail(n+Slack, 0), r)
			compareGather(t, src, h.Head(n+Slack, 0), r)
			if !g.Intact() || !h.Intact() {
				t.Fatal("writes elsewhere")
			}
		}
	})
}

func TestKernels(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		g := asmtest.NewGuard(t, 1<<14)
		for i, n := range asmtest.Counts(4000) {
			src := g.Tail(n, 0)
			asmtest.Fill(src, uint32(i))
			compare(t, someMatches(src), src, uint64(i))
			src = g.Head(n, 0)
			asmtest.Fill(src, uint32(i))
			compare(t, someMatches(src), src, uint64(i))
			if !g.Intact() {
				t.Fatal("writes to its input")
			}
		}
	})
}

// TestOffset decodes offset values as RFC 8878 §3.1.1.5 says.
func TestOffset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	repeat, decoder := [3]uint32{1, 4, 8}, [3]uint32{1, 4, 8}
	for range 100_000 {
		distance, none := uint32(1+r.IntN(9)), r.IntN(2) == 0
		v := Offset(&repeat, distance, none)
		got := v - 3
		if v <= 3 {
			index := v - 1
			if none {
				index++
			}
			if index == 3 {
				got = decoder[0] - 1
			} else {
				got = decoder[index]
			}
			if index > 1 {
				decoder[2] = decoder[1]
			}
			if index > 0 {
				decoder[1] = decoder[0]
			}
			decoder[0] = got
		} else {
			decoder = [3]uint32{got, decoder[0], decoder[1]}
		}
		if got != distance || repeat != decoder {
			t.Fatalf("%d is distance %d, want %d; repeated are %d, want %d", v, got, distance, repeat, decoder)
		}
	}
}

// FuzzKernels names and writes what any bytes stand for.
func FuzzKernels(f *testing.F) {
	f.Add([]byte("some text, some other text, and some more"), uint64(0))
	f.Add([]byte("A1A8000A00"), uint64(11)) // Huffman codes end with a byte
	f.Fuzz(func(t *testing.T, src []byte, seed uint64) {
		for _, tier := range cpu.Tiers() {
			restore := cpu.Limit(tier)
			compare(t, someMatches(src), src, seed)
			restore()
		}
	})
}

func BenchmarkKernels(b *testing.B) {
	src := make([]byte, 1<<15)
	asmtest.Fill(src, 1)
	matches := someMatches(src)
	seqs := make([]Sequence, len(matches))
	r, codes := rand.New(rand.NewPCG(1, 1)), someCodes()
	tables := &Tables{someTable(r, 9), someTable(r, 8), someTable(r, 9)}
	huffman := new(HuffmanCodes)
	for i := range huffman {
		huffman.Set(i, uint32(i)&127, uint8(7+i%3))
	}
	out := make([]byte, 1<<18)
	for _, tier := range cpu.Tiers() {
		restore := cpu.Limit(tier)
		b.Run("name/"+tier.String(), func(b *testing.B) {
			for b.Loop() {
				var counts Counts
				Name(seqs, matches, codes, &counts, &[3]uint32{1, 4, 8})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(seqs)), "ns/sequence")
		})
		b.Run("write/"+tier.String(), func(b *testing.B) {
			for b.Loop() {
				w := Stream{Out: out}
				w.Write(seqs, tables, &States{512, 256, 512})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(seqs)), "ns/sequence")
		})
		b.Run("huffman/"+tier.String(), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				half := len(src) / 2
				HuffmanTwo(&Stream{Out: out}, &Stream{Out: out[1<<17+777:]}, src[:half], src[half:], huffman)
			}
		})
		restore()
	}
}
