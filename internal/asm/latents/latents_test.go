package latents

import (
	"math/rand/v2"
	"slices"
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
	for _, n := range []int{1, 3, 4, 5, 8, 100, 255, 256} {
		for _, most := range []int{1, 5, 14} {
			src := drawn(t, r, 7+n*14)
			for i := range 1 << most {
				read := r.IntN(most + 1)
				table.Nodes[i] = NodeOf(read, r.IntN(65), r.IntN(1<<most-1<<read+1), r.Uint32())
			}

			at := uint(r.IntN(8))
			want := at
			var states [turn]uint32
			for i := range states {
				states[i] = uint32(r.IntN(1 << most))
			}
			table.States = states
			var got, plain [Batch]Node
			for i := range n {
				d := table.Nodes[states[i%turn]]
				plain[i] = d
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

func TestLatents(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkLatents[uint8](t)
		checkLatents[uint16](t)
		checkLatents[uint32](t)
		checkLatents[uint64](t)
	})
}

// checkLatents makes latents with offsets of all widths, and without.
func checkLatents[L Latent](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	size := int(unsafe.Sizeof(L(0)))
	table := new(Table[L])
	for range 300 {
		table.Lowers = append(table.Lowers, L(r.Uint64()))
	}
	for turn := range 2 * (size*8 + 1) {
		widest := turn / 2
		table.Near = size == 8 && turn%2 > 0 && widest <= 32
		table.Base = L(r.Uint64())
		for _, n := range []int{1, 3, 4, 7, 16, 33, 256} {
			src := drawn(t, r, 7+n*widest)
			at := uint(r.IntN(8))
			want := at
			memory := asmtest.NewGuard(t, n*8).Tail(n*8, 0)
			nodes := unsafe.Slice((*Node)(unsafe.Pointer(unsafe.SliceData(memory))), n)
			plain := make([]L, n)
			for i := range nodes {
				bin := r.IntN(len(table.Lowers))
				plain[i] = table.Lowers[bin]
				number := uint32(bin)
				if table.Near {
					plain[i] = table.Base + L(uint64(plain[i])>>32)
					number = uint32(plain[i] - table.Base)
				}
				if size < 8 {
					number = uint32(plain[i])
				}
				width := min(r.IntN(widest+3), widest)
				nodes[i] = NodeOf(r.IntN(15), width, r.IntN(1<<16), number)
				plain[i] += L(take(src, want, width))
				want += uint(width)
			}

			for _, length := range []int{0, 1, 4, 8, 13, 64} {
				memory = asmtest.NewGuard(t, n*size).Tail(n*size, 0)
				got := unsafe.Slice((*L)(unsafe.Pointer(unsafe.SliceData(memory))), n)
				places := PlacesIn(got)
				order := make([]int, 0, n)
				if length > 0 {
					segments := make([]uint32, (n+length-1)/length)
					for i, k := range r.Perm(len(segments)) {
						segments[i] = uint32(k)
						for j := k * length; j < min(n, (k+1)*length); j++ {
							order = append(order, j)
						}
					}
					places = PlacesOf(got, segments, length)
				}

				end := table.Latents(&places, nodes[:n/3], widest, src, at)
				end = table.Latents(&places, nodes[n/3:], widest, src, end)
				if end != want {
					t.Fatalf("%T: %d offsets of up to %d bits end at %d, not %d", L(0), n, widest, end, want)
				}
				for i, l := range plain {
					at := i
					if length > 0 {
						at = order[i]
					}
					if got[at] != l {
						t.Fatalf("%T: latent %d of %d in segments of %d, with offsets of up to %d bits, is %#x, not %#x",
							l, i, n, length, widest, got[at], l)
					}
				}
			}
		}
	}
}

// TestNext decodes batches one after the other with states in between, and apart.
func TestNext(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		checkNext[uint8](t)
		checkNext[uint16](t)
		checkNext[uint32](t)
		checkNext[uint64](t)
	})
}

func checkNext[L Latent](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	size := int(unsafe.Sizeof(L(0)))
	table := new(Table[L])
	for range 300 {
		table.Lowers = append(table.Lowers, L(r.Uint64()))
	}
	for turn := range 2 * (size*8 + 1) {
		widest := turn / 2
		table.Near = size == 8 && turn%2 > 0 && widest <= 32
		table.Base = L(r.Uint64())
		for i := range 512 {
			read := r.IntN(10)
			bin := r.Uint32()
			if size == 8 && !table.Near {
				bin %= 300
			}
			table.Nodes[i] = NodeOf(read, r.IntN(widest+1), r.IntN(512-1<<read+1), bin)
		}

		for _, length := range []int{0, 7, 8, 32, 512} {
			const batches = 4
			n := batches*Batch + r.IntN(50)
			src := drawn(t, r, 7+n*(widest+9)+Batch*14)
			var want, got [batches * Batch]L
			var nodes [Batch]Node
			begin := [4]uint32{r.Uint32N(512), r.Uint32N(512), r.Uint32N(512), r.Uint32N(512)}
			places := func(dst []L) Places[L] {
				if length == 0 {
					return PlacesIn(dst)
				}
				segments := make([]uint32, (len(dst)+length-1)/length)
				for i := range segments {
					segments[i] = uint32(i)
				}
				return PlacesOf(dst, segments, length)
			}

			table.States = begin
			apart := places(want[:])
			at := uint(turn % 8)
			for range batches {
				at = table.Symbols(&nodes, Batch, src, at)
				at = table.Latents(&apart, nodes[:], widest, src, at)
			}

			table.States = begin
			together := places(got[:])
			next := table.Symbols(&nodes, Batch, src, uint(turn%8))
			width := Widths(nodes[:])
			for range batches - 1 {
				next, width = table.Next(&together, &nodes, widest, src, next, width)
			}
			end := table.Latents(&together, nodes[:], widest, src, next)
			if end != at || got != want {
				t.Fatalf("%T: offsets of up to %d bits in segments of %d: the end is %d, not %d, or other latents",
					L(0), widest, length, end, at)
			}
		}
	}
}

// TestLoad puts numbers into segments of a slice.
func TestLoad(t *testing.T) {
	src := []byte{1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1}
	got := make([]uint16, 7)
	places := PlacesOf(got, []uint32{2, 0, 1}, 3)
	places.Load(2, src, 1<<8)
	places.Load(5, src[4:], 1<<8)
	if want := []uint16{0x202, 0x203, 0x204, 0x205, 0x206, 0x207, 0x201}; !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}
