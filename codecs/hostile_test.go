package codecs_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

var hostile = flag.Int("hostile", 4000, "damaged streams for each decoder")

// TestHostileStreams decodes damaged streams in guarded memory: a byte read or written beyond the
// stream or the output faults.
//
//	go test ./codecs -run HostileStreams -hostile 1000000
func TestHostileStreams(t *testing.T) {
	for _, row := range plainCodecs() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			dec, err := row.NewDecoder(codecs.Params{TypeSize: 4})
			if err != nil {
				t.Fatal(err)
			}
			streams, sizes := soundStreams(t, row)
			in, out := asmtest.NewGuard(t, mostHostile), asmtest.NewGuard(t, mostHostile)
			r := rand.New(rand.NewPCG(uint64(row.ID), 1))
			accepted := 0
			for i := range *hostile {
				k := r.IntN(len(streams))
				bad := damage(r, streams[k], streams[r.IntN(len(streams))])
				n := sizes[k]
				if r.IntN(4) == 0 {
					n = max(0, min(n+r.IntN(65)-32, mostHostile))
				}
				src, dst := place(in, i, len(bad)), place(out, i>>1, n)
				copy(src, bad)
				if dec.Decode(dst, src) == nil {
					accepted++
				}
				if !out.Intact() || !in.Intact() {
					t.Fatalf("stream %d (%x) wrote beside its %d bytes", i, bad, n)
				}
				if part, ok := dec.(codecs.RangeDecoder); ok {
					if err := part.DecodeRange(place(out, i>>1, n/2), src, 0, n/2); !out.Intact() {
						t.Fatalf("stream %d (%x) wrote beside the first %d bytes (%v)", i, bad, n/2, err)
					}
				}
			}
			if accepted == 0 || accepted == *hostile {
				t.Errorf("%d of %d streams were accepted; some should be and some not", accepted, *hostile)
			}
		})
	}
}

const mostHostile = 6000

func place(g *asmtest.Guard, at, size int) []byte {
	if at&1 == 0 {
		return g.Head(size, 0)
	}
	return g.Tail(size, 0)
}

// soundStreams encodes every kind of data in several sizes and levels.
func soundStreams(t *testing.T, row codecs.Row) (streams [][]byte, sizes []int) {
	for _, level := range []int{1, 5, 9} {
		enc, err := row.NewEncoder(codecs.Params{Level: level, TypeSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range codectest.Kinds() {
			for _, n := range []int{40, 300, 1500, 5000} {
				dst := make([]byte, mostHostile)
				if size := mustEncode(t, enc, dst, kind.Make(n)); size > 0 {
					streams, sizes = append(streams, dst[:size]), append(sizes, n)
				}
			}
		}
	}
	return streams, sizes
}

// damage returns a copy of a stream that is modified in one to four places, truncated, spliced with
// another, or replaced by noise.
func damage(r *rand.Rand, sound, other []byte) []byte {
	b := append([]byte(nil), sound...)
	switch r.IntN(16) {
	case 0:
		b = b[:r.IntN(len(b)+1)]
	case 1:
		b = append(b[:r.IntN(len(b)+1)], other[r.IntN(len(other)+1):]...)
	case 2:
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	case 3:
		from := r.IntN(len(b))
		b = append(b[:from:from], sound[r.IntN(len(sound)):]...)
	}
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			break
		}
		at := r.IntN(len(b))
		if r.IntN(2) == 0 {
			at = min(at, r.IntN(20)) // headers and tables are at the beginning
		}
		switch r.IntN(4) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			b[at] = []byte{0, 1, 0x0f, 0x7f, 0x80, 0xf0, 0xff}[r.IntN(7)]
		default:
			b[at]++
		}
	}
	return b[:min(len(b), mostHostile)]
}
