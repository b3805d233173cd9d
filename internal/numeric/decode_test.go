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
