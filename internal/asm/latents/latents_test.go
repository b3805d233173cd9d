package latents

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

func TestSymbols(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkSymbols[uint8](t)
		checkSymbols[uint16](t)
		checkSymbols[uint32](t)
		checkSymbols[uint64](t)
	})
}

// drawn returns random bits, in memory that faults behind what may be read.
func drawn(t *testing.T, r *rand.Rand, bits int) []byte {
	size := (bits+7)/8 + Slack
	src := asmtest.NewGuard(t, size).Tail(size, 0)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	return src
}

// take returns n bits of a stream, taken one by one.
func take(src []byte, at uint, n int) uint64 {
	v := uint64(0)
	for k := range n {
		bit := at + uint(k)
		v |= uint64(src[bit/8]>>(bit%8)&1) << k
	}
	return v
}

// checkSymbols decodes with any nodes, one latent after the other.
func checkSymbols[L Latent](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	table := new(Table[L])
	for i := range 300 {
		table.Lowers = append(table.Lowers, L(uint64(i)*0x9e3779b97f4a7c15))
	}
	wide := unsafe.Sizeof(L(0)) == 8
	for _, n := range []int{1, 3, 4, 5, 8, 100, 255, 256} {
		for _, most := range []int{1, 5, 14} {
			src := drawn(t, r, 7+n*14)
			for i := range 1 << most {
				read := r.IntN(most + 1)
				bin := r.Uint32()
				if wide {
					bin %= uint32(len(table.Lowers))
				}
				table.Nodes[i] = NodeOf(read, r.IntN(65), r.IntN(1<<most-1<<read+1), bin)
			}

			at := uint(r.IntN(8))
			want := at
			var states [turn]uint32
			for i := range states {
				states[i] = uint32(r.IntN(1 << most))
			}
			table.States = states
			var got, plain Batched[L]
			for i := range n {
				d := table.Nodes[states[i%turn]]
				plain.Latents[i] = L(d >> 32)
				if wide {
					plain.Latents[i] = table.Lowers[d>>32]
				}
				plain.Widths[i] = uint16(d)
				read := int(d & 255)
				states[i%turn] = uint32(d>>16&0xffff) + uint32(take(src, want, read))
				want += uint(read)
			}

			if end := table.Symbols(&got, n, src, at); end != want {
				t.Fatalf("%T: %d symbols end at %d, not %d", L(0), n, end, want)
			}
			if got != plain || table.States != states {
				t.Fatalf("%T: other symbols, of %d", L(0), n)
			}
		}
	}
}

func TestOffsets(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkOffsets[uint8](t)
		checkOffsets[uint16](t)
		checkOffsets[uint32](t)
		checkOffsets[uint64](t)
	})
}

// checkOffsets adds offsets of all widths.
func checkOffsets[L Latent](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	for widest := 1; widest <= int(unsafe.Sizeof(L(0)))*8; widest++ {
		for _, n := range []int{1, 3, 4, 7, 256} {
			src := drawn(t, r, 7+n*widest)
			at := uint(r.IntN(8))
			want := at
			var got Batched[L]
			for i := range got.Latents {
				got.Latents[i] = L(r.Uint64())
				got.Widths[i] = uint16(min(r.IntN(widest+3), widest))<<8 | uint16(r.IntN(15))
			}
			plain := got
			for i := range n {
				width := int(plain.Widths[i] >> 8)
				plain.Latents[i] += L(take(src, want, width))
				want += uint(width)
			}

			if end := got.Offsets(n, widest, src, at); end != want {
				t.Fatalf("%T: %d offsets of up to %d bits end at %d, not %d", L(0), n, widest, end, want)
			}
			if got != plain {
				t.Fatalf("%T: other latents, of %d with offsets of up to %d bits", L(0), n, widest)
			}
		}
	}
}
