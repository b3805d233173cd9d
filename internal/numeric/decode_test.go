package numeric

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestSpread compares blocks with boxes in them with what rows says of the place of each row.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		shape := make([]int, r.IntN(4))
		used := make([]int, len(shape))
		for a := range shape {
			shape[a] = 1 + r.IntN(5)
			used[a] = shape[a] - r.IntN(2)*r.IntN(shape[a]+1)
		}
		size := 1 << r.IntN(4)
		block := make([]byte, count(shape)*size)
		for i := range block {
			block[i] = byte(r.Uint32())
		}

		items := bytes.Clone(block)
		want := make([]byte, len(block))
		rows(shape, used, func(at, n int) bool {
			copy(want[at*size:(at+n)*size], items)
			items = items[n*size:]
			return true
		})
		if spread(block, shape, used, size); !bytes.Equal(block, want) {
			t.Fatalf("%d of %d items are other ones, of %d bytes", used, shape, size)
		}
	}
}

// TestPlaces decodes into memory that begins anywhere.
func TestPlaces(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		items := make([]byte, 700*size)
		for i := range items[:650*size] {
			items[i] = byte(i / size * i % 7)
		}
		stream := NewEncoder(size, []int32{7, 100}, 5).Append(nil, items, nil)
		for begin := range 9 {
			got := make([]byte, begin+len(items))
			if err := new(Decoder).Decode(got[begin:], stream); err != nil || !bytes.Equal(got[begin:], items) {
				t.Errorf("items of %d bytes, from byte %d: error %v, or they changed", size, begin, err)
			}
		}
	}
}

// TestRange decodes parts of blocks into as much memory as these have, and into less.
func TestRange(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, b := range blocks() {
		stream := NewEncoder(b.size, b.shape, 5).Append(nil, b.items, nil)
		n := len(b.items)
		for i := range 40 {
			lo := r.IntN(n)
			hi := lo + 1 + r.IntN(n-lo)
			if i == 0 {
				lo, hi = 0, n
			}
			for _, room := range []int{n, hi} {
				got := make([]byte, room)
				err := new(Decoder).DecodeRange(got, stream, lo, hi)
				if err != nil || !bytes.Equal(got[lo:hi], b.items[lo:hi]) {
					t.Fatalf("%s %d: bytes %d to %d of %d: error %v, or they changed", b.name, b.shape, lo, hi, n, err)
				}
			}
		}
		if err := new(Decoder).DecodeRange(make([]byte, n+1), stream, 0, n+1); err == nil {
			t.Errorf("%s %d: one more byte than there is", b.name, b.shape)
		}
	}
}
