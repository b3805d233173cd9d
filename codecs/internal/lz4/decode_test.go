package lz4_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	reference "github.com/pierrec/lz4/v4"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/lz4"
	"github.com/cairn-go/cairn/internal/test/asmtest"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// naive decodes a block of n bytes as the package comment describes, one byte at a time. It reports
// whether the block is valid.
func naive(stream, dict []byte, n int) ([]byte, bool) {
	out := append([]byte(nil), dict...)
	n += len(dict)
	at, ok := 0, true
	next := func() int {
		if at >= len(stream) {
			ok = false
			return 0
		}
		at++
		return int(stream[at-1])
	}
	length := func(field int) int {
		for more := 255; field >= 15 && more == 255 && ok; field += more {
			more = next()
		}
		return field
	}
	for ok {
		token := next()
		for count := length(token >> 4); count > 0 && ok; count-- {
			out = append(out, byte(next()))
		}
		if !ok || len(out) > n {
			return nil, false
		}
		if at == len(stream) {
			if len(out) != n {
				return nil, false
			}
			return out[len(dict):], true
		}
		distance := next()
		distance += next() << 8
		match := length(token&15) + 4
		if distance == 0 || distance > len(out) || match > n-len(out) {
			return nil, false
		}
		for ; match > 0; match-- {
			out = append(out, out[len(out)-distance])
		}
	}
	return nil, false
}

// TestDecodeTokens decodes single sequences, valid ones and one for each way to be invalid. An
// empty want means an error.
func TestDecodeTokens(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		for _, c := range []struct {
			name, stream, dict, want string
			n                        int
		}{
			{"one literal", "\x10a", "", "a", 1},
			{"run", "\x10a\x01\x00\x10b", "", "aaaaab", 6},
			{"no literals at the end", "\x10a\x01\x00\x00", "", "aaaaa", 5},
			{"distance 2", "\x21ab\x02\x00\x10c", "", "abababac"[:7] + "c", 8},
			{"longest short match", "\x1ea\x01\x00\x10b", "", strings.Repeat("a", 19) + "b", 20},
			{"shortest long match", "\x1fa\x01\x00\x00\x10b", "", strings.Repeat("a", 20) + "b", 21},
			{"match of 255 more", "\x1fa\x01\x00\xff\x00\x10b", "", strings.Repeat("a", 275) + "b", 276},
			{"15 literals", "\xf0\x00abcdefghijklmno", "", "abcdefghijklmno", 15},
			{"match in the dictionary", "\x00\x04\x00\x10e", "abcd", "abcde", 5},
			{"match from the dictionary into the output", "\x12x\x03\x00\x10e", "abcd", "xcdxcdxe", 8},

			{"no bytes", "", "", "", 1},
			{"no bytes for none", "", "", "", 0},
			{"literals missing", "\x20a", "", "", 2},
			{"literals beyond the end", "\x20ab", "", "", 1},
			{"too few literals", "\x10a", "", "", 2},
			{"ends after a match", "\x10a\x01\x00", "", "", 5},
			{"ends within a distance", "\x10a\x01", "", "", 5},
			{"ends within a length", "\x1fa\x01\x00\xff", "", "", 300},
			{"ends after a length", "\x1fa\x01\x00\xff\x00", "", "", 275},
			{"ends within the number of literals", "\xf0\xff", "", "", 300},
			{"distance 0", "\x10a\x00\x00\x10b", "", "", 6},
			{"match before the start", "\x10a\x02\x00\x10b", "", "", 6},
			{"match before the dictionary", "\x10a\x06\x00\x10b", "abcd", "", 6},
			{"match beyond the end", "\x10a\x01\x00\x10b", "", "", 4},
			{"long match beyond the end", "\x1fa\x01\x00\xff\xff\xff\xff\x00\x10b", "", "", 500},
		} {
			for _, pad := range []int{0, 200} { // after a long beginning, so that kernels run too
				stream, want, n := c.stream, c.want, c.n
				if pad > 0 {
					lits := strings.Repeat("0123456789", pad/10)
					stream = "\xf8\xb9" + lits + "\xc8\x00" + c.stream
					n += pad + 12
					if want != "" {
						want = lits + lits[:12] + want
					}
					if strings.Contains(c.name, "dictionary") || strings.Contains(c.name, "before the start") {
						continue
					}
				}
				got := make([]byte, n)
				err := lz4.Decode(got, []byte(stream), []byte(c.dict))
				if c.stream != "" && want == "" && !errors.Is(err, cairn.ErrCorrupt) || c.stream == "" && pad == 0 && err == nil {
					t.Errorf("%s: decodes to %q, error %v", c.name, got, err)
				}
				if want != "" && (err != nil || string(got) != want) {
					t.Errorf("%s: decodes to %q, want %q: %v", c.name, got, want, err)
				}
				if b, ok := naive([]byte(stream), []byte(c.dict), n); ok != (want != "") || string(b) != want {
					t.Errorf("%s: naively it decodes to %q, %v", c.name, b, ok)
				}
			}
		}
	})
}

// randomStream returns random sequences, mostly valid, and their decoded length.
func randomStream(r *rand.Rand, history int) (stream []byte, n int) {
	literals := make([]byte, 600)
	for i := range literals {
		literals[i] = byte(r.Uint32())
	}
	extended := func(v int) {
		for v -= 15; v >= 255; v -= 255 {
			stream = append(stream, 255)
		}
		stream = append(stream, byte(v))
	}
	lits := func(low int) {
		count := r.IntN(1 << r.IntN(10))
		stream = append(stream, byte(min(count, 15)<<4|low))
		if count >= 15 {
			extended(count)
		}
		stream = append(stream, literals[:count]...)
		n += count
	}
	for range r.IntN(30) {
		match := r.IntN(1 << r.IntN(11))
		at := len(stream)
		lits(min(match, 15))
		if n+history == 0 {
			stream, n = stream[:at], 0
			continue
		}
		distance := 1 + r.IntN(min(n+history, 1<<r.IntN(17)))
		stream = append(stream, byte(distance), byte(distance>>8))
		if match >= 15 {
			extended(match)
		}
		n += match + 4
	}
	lits(0)
	if r.IntN(6) == 0 {
		stream[r.IntN(len(stream))] ^= 1 << r.IntN(8)
	}
	if r.IntN(20) == 0 {
		n = max(0, n+r.IntN(3)-1)
	}
	return stream, n
}

// TestDecodeAgainstNaive decodes random sequences between inaccessible pages, with and without a
// dictionary.
func TestDecodeAgainstNaive(t *testing.T) {
	dict := codectest.Kinds()[3].Make(3000)
	asmtest.EachTier(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		to, from := asmtest.NewGuard(t, 64<<10), asmtest.NewGuard(t, 64<<10)
		sound := 0
		for try := range 6000 {
			history := dict[:try%2*r.IntN(len(dict)+1)]
			stream, n := randomStream(r, len(history))
			want, ok := naive(stream, history, n)
			got, in := to.Tail(n, 0), from.Tail(len(stream), 0)
			if try%4 < 2 {
				got, in = to.Head(n, 0), from.Head(len(stream), 0)
			}
			copy(in, stream)
			err := lz4.Decode(got, in, history)
			if ok != (err == nil) || ok && !bytes.Equal(got, want) {
				t.Fatalf("%x for %d bytes: error %v, naively %v", stream, n, err, ok)
			}
			if !to.Intact() {
				t.Fatalf("%x for %d bytes: wrote outside", stream, n)
			}
			if ok {
				sound++
			}
		}
		if sound < 4000 {
			t.Errorf("only %d streams were sound", sound)
		}
	})
}

// TestDecodeReference decodes the output of the reference encoder.
func TestDecodeReference(t *testing.T) {
	asmtest.EachTier(t, func(t *testing.T) {
		for _, kind := range codectest.Kinds() {
			for _, n := range sizes {
				if testing.Short() && n > 65_547 {
					continue
				}
				src := kind.Make(n)
				stream, got := make([]byte, reference.CompressBlockBound(n)), make([]byte, n)
				var c reference.CompressorHC
				size, err := c.CompressBlock(src, stream)
				if err != nil || size == 0 {
					continue
				}
				if err := lz4.Decode(got, stream[:size], nil); err != nil || !bytes.Equal(got, src) {
					t.Errorf("%d bytes of %s do not come back from %d: %v", n, kind.Name, size, err)
				}
			}
		}
	})
}
