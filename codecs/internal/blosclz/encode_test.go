package blosclz

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// sample returns n bytes with matches of all kinds: near and far, short and long, overlapping and
// not.
func sample(n int) []byte {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	b := make([]byte, 0, n)
	for len(b) < n {
		switch k := 1 + r.IntN(300); {
		case len(b) == 0 || r.IntN(4) == 0:
			for range min(k, 60) {
				b = append(b, byte(r.Uint32()))
			}
		case r.IntN(3) == 0:
			b = append(b, bytes.Repeat(b[len(b)-1:], k)...)
		default:
			from := r.IntN(len(b))
			b = append(b, b[from:min(len(b), from+k)]...)
		}
	}
	return b[:n]
}

func TestRoundTrip(t *testing.T) {
	for level := -1; level <= 10; level++ {
		e := NewEncoder(level)
		for _, n := range []int{16, 17, 27, 28, 29, 100, 1023, 1024, 9000, 70_000, 250_000} {
			src := sample(n)
			dst := make([]byte, n+n/8)
			size := e.Encode(dst, src)
			if size == 0 {
				if n >= 9000 && level != 0 {
					t.Errorf("level %d gives up on %d bytes", level, n)
				}
				continue
			}
			if dst[0]>>5 != 1 {
				t.Errorf("level %d: the first token is %#x, without its mark", level, dst[0])
			}
			got := make([]byte, n)
			if err := Decode(got, dst[:size]); err != nil || !bytes.Equal(got, src) {
				t.Fatalf("level %d: %d bytes do not come back from %d: %v", level, n, size, err)
			}
			if want, ok := reference(dst[:size], n); !ok || !bytes.Equal(want, src) {
				t.Fatalf("level %d: the reference does not get %d bytes back", level, n)
			}
		}
	}
}

// TestRoom encodes into exactly as many bytes as needed, and into one less.
func TestRoom(t *testing.T) {
	src := sample(20_000)
	for level := 1; level <= 9; level++ {
		e := NewEncoder(level)
		size := e.Encode(make([]byte, 2*len(src)), src)
		if got := e.Encode(make([]byte, size), src); got != size {
			t.Errorf("level %d: %d bytes of output do not fit into as many", level, size)
		}
		if got := e.Encode(make([]byte, size-1), src); got != 0 {
			t.Errorf("level %d: %d bytes of output fit into %d", level, size, size-1)
		}
	}
}

// TestGivesUp checks that the encoder gives up on too few bytes and on noise.
func TestGivesUp(t *testing.T) {
	noise := make([]byte, 100_000)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for level := range 10 {
		e := NewEncoder(level)
		dst := make([]byte, 2*len(noise))
		if n := e.Encode(dst, noise); n != 0 {
			t.Errorf("level %d makes %d bytes of noise into %d", level, len(noise), n)
		}
		if n := e.Encode(dst, make([]byte, minSource-1)); n != 0 {
			t.Errorf("level %d makes %d zeros into %d", level, minSource-1, n)
		}
		if n := e.Encode(nil, make([]byte, 100)); n != 0 {
			t.Errorf("level %d needs no room for %d bytes", level, n)
		}
	}
}

// TestAging sets the positions in the table close to overflow, which normally takes 2 GiB of input,
// and compares the output with that of a new encoder.
func TestAging(t *testing.T) {
	src := sample(5000)
	want := make([]byte, len(src))
	want = want[:NewEncoder(5).Encode(want, src)]
	for _, left := range []uint32{0, 1, 100, 4999, 5000, 5001, 9999, 10_001} {
		e := NewEncoder(5)
		dst := make([]byte, len(src))
		e.Encode(dst, sample(6000))
		e.base = 1<<31 - 1 - left
		e.Encode(dst, sample(4000))
		for range 3 {
			if n := e.Encode(dst, src); !bytes.Equal(dst[:n], want) {
				t.Errorf("%d bytes before the wrap: %d bytes of output differ from a new encoder's %d", left, n, len(want))
			}
		}
	}
}

// TestLongestDistances encodes matches at the limits of near and far matches.
func TestLongestDistances(t *testing.T) {
	phrase := []byte("a phrase that occurs twice, and nothing like it between")
	for _, distance := range []int{maxNear - 1, maxNear, maxNear + 1, maxFar - 1, maxFar, maxFar + 1} {
		src := append([]byte(nil), phrase...)
		src = append(src, make([]byte, distance-len(phrase))...)
		src = append(src, phrase...)
		src = append(src, make([]byte, 50)...)
		dst := make([]byte, len(src))
		size := NewEncoder(9).Encode(dst, src)
		got := make([]byte, len(src))
		if err := Decode(got, dst[:size]); err != nil || !bytes.Equal(got, src) {
			t.Errorf("distance %d: %v", distance, err)
		}
		again := bytes.Count(dst[:size], phrase[:20])
		if want := 1 + distance/(maxFar+1); again != want {
			t.Errorf("distance %d: the phrase is spelled out %d times, want %d", distance, again, want)
		}
	}
}

func TestAllocations(t *testing.T) {
	src := sample(50_000)
	e, dst, back := NewEncoder(5), make([]byte, 50_000), make([]byte, 50_000)
	size := 0
	if n := testing.AllocsPerRun(5, func() { size = e.Encode(dst, src) }); n != 0 {
		t.Errorf("Encode allocates %v times", n)
	}
	if n := testing.AllocsPerRun(5, func() {
		if err := Decode(back, dst[:size]); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("Decode allocates %v times", n)
	}
}
