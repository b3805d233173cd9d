package codecs_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

func numericRow(t *testing.T) codecs.Row {
	t.Helper()
	row, err := (*codecs.Registry)(nil).Lookup(codecs.Numeric.ID())
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// TestNumeric encodes blocks by each method, and decodes them.
func TestNumeric(t *testing.T) {
	row := numericRow(t)
	smooth := make([]byte, 0, 1<<16)
	for i := range 1 << 14 {
		smooth = binary.LittleEndian.AppendUint32(smooth, math.Float32bits(float32(math.Sin(float64(i)/500))))
	}
	walk := make([]byte, 0, 1<<16)
	steps := rand.New(rand.NewPCG(3, 4))
	for at := 0.0; len(walk) < 1<<16; at += 30 * steps.NormFloat64() {
		walk = binary.LittleEndian.AppendUint16(walk, uint16(int32(at)))
	}
	text := bytes.Repeat([]byte("text that repeats, and repeats, "), 1<<9)
	kinds := codectest.Kinds()
	rng := rand.New(rand.NewPCG(1, 2))
	flags := make([]byte, 0, 12001)
	planes := make([]byte, 0, 1<<16)
	slopes := make([]byte, 0, 3<<13)
	for range 3000 {
		// Bits of an item do not depend on each other.
		flags = binary.LittleEndian.AppendUint32(flags, rng.Uint32()&0x00100401)
	}
	for i := range 1 << 13 {
		planes = binary.LittleEndian.AppendUint64(planes, uint64(rng.IntN(9)*31)<<8|uint64(i/99)<<32)
		slopes = append(slopes, byte(i*i>>9), byte(i*7), byte(rng.IntN(3)+i))
	}

	tests := []struct {
		name    string
		size    int
		src     []byte
		methods []byte
	}{
		{"numbers", 4, smooth, []byte{3, 5}},
		{"numbers in digits", 2, walk, []byte{5}},
		{"text", 1, text, []byte{0}},
		{"text as numbers", 4, text, []byte{0, 1}},
		{"flags", 4, flags, []byte{4}},
		{"flags in structs", 12, flags, []byte{4}},
		{"bytes in items", 8, planes, []byte{1}},
		{"slopes in items", 3, slopes, []byte{2}},
		{"structs", 12, kinds[3].Make(12 << 9), []byte{0, 1, 2, 4}},
		{"large structs", 300, kinds[3].Make(30 << 8), []byte{0}},
	}
	for _, test := range tests {
		for _, level := range []int{1, 5} {
			p := codecs.Params{Level: level, TypeSize: test.size, Meta: codecs.Numeric.Parameter()}
			e, err := row.NewEncoder(p)
			if err != nil {
				t.Fatal(err)
			}
			d, err := row.NewDecoder(p)
			if err != nil {
				t.Fatal(err)
			}

			stream := make([]byte, len(test.src))
			n, err := e.Encode(stream, test.src)
			if err != nil || n == 0 {
				t.Fatalf("%s: %d bytes, error %v", test.name, n, err)
			}
			if !bytes.Contains(test.methods, stream[:1]) {
				t.Errorf("%s: method %d, want one of %d", test.name, stream[0], test.methods)
			}
			got := make([]byte, len(test.src))
			if err := d.Decode(got, stream[:n]); err != nil || !bytes.Equal(got, test.src) {
				t.Errorf("%s: error %v, or items changed", test.name, err)
			}
			if m, err := e.Encode(stream[:n-1], test.src); err != nil || m >= n {
				t.Errorf("%s: %d bytes in %d, error %v", test.name, m, n-1, err)
			}
		}
	}
}

// TestNumericNames checks that the codec goes by its name and its version.
func TestNumericNames(t *testing.T) {
	for _, text := range []string{"numeric", "NUMERIC", "numeric:1"} {
		if c, err := codecs.ParseCodec(text, nil); err != nil || c != codecs.Numeric {
			t.Errorf("%q is %v, error %v", text, c, err)
		}
	}
	if s := codecs.Numeric.String(); s != "numeric" {
		t.Errorf("the name is %q", s)
	}
	if _, err := numericRow(t).NewDecoder(codecs.Params{TypeSize: 4, Meta: 2}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("version 2: error %v, want one that matches ErrUnsupported", err)
	}
}

// TestOwnCodecInPlaceOfNumeric checks that a caller may have used the id before.
func TestOwnCodecInPlaceOfNumeric(t *testing.T) {
	reg := new(codecs.Registry)
	if err := reg.Add(reversalRow(codecs.Numeric.ID(), "backwards")); err != nil {
		t.Fatal(err)
	}
	if row, err := reg.Lookup(codecs.Numeric.ID()); err != nil || row.Name != "backwards" {
		t.Errorf("codec %q, error %v", row.Name, err)
	}
}

// FuzzNumeric decodes anything.
func FuzzNumeric(f *testing.F) {
	row, _ := (*codecs.Registry)(nil).Lookup(codecs.Numeric.ID())
	e, _ := row.NewEncoder(codecs.Params{Level: 5, TypeSize: 4})
	for _, kind := range codectest.Kinds() {
		stream := make([]byte, 4096)
		n, _ := e.Encode(stream, kind.Make(4096))
		f.Add(stream[:n], 4096)
	}
	for _, b := range sizedBlocks() {
		stream := make([]byte, len(b))
		n, _ := e.Encode(stream, b[:len(b)/8])
		f.Add(stream[:n], len(b)/8)
	}
	page, _ := os.ReadFile("../docs/format/numeric.md")
	for _, found := range regexp.MustCompile("(?m)^. `([0-9a-f]+)` . `([0-9a-f]+)` .$").FindAllSubmatch(page, -1) {
		stream, _ := hex.DecodeString(string(found[1]))
		f.Add(stream, len(found[2])/2)
	}
	f.Fuzz(func(t *testing.T, stream []byte, n int) {
		n = int(uint(n) % (1 << 16))
		got := bytes.Repeat([]byte{0xaa}, n+8)
		d, _ := row.NewDecoder(codecs.Params{TypeSize: 4})
		err := d.Decode(got[:n], stream)
		if !bytes.Equal(got[n:], bytes.Repeat([]byte{0xaa}, 8)) {
			t.Fatal("wrote behind the end")
		}
		if err != nil || n == 0 {
			return
		}

		lo := n / 3
		hi := lo + n/5 + 1
		part := make([]byte, n)
		err = d.(codecs.RangeDecoder).DecodeRange(part, stream, lo, min(hi, n))
		if err != nil || !bytes.Equal(part[lo:min(hi, n)], got[lo:min(hi, n)]) {
			t.Fatalf("bytes %d to %d of %d: error %v, or others", lo, hi, n, err)
		}
	})
}
