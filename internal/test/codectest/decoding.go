package codectest

import (
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// truncated decodes truncated streams. No proper prefix of a stream decodes to the same length.
func truncated(t *testing.T, row codecs.Row) {
	p := newPair(t, row, 5)
	for _, kind := range Kinds() {
		for _, n := range []int{50, 3000} {
			stream := p.encode(t, kind.Make(n), ample(n))
			for keep := 0; keep < len(stream); keep += 1 + len(stream)/300 {
				// A copy of its own, so that reading on would find other bytes than those cut off.
				if _, err := p.decode(t, append([]byte(nil), stream[:keep]...), n); err == nil {
					t.Errorf("%s: the first %d of %d bytes of a stream of %s decode", row.Name, keep, len(stream), kind.Name)
				}
			}
		}
	}
}

// damaged decodes streams with flipped bits, replaced bytes, and random bytes. They may decode
// without an error, but the guards of [pair.decode] must hold and a valid stream must still decode
// afterwards.
func damaged(t *testing.T, row codecs.Row) {
	r := rand.New(rand.NewPCG(1, 2))
	p := newPair(t, row, 5)
	for _, kind := range Kinds() {
		src := kind.Make(2500)
		stream := p.encode(t, src, ample(len(src)))
		if stream == nil {
			continue
		}

		for try := range 400 {
			bad := append([]byte(nil), stream...)
			for range 1 + try%3 {
				at := r.IntN(len(bad))
				if try%2 == 0 {
					at = r.IntN(min(len(bad), 24)) // where headers are
				}
				if try%5 == 0 {
					bad[at] = byte(r.Uint32())
				} else {
					bad[at] ^= 1 << r.IntN(8)
				}
			}

			for _, n := range []int{len(src), r.IntN(2 * len(src))} {
				if _, err := p.decode(t, bad, n); err != nil && err.Error() == "" {
					t.Fatalf("%s: an error without a text", row.Name)
				}
			}
		}

		p.mustDecode(t, stream, src, "after damage, "+kind.Name)
	}

	for range 2000 {
		noise := make([]byte, r.IntN(200))
		fill(noise, func(int) byte { return byte(r.Uint32()) })
		if _, err := p.decode(t, noise, r.IntN(500)); err != nil && err.Error() == "" {
			t.Fatalf("%s: an error without a text", row.Name)
		}
	}
}
