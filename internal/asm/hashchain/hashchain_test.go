package hashchain_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/asm/hashchain"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// sources are bytes of few and many values, with runs and repetitions.
func sources(n int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	few, many, repeats := make([]byte, n), make([]byte, n), make([]byte, n)
	for i := range n {
		few[i] = byte(r.IntN(3))
		many[i] = byte(r.Uint32())
		repeats[i] = byte(r.Uint32())
	}
	for i := 1; i < n; {
		length, back := 1+r.IntN(60), 1+r.IntN(i)
		for range min(length, n-i) {
			repeats[i] = repeats[i-back]
			i++
		}
		i++
	}
	return [][]byte{few, many, repeats}
}

func chains(src []byte, log, run int) hashchain.Chains {
	return hashchain.Chains{
		Src: src, Heads: make([]uint32, 1<<log), Links: make([]hashchain.Link, 1<<log), Base: 7, Run: run,
	}
}

func equal(a, b *hashchain.Chains) bool {
	return a.Next == b.Next && a.Run == b.Run && a.Step == b.Step &&
		slices.Equal(a.Heads, b.Heads) && slices.Equal(a.Links, b.Links)
}

// plainly calls f without kernels.
func plainly(f func()) {
	defer cpu.Limit(cpu.TierNone)()
	f()
}

// TestSkip passes over positions under every tier, and takes the steps at which it stops. It
// compares where positions match with plain Go.
func TestSkip(t *testing.T) {
	const n = 3000
	asmtest.EachTier(t, func(t *testing.T) {
		guard := asmtest.NewGuard(t, n)
		for k, content := range sources(n) {
			src := guard.Tail(n, 0)
			copy(src, content)
			for run := -1; run < 1; run++ {
				for depth := 1; depth < 6; depth++ {
					c := chains(src, 9, run)
					c.Window, c.Depth, c.Hurry, c.Limit, c.Recent = 511, depth, 64, n-3, [2]int{1 << 30, 100}
					other := c
					other.Heads, other.Links = slices.Clone(c.Heads), slices.Clone(c.Links)
					walk(&c)
					plainly(func() { walk(&other) })
					if !equal(&c, &other) {
						t.Fatalf("source %d, depth %d, run %d: skipping differs from plain Go", k, depth, run)
					}
				}
			}
		}
	})
}

// walk skips to the limit. Where Skip stops needlessly, it continues as Skip does.
func walk(c *hashchain.Chains) {
	for c.Next < c.Limit {
		c.Skip()
		c.Enter(min(c.At, c.Limit))
		if c.At >= c.Limit {
			break
		}
		c.Step++
		c.At++
		c.Enter(c.At)
		c.At += c.Step * c.Hurry >> 12
		if c.Run < 0 {
			c.Next = c.At
		} else {
			c.Enter(min(c.At, c.Limit))
		}
	}
}

// TestKernels inserts positions into chains and follows these, under every tier, at the ends of
// memory, and compares everything with plain Go.
func TestKernels(t *testing.T) {
	const n = 3000
	asmtest.EachTier(t, func(t *testing.T) {
		guard := asmtest.NewGuard(t, n)
		for k, content := range sources(n) {
			src := guard.Tail(n, 0)
			copy(src, content)
			r := rand.New(rand.NewPCG(3, 4))
			for _, log := range []int{9, 12} {
				c := chains(src, log, -(k & 1))
				other := chains(src, log, -(k & 1))
				for c.Next < n-3 {
					end := min(c.Next+r.IntN(50), n-3)
					c.Enter(end)
					plainly(func() { other.Enter(end) })
					if !equal(&c, &other) {
						t.Fatalf("source %d: inserting positions before %d differs from plain Go", k, end)
					}
				}
				links := c.Links
				for range 3000 {
					pos := max(1, n-len(links)+20) + r.IntN(min(n, len(links))-40)
					s := hashchain.Search{Src: src, Links: links, Pos: pos, Low: pos - r.IntN(min(pos, 9)),
						Nice: 4 << r.IntN(8), Oldest: max(0, n-len(links)), Depth: 1 + r.IntN(20)}
					s.At = pos - int(links[pos&(len(links)-1)])
					s.Length = pos - s.Low + 3 + r.IntN(3)
					s.End = min(n-1, s.Low+s.Length+1+r.IntN(100))
					other := s
					s.Run()
					plainly(other.Run)
					if s.Start != other.Start || s.Length != other.Length || s.Distance != other.Distance {
						t.Fatalf("source %d: %d: %d bytes at %d, %d back; in plain Go %d at %d, %d back", k, pos,
							s.Length, s.Start, s.Distance, other.Length, other.Start, other.Distance)
					}
				}
			}
		}
	})
}
