package bins

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// coder returns a coder of n symbols with random weights and 1<<log states.
func coder(rng *rand.Rand, n, log int) *Coder {
	c := &Coder{}
	size := 1 << log
	from := 0
	for i := range n {
		weight := size/n + rng.IntN(2)
		if i == n-1 || from+weight > size-(n-1-i) {
			weight = size - from - (n - 1 - i)
		}
		if i < n-1 {
			weight = max(1, weight-rng.IntN(weight))
		}
		most := log - bits.Len(uint(2*weight-1)) + 2
		c.Symbols = append(c.Symbols, Symbol{uint32(most<<16 - weight<<most), int32(from - weight)})
		from += weight
	}
	for i := range size {
		c.Table[i] = uint16(size + rng.IntN(size))
	}
	for i := range c.States {
		c.States[i] = uint32(size + rng.IntN(size))
	}
	return c
}

// TestEncode compares each tier with plain Go.
func TestEncode(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			log := 1 + rng.IntN(13)
			c := coder(rng, 1+rng.IntN(min(1<<log, 300)), log)
			symbols := make([]uint16, rng.IntN(600))
			for i := range symbols {
				symbols[i] = uint16(rng.IntN(len(c.Symbols)))
			}
			want := make([]uint32, len(symbols))
			plain := *c
			for i := len(symbols) - 1; i >= 0; i-- {
				want[i] = plain.code(&plain.States[i%Lanes], symbols[i])
			}

			got := make([]uint32, len(symbols))
			c.Encode(got, symbols)
			if !slices.Equal(got, want) || c.States != plain.States {
				t.Fatalf("%d symbols of %d, 1<<%d states: other codes or states", len(symbols), len(c.Symbols), log)
			}
		}
	})
}

// TestWriter compares each tier with bits that are put one after the other.
func TestWriter(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for range 200 {
			states := make([]uint32, rng.IntN(300))
			for i := range states {
				length := rng.Uint32N(15)
				states[i] = rng.Uint32()&(1<<length-1) | length<<16
			}
			check(t, rng, func(w *Writer) { w.States(states) }, func(w *Writer) {
				for _, s := range states {
					w.put(uint64(s&0xffff), uint(s>>16))
				}
			})
			checkOffsets[uint8](t, rng)
			checkOffsets[uint16](t, rng)
			checkOffsets[uint32](t, rng)
			checkOffsets[uint64](t, rng)
		}
	})
}

// check compares what two functions write.
func check(t *testing.T, rng *rand.Rand, do, plainly func(w *Writer)) {
	t.Helper()
	word := uint64(0)
	used := rng.UintN(8)
	if used > 0 {
		word = rng.Uint64N(1 << used)
	}

	var all [2][]byte
	var left [2]Writer
	for i, do := range []func(w *Writer){do, plainly} {
		dst := make([]byte, 300*8+64)
		w := &Writer{Dst: dst, Word: word, Used: used}
		do(w)
		all[i] = dst[:len(dst)-len(w.Dst)]
		left[i] = *w
	}
	if !bytes.Equal(all[0], all[1]) || left[0].Word != left[1].Word || left[0].Used != left[1].Used {
		t.Fatalf("%d bytes and %d bits, want %d and %d, or others", len(all[0]), left[0].Used, len(all[1]), left[1].Used)
	}
}

// checkOffsets packs latents of bins of any width.
func checkOffsets[L Latent](t *testing.T, rng *rand.Rand) {
	t.Helper()
	n := 1 + rng.IntN(300)
	most := rng.IntN(int(unsafe.Sizeof(L(0)))*8 + 1)
	var lowers []L
	var lengths []uint8
	widest := 0
	for range n {
		length := rng.IntN(most + 1)
		lowers = append(lowers, L(rng.Uint64()))
		lengths = append(lengths, uint8(length))
		widest = max(widest, length)
	}

	latents := make([]L, rng.IntN(300))
	symbols := make([]uint16, len(latents))
	for i := range latents {
		s := rng.IntN(n)
		symbols[i] = uint16(s)
		offset := rng.Uint64()
		if lengths[s] < 64 {
			offset &= 1<<lengths[s] - 1
		}
		offset = min(offset, uint64(^lowers[s]))
		latents[i] = lowers[s] + L(offset)
	}
	check(t, rng, func(w *Writer) { Offsets(w, latents, symbols, lowers, lengths, widest) }, func(w *Writer) {
		offsets(w, latents, symbols, lowers, lengths)
	})
}

// TestLengths compares each tier with lengths of one latent after the other.
func TestLengths(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for range 200 {
			checkLengths[uint8](t, rng)
			checkLengths[uint16](t, rng)
			checkLengths[uint32](t, rng)
			checkLengths[uint64](t, rng)
		}
	})
}

func checkLengths[L Latent](t *testing.T, rng *rand.Rand) {
	t.Helper()
	out := make([][Part]uint8, rng.IntN(9))
	latents := make([]L, len(out)*Part)
	for i := range latents {
		latents[i] = L(rng.Uint64()>>rng.IntN(64)) ^ L(rng.Uint64()<<63>>(64-8*unsafe.Sizeof(L(0))))
		if rng.IntN(2) == 0 {
			latents[i] = ^latents[i]
		}
	}
	Lengths(out, latents)
	for i, got := range out {
		var want [Part]uint8
		for j, l := range latents[i*Part:][:Part] {
			d := int64(uint64(l^(^L(0)>>1+1))<<(64-8*unsafe.Sizeof(l))) >> (64 - 8*unsafe.Sizeof(l))
			if d < 0 {
				d = -1 - d
			}
			want[j] = uint8(bits.Len64(uint64(d)))
		}
		slices.Sort(got[:])
		slices.Sort(want[:])
		if got != want {
			t.Fatalf("lengths of %T: %v, want %v", latents, got, want)
		}
	}
}
