package blosclz

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// streamsOfC are streams that C-Blosc2 made at level 9.
func streamsOfC() map[string]string {
	const phrase = "forty bytes that come again far behind.."
	return map[string]string{
		// one literal run, a match of distance 1, a run
		"2361616161e0540302616161": strings.Repeat("a", 100),
		// distance 8, longer than 255
		"27626c6f73636c7a20e0ff2d07026c7a20": strings.Repeat("blosclz ", 40),
		// a match over 9000 bytes, then a far match of distance 9040
		"3f666f727479206279746573207468617420636f6d6520616761696e206661722008626568696e642e2e00e0" +
			strings.Repeat("ff", 35) + "40000000ff30ff035002000000": phrase + strings.Repeat("\x00", 9000) + phrase + strings.Repeat("\x00", 20),
	}
}

func TestDecodeStreamsOfC(t *testing.T) {
	for stream, want := range streamsOfC() {
		b, err := hex.DecodeString(stream)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if err := Decode(got, b); err != nil || string(got) != want {
			t.Errorf("%.40s… decodes to %.60q, want %.60q: %v", stream, got, want, err)
		}
	}
}

// TestDecodeTokens decodes single tokens, valid ones and one for each way to be invalid. An empty
// want means an error.
func TestDecodeTokens(t *testing.T) {
	for _, c := range []struct {
		name, stream, want string
		n                  int
	}{
		{"one literal", "\x20a", "a", 1},
		{"the mark is optional", "\x00a", "a", 1},
		{"upper bits of the first token do not count", "\xe0a", "a", 1},
		{"two runs", "\x21ab\x01cd", "abcd", 4},
		{"shortest match", "\x20a\x20\x00\x00b", "aaaab", 5},
		{"match of distance 2", "\x21ab\x40\x01\x00c", "ababab" + "c", 7},
		{"longest short match", "\x20a\xc0\x00\x00b", strings.Repeat("a", 9) + "b", 10},
		{"shortest long match", "\x20a\xe0\x00\x00\x00b", strings.Repeat("a", 10) + "b", 11},
		{"match of 255 more", "\x20a\xe0\xff\x00\x00\x00b", strings.Repeat("a", 265) + "b", 266},

		{"no bytes", "", "", 1},
		{"no bytes for none", "", "", 0},
		{"literals missing", "\x21a", "", 2},
		{"literals beyond the end", "\x21ab", "", 1},
		{"too few literals", "\x20a", "", 2},
		{"ends after a match", "\x20a\x20\x00", "", 4},
		{"ends within a match", "\x20a\x20", "", 4},
		{"ends within a length", "\x20a\xe0\xff", "", 300},
		{"ends after a length", "\x20a\xe0\x00", "", 11},
		{"ends within a far match", "\x20a\x3f\xff\x00", "", 5},
		{"ends after a far match", "\x20a\x3f\xff\x00\x00", "", 5},
		{"match before the start", "\x20a\x20\x01\x00b", "", 5},
		{"far match before the start", "\x20a\x3f\xff\x00\x00\x00b", "", 5},
		{"match beyond the end", "\x20a\x20\x00\x00b", "", 4},
		{"long match beyond the end", "\x20a\xe0\xff\xff\xff\xff\x00\x00\x00b", "", 500},
	} {
		got := make([]byte, c.n)
		err := Decode(got, []byte(c.stream))
		if c.want == "" && !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: decodes to %q, error %v", c.name, got, err)
		}
		if c.want != "" && (err != nil || string(got) != c.want) {
			t.Errorf("%s: decodes to %q, want %q: %v", c.name, got, c.want, err)
		}
		if want, ok := reference([]byte(c.stream), c.n); c.stream != "" && (ok != (c.want != "") || string(want) != c.want) {
			t.Errorf("%s: the reference decodes it to %q, %v", c.name, want, ok)
		}
	}
}

// TestDecodeAgainstReference decodes streams of random tokens, mostly valid, between inaccessible
// pages. They contain every distance that the copying of matches treats differently.
func TestDecodeAgainstReference(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		from, to := asmtest.NewGuard(t, 8192), asmtest.NewGuard(t, 1<<17)
		sound := 0
		tries := 20_000
		if testing.Short() {
			tries = 4000
		}
		for try := range tries {
			stream, n := randomStream(r)
			want, ok := reference(stream, n)
			in, got := from.Tail(len(stream), 0), to.Tail(n, 0)
			if try%2 == 0 {
				in, got = from.Head(len(stream), 0), to.Head(n, 0)
			}
			copy(in, stream)
			err := Decode(got, in)
			if ok != (err == nil) || ok && !bytes.Equal(got, want) || !to.Intact() {
				t.Fatalf("%x for %d bytes: error %v, the reference says %v", stream, n, err, ok)
			}
			if ok {
				sound++
			}
		}
		if sound < tries/2 {
			t.Errorf("only %d streams were sound", sound)
		}
	})
}

// randomStream returns random tokens, sometimes invalid, and their decoded length as if they were
// valid.
func randomStream(r *rand.Rand) (stream []byte, n int) {
	w := writer{dst: make([]byte, 4096)}
	literals := make([]byte, 64)
	for i := range literals {
		literals[i] = byte(r.Uint32())
	}
	for range 1 + r.IntN(40) {
		k := 1 + r.IntN(len(literals))
		w.literals(literals[:k])
		n += k
		if w.n < 1000 && r.IntN(4) > 0 {
			length, distance := 3+r.IntN(1<<(1+r.IntN(10))), 1+r.IntN(min(n, 1<<(1+r.IntN(13))))
			w.match(length, distance)
			n += length
		}
	}
	if r.IntN(3) > 0 {
		w.literals(literals[:3])
		n += 3
	}
	if r.IntN(8) == 0 {
		w.dst[r.IntN(w.n)] ^= 1 << r.IntN(8)
	}
	if r.IntN(20) == 0 {
		n += r.IntN(3) - 1
	}
	return w.dst[:w.n], n
}
