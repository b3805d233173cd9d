package codecs

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"

	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// TestNumericBits compares the bits of items with where they should be.
func TestNumericBits(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, size := range []int{1, 2, 3, 4, 8, 12, 255} {
			for _, items := range []int{1, 7, 8, 30, 512, 1100} {
				src := make([]byte, items*size)
				for i := range src {
					src[i] = byte(rng.Uint32())
				}
				dst := make([]byte, len(src))
				shuffleBits(dst, src, size)
				checkBits(t, dst, src, size)

				back := make([]byte, len(src))
				unshuffleBits(back, dst, size)
				if !bytes.Equal(back, src) {
					t.Fatalf("%d items of %d bytes changed", items, size)
				}
			}
		}
	})
}

func checkBits(t *testing.T, dst, src []byte, size int) {
	t.Helper()
	items := len(src) / size &^ 7
	for i := range items {
		for bit := range 8 * size {
			want := src[i*size+bit/8] >> (bit % 8) & 1
			if got := dst[bit*items/8+i/8] >> (i % 8) & 1; got != want {
				t.Fatalf("bit %d of item %d of %d is %d", bit, i, items, got)
			}
		}
	}
	if !bytes.Equal(dst[items*size:], src[items*size:]) {
		t.Fatal("the last items changed")
	}
}

// TestNumericPage decodes the streams with methods in docs/format/numeric.md.
func TestNumericPage(t *testing.T) {
	page, err := os.ReadFile("../docs/format/numeric.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?m)^. `([0-9a-f]+)` . `([0-9a-f]+)` .$").FindAllSubmatch(page, -1)
	if len(found) == 0 {
		t.Fatal("no streams in the page")
	}

	for _, f := range found {
		stream, err1 := hex.DecodeString(string(f[1]))
		want, err2 := hex.DecodeString(string(f[2]))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		d, err := newNumericDecoder(Params{})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if err := d.Decode(got, stream); err != nil || !bytes.Equal(got, want) {
			t.Errorf("method %d: %x, error %v; want %x", stream[0], got, err, want)
		}
	}
}
