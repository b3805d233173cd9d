package deflate

import "github.com/cairn-go/cairn/internal/asm/hashchain"

// skip inserts the positions from i at which find would find nothing, and returns the first other
// one, or one at limit or behind it. Most positions of noisy bytes are like that.
func (f *finder) skip(i, step, limit int) (int, int) {
	a := &f.all
	a.Next = i
	a.Step = step
	a.Limit = limit

	for k := range a.Recent {
		a.Recent[k] = noDistance
	}

	copy(a.Recent[:], f.tried)
	a.Skip()
	f.next = max(f.next, a.At)
	return a.At, a.Step
}

// prepare prepares the chains for src.
func (f *finder) prepare(src []byte, e *effort) {
	f.all = hashchain.Chains{Src: src, Heads: f.head[:], Links: f.links[:], Base: int(f.base), Run: -1,
		Window: maxDistance - 1, Depth: e.depth, Hurry: e.hurry}
}
