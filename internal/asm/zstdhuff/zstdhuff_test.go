package zstdhuff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// code returns a complete prefix code made by splitting codes at random, with no code longer than
// MaxBits. If skewed, it splits short codes first.
func code(r *rand.Rand, symbols int, skewed bool) *Single {
	lengths := []int{0}
	for tries := 0; len(lengths) < symbols && tries < 10*symbols; tries++ {
		i := r.IntN(len(lengths))
		if skewed {
			i = len(lengths) - 1 - r.IntN(min(len(lengths), 3))
		}
		if lengths[i] < MaxBits {
			lengths[i]++
			lengths = append(lengths, lengths[i])
		}
	}
	// The longest first, since codes of equal length begin at multiples of the entries they cover.
	t := new(Single)
	at := 0
	for n := MaxBits; n > 0; n-- {
		for s, length := range lengths {
			if length == n {
				for range 1 << (MaxBits - n) {
					t[at] = uint16(n) | uint16(s)<<8
					at++
				}
			}
		}
	}
	return t
}

// encode writes bytes from the last to the first, each code above the one before, and an end mark
// on top.
func (t *Single) encode(out, src []byte) []byte {
	var codes, lengths [256]uint32
	for i := len(t) - 1; i >= 0; i-- {
		n := uint32(t[i] & 0xff)
		codes[t[i]>>8], lengths[t[i]>>8] = uint32(i)>>(MaxBits-n), n
	}
	var bits uint64
	have := 0
	for i := len(src) - 1; i >= 0; i-- {
		bits |= uint64(codes[src[i]]) << have
		for have += int(lengths[src[i]]); have >= 8; have -= 8 {
			out = append(out, byte(bits))
			bits >>= 8
		}
	}
	return append(out, byte(bits)|1<<have)
}

// parts divides n bytes as a frame does, and concatenates the encoded parts.
func (t *Single) parts(src []byte, count int) (stream []byte, parts [4]Part) {
	size := len(src)
	if count == 4 {
		size = (size + 3) / 4
	}
	stream = make([]byte, Lead)
	for i := range count {
		p := Part{From: len(stream), Out: i * size, End: min(len(src), (i+1)*size)}
		stream = t.encode(stream, src[p.Out:p.End])
		p.To = len(stream)
		parts[i] = p
	}
	return stream, parts
}

// decode decodes with and without a table of pairs, in memory that faults at its ends.
func decode(t *testing.T, table *Single, stream []byte, parts [4]Part, count, size int, check func(what string, ok bool, got []byte)) {
	t.Helper()
	in, out := asmtest.NewGuard(t, len(stream)+8), asmtest.NewGuard(t, size+8)
	var double Double
	double.Fill(table)
	for _, d := range []*Double{nil, &double} {
		for _, head := range []bool{true, false} {
			s := &Streams{Src: in.Tail(len(stream), 0), Dst: out.Tail(size, 0), Part: parts}
			if head {
				s = &Streams{Src: in.Head(len(stream), 0), Dst: out.Head(size, 0), Part: parts}
			}
			copy(s.Src, stream)
			ok := s.Decode(count, table, d)
			check(fmt.Sprintf("%d streams, pairs %v", count, d != nil), ok, s.Dst)
			if !out.Intact() || !in.Intact() {
				t.Fatal("writes elsewhere")
			}
		}
	}
}

func TestDecode(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		for _, n := range append(asmtest.Counts(5000), 30_000) {
			table := code(r, 2+r.IntN(255), n%2 == 0)
			src := make([]byte, n)
			for i := range src {
				src[i] = byte(table[r.IntN(len(table))] >> 8)
			}
			for _, count := range []int{1, 4} {
				if count == 4 && n < 6 {
					continue
				}
				stream, parts := table.parts(src, count)
				decode(t, table, stream, parts, count, n, func(what string, ok bool, got []byte) {
					if !ok || !bytes.Equal(got, src) {
						t.Fatalf("%d bytes, %s: %v", n, what, ok)
					}
				})
				// A stream with a bit too many or too few does not have this length.
				for _, wrong := range []Part{{parts[0].From, parts[0].To, parts[0].Out, parts[0].End - 1, 0, 0}, {parts[0].From + 1, parts[0].To, parts[0].Out, parts[0].End, 0, 0}} {
					if n == 0 {
						continue
					}
					bad := parts
					bad[0] = wrong
					decode(t, table, stream, bad, count, n, func(what string, ok bool, _ []byte) {
						if ok {
							t.Fatalf("%d bytes, %s: accepts a wrong length", n, what)
						}
					})
				}
			}
		}
	})
}

// FuzzDecode decodes any bits; every tier must give the same bytes, with and without pairs.
func FuzzDecode(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint16(30), []byte("some bits to read backwards"))
	f.Add(uint64(2), uint8(200), uint16(300), bytes.Repeat([]byte{1, 0xff, 0x32}, 300))
	f.Fuzz(func(t *testing.T, seed uint64, symbols uint8, n uint16, bits []byte) {
		r := rand.New(rand.NewPCG(seed, 1))
		table := code(r, 2+int(symbols), seed%2 == 0)
		stream := append(make([]byte, Lead), bits...)
		for _, count := range []int{1, 4} {
			var parts [4]Part
			from := Lead
			for i := range count {
				to := from + (len(bits)+count-1)/count
				if i == count-1 || to > len(stream) {
					to = len(stream)
				}
				parts[i] = Part{From: from, To: to, Out: i * int(n) / count, End: (i + 1) * int(n) / count}
				from = to
			}
			var first *bool
			var want []byte
			for _, tier := range cpu.Tiers() {
				restore := cpu.Limit(tier)
				decode(t, table, stream, parts, count, int(n), func(what string, ok bool, got []byte) {
					if first == nil {
						first, want = &ok, bytes.Clone(got)
					}
					if ok != *first || ok && !bytes.Equal(got, want) {
						t.Fatalf("tier %v, %s: %v, before %v", tier, what, ok, *first)
					}
				})
				restore()
			}
		}
	})
}
