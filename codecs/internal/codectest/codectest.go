// Package codectest is the conformance suite for codecs: every codec of the built-in table passes
// it, and so should a codec that is added to a registry.
package codectest

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/codecs"
)

// Levels is how many levels there are, counted from 0.
const Levels = 10

// Run checks one codec against everything that chunks rely on: that what is encoded decodes to the
// same bytes at every level, that nothing outside of a buffer is ever touched, that damaged streams
// are refused or at least survived, that instances are independent, that their output depends on
// the input alone, and that they allocate nothing once warm.
func Run(t *testing.T, row codecs.Row) {
	t.Run("round trip", func(t *testing.T) { roundTrip(t, row) })
	t.Run("room", func(t *testing.T) { room(t, row) })
	t.Run("wrong length", func(t *testing.T) { wrongLength(t, row) })
	t.Run("truncated", func(t *testing.T) { truncated(t, row) })
	t.Run("damaged", func(t *testing.T) { damaged(t, row) })
	t.Run("prefix", func(t *testing.T) { prefix(t, row) })
	t.Run("reuse", func(t *testing.T) { reuse(t, row) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, row) })
	t.Run("allocations", func(t *testing.T) { allocations(t, row) })
	t.Run("parameters", func(t *testing.T) { parameters(t, row) })
}

// A pair is a codec at one level, with the buffers that guard its calls.
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

// encode compresses src into room bytes and fails the test if anything but those was written. It
// returns nil if the codec gave up, which is always allowed.
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

// decode decompresses stream into n bytes and fails the test if anything but those was written.
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

// ample is room enough for any codec's worst case.
func ample(n int) int { return n + n/4 + 1024 }
