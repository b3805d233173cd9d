package zstd_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/zstd"
	reference "github.com/klauspost/compress/zstd"
)

func TestEncode(t *testing.T) {
	lib, err := reference.NewReader(nil, reference.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	d := decoder(t)
	for level := range 10 {
		e := zstd.NewEncoder(level)
		for i, s := range samples() {
			for _, n := range []int{0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1000, 2047, 4096, 8191, 20_000, 65791, 65792, 131071, 131073, 300_000} {
				if large := n > 1<<13; large && level > 5 && (n != 131073 || i%3 != level%3) {
					continue // slow, and smaller sources cover the same code
				}
				src := s.make(n)
				dst := make([]byte, n+n/8+100)
				size := e.Encode(dst, src)
				what := fmt.Sprintf("level %d, %d bytes of %s in %d", level, n, s.name, size)
				if size == 0 || size > n+3*(n/(128<<10)+1)+16 {
					t.Fatal(what)
				}
				mustDecode(t, d, dst[:size], src, what)
				if got, err := lib.DecodeAll(dst[:size], nil); err != nil || !bytes.Equal(got, src) {
					t.Fatalf("%s: the library says %v", what, err)
				}
			}
		}
	}
}

// TestEncodeRows checks that a block of a frame has bytes of one row only: rows of noise about
// different bytes need tables of their own, and are larger in one block.
func TestEncodeRows(t *testing.T) {
	const row = 10_000
	src := make([]byte, 0, 4*row+77)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range cap(src) {
		src = append(src, byte(i/row*64+rng.IntN(16)))
	}

	e := zstd.NewEncoder(5)
	dst := make([]byte, len(src))
	whole := e.Encode(dst, src)
	n := e.EncodeRows(dst, src, row)
	mustDecode(t, decoder(t), dst[:n], src, "rows")
	if n == 0 || n > whole*3/4 {
		t.Errorf("%d bytes in rows, %d in one", n, whole)
	}
	if again := e.Encode(dst, src); again != whole {
		t.Errorf("%d bytes in one after rows, %d before", again, whole)
	}
}
