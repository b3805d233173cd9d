package ndlz

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	cairn "github.com/cairn-go/cairn"
)

// blocks are ways to fill a block.
var blocks = map[string]func(r *rand.Rand, b []byte, width int){
	"zeros": func(*rand.Rand, []byte, int) {},
	"noise": func(r *rand.Rand, b []byte, _ int) { fill(b, func(int) byte { return byte(r.Uint32()) }) },
	"steps": func(_ *rand.Rand, b []byte, width int) {
		fill(b, func(i int) byte { return byte(i/width/9 + i%width/13) })
	},
	"bands": func(_ *rand.Rand, b []byte, width int) { fill(b, func(i int) byte { return byte(i / width % 5) }) },
	"weave": func(_ *rand.Rand, b []byte, width int) {
		fill(b, func(i int) byte { return byte(i%width%7 + i/width%3*7) })
	},
	"coarse": func(r *rand.Rand, b []byte, _ int) { fill(b, func(int) byte { return byte(r.IntN(50) / 48) }) },
	"rows": func(r *rand.Rand, b []byte, _ int) {
		for i := 0; i < len(b); i += 4 {
			copy(b[i:], "abcdabceabcfabcg"[4*r.IntN(4):][:4])
		}
	},
}

func fill(b []byte, next func(i int) byte) {
	for i := range b {
		b[i] = next(i)
	}
}

// TestRoundTrip encodes blocks of many shapes, into as much room as needed and into less.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, make1 := range blocks {
		for range 60 {
			side, height, width := 4+4*r.IntN(2), 1+r.IntN(90), 1+r.IntN(90)
			src := make([]byte, height*width)
			make1(r, src, width)
			e := NewEncoder(side, height, width)
			stream := make([]byte, 2*len(src)+headerSize+1)
			// earlier calls must not matter
			e.Encode(stream, bytes.Repeat([]byte{7}, len(src)))
			stream = stream[:e.Encode(stream, src)]
			got := make([]byte, len(src))
			if err := Decode(got, stream, side); err != nil || !bytes.Equal(got, src) {
				t.Fatalf("%s, %d × %d, cells of %d: %v, or other bytes", name, height, width, side, err)
			}
			for _, room := range []int{0, 8, r.IntN(len(stream)), len(stream) - 1} {
				if n := e.Encode(make([]byte, room), src); n != 0 {
					t.Fatalf("%s, %d × %d, cells of %d: %d bytes fit into %d", name, height, width, side, n, room)
				}
			}
			if name == "zeros" && len(stream) > headerSize+2*((height+side-1)/side)*((width+side-1)/side)+2*side*(height+width) {
				t.Errorf("%d × %d zeros are %d bytes", height, width, len(stream))
			}
		}
	}
}

// TestTokens decodes streams with every kind of token and compares them with handwritten bytes.
func TestTokens(t *testing.T) {
	head := func(height, width byte) string { return hex.EncodeToString([]byte{2, height, 0, 0, 0, width, 0, 0, 0}) }
	// its token is 17 bytes before the next
	literal := "00" + hex.EncodeToString([]byte("abcdefghijklmnop"))
	for name, c := range map[string]struct {
		side   int
		stream string
		want   string
	}{
		"same":      {4, head(4, 4) + "4078", strings.Repeat("x", 16)},
		"cell":      {4, head(8, 4) + literal + "c01000", strings.Repeat("abcdefghijklmnop", 2)},
		"triple e0": {4, head(8, 4) + literal + "e01000" + "31323334", "abcdefghijklmnop" + "1234abcdefghijkl"},
		"triple e8": {4, head(8, 4) + literal + "e81000" + "31323334", "abcdefghijklmnop" + "abcdefghijkl1234"},
		"triple f0": {4, head(8, 4) + literal + "f01000" + "31323334", "abcdefghijklmnop" + "abcdefgh1234ijkl"},
		"triple f8": {4, head(8, 4) + literal + "f81000" + "31323334", "abcdefghijklmnop" + "abcd1234efghijkl"},
		"pair 80":   {4, head(8, 4) + literal + "800c00" + "3132333435363738", "abcdefghijklmnop" + "12345678efghijkl"},
		"pair 88":   {4, head(8, 4) + literal + "880c00" + "3132333435363738", "abcdefghijklmnop" + "efghijkl12345678"},
		"pair 90":   {4, head(8, 4) + literal + "900c00" + "3132333435363738", "abcdefghijklmnop" + "efgh1234ijkl5678"},
		"pair b8":   {4, head(8, 4) + literal + "b80c00" + "3132333435363738", "abcdefghijklmnop" + "1234efgh5678ijkl"},
		"two pairs": {4, head(8, 4) + literal + "3010000800", "abcdefghijklmnop" + "abcdijklefghmnop"},
		"edge":      {4, head(4, 6) + literal + "00" + hex.EncodeToString([]byte("12345678")), "abcd12efgh34ijkl56mnop78"},
		"8, triple": {8, head(8, 8) + "aa0000", ""},
		"8, same":   {8, head(8, 8) + "4078", strings.Repeat("x", 64)},
	} {
		stream, err := hex.DecodeString(c.stream)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(c.want))
		if c.want == "" {
			if err := Decode(make([]byte, 64), stream, c.side); !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err := Decode(got, stream, c.side); err != nil || string(got) != c.want {
			t.Errorf("%s: %q, want %q (%v)", name, got, c.want, err)
		}
		for keep := range stream {
			if err := Decode(got, stream[:keep], c.side); !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("%s: the first %d of %d bytes: %v", name, keep, len(stream), err)
			}
		}
	}
}

// TestRefused decodes invalid streams.
func TestRefused(t *testing.T) {
	for name, stream := range map[string]string{
		"three dimensions":   "\x03\x04\x00\x00\x00\x04\x00\x00\x00\x40x",
		"another shape":      "\x02\x04\x00\x00\x00\x05\x00\x00\x00\x40x",
		"negative sides":     "\x02\xfc\xff\xff\xff\xfc\xff\xff\xff\x40x",
		"no such token":      "\x02\x04\x00\x00\x00\x04\x00\x00\x00\x20x",
		"low bits of a pair": "\x02\x04\x00\x00\x00\x04\x00\x00\x00\x81\x09\x00abcdefgh",
		"before the stream":  "\x02\x04\x00\x00\x00\x04\x00\x00\x00\xc0\xff\xff",
		"behind the stream":  "\x02\x04\x00\x00\x00\x04\x00\x00\x00\xc0\x01\x00",
		"surplus":            "\x02\x04\x00\x00\x00\x04\x00\x00\x00\x40xy",
		"nothing":            "",
	} {
		if err := Decode(make([]byte, 16), []byte(stream), 4); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e := NewEncoder(4, 4, 4)
	for _, n := range []int{0, 15, 17} {
		if k := e.Encode(make([]byte, 100), make([]byte, n)); k != 0 {
			t.Errorf("%d bytes as a block of 16 encode to %d", n, k)
		}
	}
}

// FuzzDecode decodes any stream, for any length.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, make1 := range blocks {
		for _, side := range []int{4, 8} {
			src := make([]byte, 30*26)
			make1(r, src, 26)
			stream := make([]byte, 2000)
			f.Add(stream[:NewEncoder(side, 30, 26).Encode(stream, src)], side == 8, uint16(len(src)))
		}
	}
	f.Add([]byte{}, false, uint16(0))
	f.Fuzz(func(t *testing.T, stream []byte, large bool, n uint16) {
		side := 4
		if large {
			side = 8
		}
		buf := bytes.Repeat([]byte{0xa5}, int(n)+64)
		if err := Decode(buf[:n], stream, side); err != nil && !errors.Is(err, cairn.ErrCorrupt) {
			t.Fatal(err)
		}
		if !bytes.Equal(buf[n:], bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatalf("%x: wrote behind its output", stream)
		}
	})
}

// FuzzNDLZRoundTrip encodes any bytes in any shape.
func FuzzNDLZRoundTrip(f *testing.F) {
	f.Add([]byte("abcdabce"), uint8(9), uint8(20), false, uint16(100))
	f.Add([]byte{0}, uint8(255), uint8(1), true, uint16(1000))
	f.Fuzz(func(t *testing.T, data []byte, height, width uint8, large bool, room uint16) {
		side := 4
		if large {
			side = 8
		}
		src := make([]byte, int(height)*int(width))
		for at := copy(src, data); at < len(src) && at > 0; {
			at += copy(src[at:], src[:at])
		}
		dst := bytes.Repeat([]byte{0xa5}, int(room)+64)
		n := NewEncoder(side, int(height), int(width)).Encode(dst[:room], src)
		if !bytes.Equal(dst[room:], bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatal("wrote behind its output")
		}
		if n == 0 {
			return
		}
		got := make([]byte, len(src))
		if err := Decode(got, dst[:n], side); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%x in %d × %d: %v, or other bytes", data, height, width, err)
		}
	})
}
