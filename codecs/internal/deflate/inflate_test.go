package deflate_test

import (
	"bytes"
	"fmt"
	"hash/adler32"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/deflate"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/klauspost/compress/flate"
)

var libraryLevels = []int{flate.HuffmanOnly, flate.NoCompression, 1, 6, 9}

func TestDecode(t *testing.T) {
	asmtest.EachTier(t, decode)
}

func decode(t *testing.T) {
	d := new(deflate.Decoder)
	for _, n := range sizes() {
		for name, content := range samples(n) {
			for _, level := range libraryLevels {
				stream := libraryEncode(t, content, level)
				dst, check := guarded(t, n)
				used, err := d.Decode(dst, append(stream[:len(stream):len(stream)], "behind the end"...))
				check()
				if err != nil || used != len(stream) || !bytes.Equal(dst, content) {
					t.Fatalf("%d bytes of %s, level %d: %d of %d bytes used, %v", n, name, level, used, len(stream), err)
				}
				if err := wrongLengths(d, n, stream); err != nil {
					t.Fatalf("%d bytes of %s, level %d: %v", n, name, level, err)
				}
			}
		}
	}
}

// wrongLengths decodes a stream of n bytes to n+1 and n-1 bytes, and truncated streams.
func wrongLengths(d *deflate.Decoder, n int, stream []byte) error {
	if _, err := d.Decode(make([]byte, n+1), stream); err != deflate.ErrShort {
		return fmt.Errorf("to one byte more: %v", err)
	}
	if n > 0 {
		if _, err := d.Decode(make([]byte, n-1), stream); err != deflate.ErrLong {
			return fmt.Errorf("to one byte less: %v", err)
		}
	}
	for _, cut := range []int{0, 1, len(stream) / 2, len(stream) - 1} {
		if used, err := d.Decode(make([]byte, n), stream[:cut]); err == nil {
			return fmt.Errorf("%d of %d bytes are enough, %d were used", cut, len(stream), used)
		}
	}
	return nil
}

// TestDecodeRefuses decodes handwritten streams, each with its expected error. Bits are written in
// the order in which they are read.
func TestDecodeRefuses(t *testing.T) {
	const dynamic = "1 01" // final, dynamic
	for _, c := range []struct{ name, bits, want string }{
		{"nothing", "", "ends within"},
		{"reserved type", "1 11", "reserved type"},
		{"stored without length", "1 00 00000 10000000", "ends within"},
		{"stored length", "1 00 00000 1000000000000000 1111111111111111", "complement"},
		{"stored cut", "1 00 00000 1000000000000000 0111111111111111", "ends within"},
		{"fixed length that means nothing", "1 10 11000110 000000000000000000000000", "no code"},
		{"fixed distance that means nothing", "1 10 00110000 0000001 11110 00000000000000000", "no code"},
		{"match before the start", "1 10 0000001 00000 0000000000000000000000", "before the start"},
		{"too many lengths", dynamic + " 11111 00000 0000", "more symbols"},
		{"too many distances", dynamic + " 00000 01111 0000", "more symbols"},
		{"empty precode", dynamic + " 00000 00000 0000 000 000 000 000 00000000000", "no code"},
		{"oversubscribed precode", dynamic + " 00000 00000 0000 100 100 100 000", "more codes"},
		{"incomplete precode", dynamic + " 00000 00000 0000 010 000 000 000", "fewer codes"},
		{"repeat at the start", dynamic + " 00000 00000 0000 100 000 000 000 0 00 000000000000", "before the first"},
		{"repeat beyond the end", dynamic + " 00000 00000 0000 000 000 100 000 0 1111111 0 1111111 000000000000", "beyond the last"},
		{"no literals", dynamic + " 00000 00000 0000 000 000 100 000 0 1111111 0 1011011 00000000000000000000000000", "no code"},
		{"cut in a dynamic header", dynamic + " 00000 00000 0000 000 000 100", "ends within"},
	} {
		_, err := new(deflate.Decoder).Decode(make([]byte, 1), pack(c.bits))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// pack converts binary digits to bytes, lowest bit first.
func pack(digits string) []byte {
	var out []byte
	digits = strings.ReplaceAll(digits, " ", "")
	for i, c := range digits {
		if i%8 == 0 {
			out = append(out, 0)
		}
		out[i/8] |= byte(c-'0') << (i % 8)
	}
	return out
}

// TestDecodeIncompleteDistances decodes blocks of literals only. Such a block may define no
// distance code, or an incomplete one of a single bit (RFC 1951 §3.2.7).
func TestDecodeIncompleteDistances(t *testing.T) {
	const literals = "1 01 00000 00000 0111 000000 100 010 000000000000000000000000000000000000000 010 11 01111111 00101011 11"
	for _, distance := range []string{"10", "11"} {
		stream := pack(literals + distance + "0 0 1")
		dst := []byte{1, 1}
		if used, err := new(deflate.Decoder).Decode(dst, stream); err != nil || used != len(stream) || dst[0]|dst[1] != 0 {
			t.Errorf("distance length %s: %v, %d of %d bytes used, %x", distance, err, used, len(stream), dst)
		}
		if content, _, ok := libraryDecode(2, stream); !ok || !bytes.Equal(content, dst) {
			t.Errorf("distance length %s: the library refuses it", distance)
		}
	}
}

func TestDecodeAllocates(t *testing.T) {
	content := samples(70000)["mixed"]
	stream := libraryEncode(t, content, 6)
	d := new(deflate.Decoder)
	if n := testing.AllocsPerRun(5, func() {
		if _, err := d.Decode(content, stream); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAdler32(t *testing.T) {
	asmtest.EachTier(t, adler)
}

func adler(t *testing.T) {
	for n := range 700 {
		for _, b := range [][]byte{bytes.Repeat([]byte{0xff}, n), samples(n)["noise"]} {
			if got, want := deflate.Adler32(b), adler32.Checksum(b); got != want {
				t.Fatalf("%d bytes: %#x, want %#x", n, got, want)
			}
		}
	}
	long := bytes.Repeat([]byte{0xff}, 3<<20)
	if got, want := deflate.Adler32(long), adler32.Checksum(long); got != want {
		t.Fatalf("%d bytes: %#x, want %#x", len(long), got, want)
	}
}
