package zfp

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOrders checks that every coefficient has one rank, and that ranks are ordered by the sum of
// coordinates, then by the sum of their squares.
func TestOrders(t *testing.T) {
	for dims := 1; dims <= maxDims; dims++ {
		order := orders[dims]
		key := func(at byte) (k int) {
			for ; at > 0; at >>= 2 {
				x := int(at & 3)
				k += x<<8 + x*x
			}
			return k
		}
		if !slices.IsSortedFunc(order, func(a, b byte) int { return key(a) - key(b) }) {
			t.Errorf("%d dimensions: ranks do not follow frequencies", dims)
		}
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		for i, at := range sorted {
			if len(sorted) != 1<<(2*dims) || i != int(at) {
				t.Fatalf("%d dimensions: coefficient %d is missing", dims, i)
			}
		}
	}
}

// TestPlanes splits values into planes and joins those from any plane on.
func TestPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{64, 256} {
		for _, width := range []int{32, 64} {
			for first := range width {
				var c coder
				values := make([]uint64, n)
				for i := range values {
					values[i] = r.Uint64() >> (64 - width)
				}
				copy(c.values[:], values)
				c.split(n, width, first)
				for k := first; k < width; k++ {
					for i, v := range values {
						if c.planes[i/64][k]>>(i%64)&1 != v>>k&1 {
							t.Fatalf("%d values of %d bits: plane %d is wrong at %d", n, width, k, i)
						}
					}
				}
				clear(c.values[:])
				c.join(n, width, first)
				for i, v := range values {
					if c.values[i] != v>>first<<first {
						t.Fatalf("%d values of %d bits, planes from %d on: value %d is %x, was %x", n, width, first, i, c.values[i], v)
					}
				}
			}
		}
	}
}

// TestBits writes numbers of any width, takes some back, and reads them.
func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for range 200 {
		out := make([]byte, 5000)
		w := bitWriter{out: out}
		type field struct {
			v uint64
			n uint
		}
		var fields []field
		for range r.IntN(300) {
			n := uint(r.IntN(65))
			f := field{r.Uint64() & (1<<n - 1), n}
			w.put(f.v, f.n)
			if r.IntN(4) == 0 {
				begin := w.bits()
				w.zeros(r.IntN(300))
				w.put(r.Uint64(), 64)
				w.cut(begin)
			}
			fields = append(fields, f)
		}
		rd := bitReader{in: append(out[:w.close():w.at], make([]byte, 16)...)}
		for i, f := range fields {
			if v := rd.take(f.n); v != f.v {
				t.Fatalf("number %d of %d bits is %x, was %x", i, f.n, v, f.v)
			}
		}
	}
}

// TestRun reads runs of zeros, some of them cut short.
func TestRun(t *testing.T) {
	for zeros := range uint(300) {
		for _, limit := range []uint{0, 1, zeros, zeros + 1, zeros + 2, 500} {
			in := make([]byte, 100)
			in[zeros/8] = 1 << (zeros % 8)
			r := bitReader{in: in}
			got, want, end := r.run(limit), min(zeros, limit), min(zeros+1, limit)
			if got != want || r.at != end {
				t.Errorf("%d zeros, at most %d bits: %d zeros in %d bits", zeros, limit, got, r.at)
			}
		}
	}
}
