// Package codectest is the conformance suite for codecs. Every built-in codec passes it, and so
// should every codec that is added to a registry.
package codectest

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// Levels is the number of levels, from 0.
const Levels = 10

// Run checks that a codec has all properties on which chunks rely: encoded data decodes to the same
// bytes at every level, nothing outside of a buffer is touched, damaged streams cause no harm,
// instances are independent, the output depends only on the input, and warm instances do not
// allocate.
func Run(t *testing.T, row codecs.Row) {
	t.Run("round trip", func(t *testing.T) { roundTrip(t, row) })
	t.Run("room", func(t *testing.T) { room(t, row) })
	t.Run("wrong length", func(t *testing.T) {
		// Decode valid streams into buffers of other lengths.
		p := newPair(t, row, 5)
		for _, kind := range Kinds() {
			for _, n := range []int{100, 4096, 70_000} {
				stream := p.encode(t, kind.Make(n), ample(n))
				if stream == nil {
					continue
				}
				for _, wrong := range []int{0, 1, n / 2, n - 1, n + 1, n + 17, 2 * n} {
					if _, err := p.decode(t, stream, wrong); err == nil {
						t.Errorf("%s: a stream of %d bytes of %s decodes to %d", row.Name, n, kind.Name, wrong)
					}
				}
			}
		}
	})
	t.Run("truncated", func(t *testing.T) { truncated(t, row) })
	t.Run("damaged", func(t *testing.T) { damaged(t, row) })
	t.Run("prefix", func(t *testing.T) { prefix(t, row) })
	t.Run("reuse", func(t *testing.T) { reuse(t, row) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, row) })
	t.Run("allocations", func(t *testing.T) {
		// Check that a warm instance does not allocate, whether a stream fits or not.
		for _, level := range []int{1, 3, 5, 9} {
			p := newPair(t, row, level)
			for _, kind := range Kinds() {
				p.countAllocations(t, kind, 100, 20)
				p.countAllocations(t, kind, 20_000, 5)
			}
		}

		p := newPair(t, row, 5)
		for _, kind := range Kinds()[:4] {
			p.countAllocations(t, kind, 200_000, 3)
		}
	})
	t.Run("parameters", func(t *testing.T) {
		// Check that invalid levels are refused, and dictionaries if the format has none
		// for the codec.
		for _, level := range []int{-1, Levels} {
			if _, err := row.NewEncoder(codecs.Params{Level: level, TypeSize: 1}); err == nil {
				t.Errorf("%s: level %d is accepted", row.Name, level)
			}
		}

		if !row.Dict {
			dict := []byte("a dictionary")
			if _, err := row.NewEncoder(codecs.Params{Level: 5, TypeSize: 1, Dict: dict}); err == nil {
				t.Errorf("%s: encoding with a dictionary is accepted", row.Name)
			}
			if _, err := row.NewDecoder(codecs.Params{TypeSize: 1, Dict: dict}); err == nil {
				t.Errorf("%s: decoding with a dictionary is accepted", row.Name)
			}
		}
	})
}

// A pair is an encoder and a decoder for one level, with guarded buffers.
type pair struct {
	row   codecs.Row
	level int
	enc   codecs.Encoder
	dec   codecs.Decoder
}

func newPair(t *testing.T, row codecs.Row, level int) *pair {
	t.Helper()
	enc, err := row.NewEncoder(codecs.Params{Level: level, TypeSize: 4})
	if err != nil {
		t.Fatalf("%s level %d: %v", row.Name, level, err)
	}

	dec, err := row.NewDecoder(codecs.Params{TypeSize: 4})
	if err != nil {
		t.Fatalf("%s: %v", row.Name, err)
	}
	return &pair{row: row, level: level, enc: enc, dec: dec}
}

// encode compresses src into room bytes and fails the test if anything else was written. It returns
// nil if the codec gave up, which is always allowed.
func (p *pair) encode(t *testing.T, src []byte, room int) []byte {
	t.Helper()
	before := append([]byte(nil), src...)
	dst := newGuarded(room)
	n, err := p.enc.Encode(dst.bytes(), src)
	if err != nil {
		t.Fatalf("%s level %d: encoding %d bytes into %d: %v", p.row.Name, p.level, len(src), room, err)
	}
	if n < 0 || n > room {
		t.Fatalf("%s level %d: encoding %d bytes into %d returns %d", p.row.Name, p.level, len(src), room, n)
	}

	dst.check(t, "encoding")
	if !bytes.Equal(src, before) {
		t.Fatalf("%s level %d: encoding changed its input", p.row.Name, p.level)
	}
	if n == 0 {
		return nil
	}
	return dst.bytes()[:n]
}

// decode decompresses stream into n bytes and fails the test if anything else was written.
func (p *pair) decode(t *testing.T, stream []byte, n int) ([]byte, error) {
	t.Helper()
	before := append([]byte(nil), stream...)
	dst := newGuarded(n)
	err := p.dec.Decode(dst.bytes(), stream)
	dst.check(t, "decoding")
	if !bytes.Equal(stream, before) {
		t.Fatalf("%s: decoding changed its input", p.row.Name)
	}
	return dst.bytes(), err
}

// mustDecode fails the test unless stream decodes to want.
func (p *pair) mustDecode(t *testing.T, stream, want []byte, what string) {
	t.Helper()
	got, err := p.decode(t, stream, len(want))
	if err != nil {
		t.Fatalf("%s level %d: %s of %d bytes: %v", p.row.Name, p.level, what, len(want), err)
	}
	if i := firstDifference(got, want); i >= 0 {
		t.Fatalf("%s level %d: %s of %d bytes: byte %d is %#x, want %#x", p.row.Name, p.level, what, len(want), i, got[i], want[i])
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// ample returns a size that suffices for any codec's worst case.
func ample(n int) int { return n + n/4 + 1024 }
