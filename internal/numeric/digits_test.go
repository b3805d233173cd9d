package numeric

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// A shelf keeps rows of digits, in place of what compresses bytes: streams have the number of one.
type shelf [][]byte

func (s *shelf) pack(rows []byte, _ int) []byte {
	*s = append(*s, bytes.Clone(rows))
	return []byte{byte(len(*s) - 1)}
}

func (s *shelf) unpack(dst, src []byte) error {
	if len(src) != 1 || int(src[0]) >= len(*s) || len((*s)[src[0]]) != len(dst) {
		return errors.New("nothing here")
	}
	copy(dst, (*s)[src[0]])
	return nil
}

// TestDigits encodes integers as digits, and decodes blocks and parts of them.
func TestDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	packed := 0
	adjusted := 0
	for _, b := range blocks() {
		var s shelf
		e := NewEncoder(b.size, b.shape, 5)
		e.Pack = s.pack
		stream := e.Append(nil, b.items, nil)
		d := &Decoder{}
		if e.Packed() {
			packed++
			d.Unpack = s.unpack
		}
		if e.Packed() && e.header.adjusted() {
			adjusted++
		}

		n := len(b.items)
		got := make([]byte, n)
		if err := d.Decode(got, stream); err != nil || !bytes.Equal(got, b.items) {
			t.Fatalf("%s: error %v, or items changed", b.name, err)
		}
		lo := r.IntN(n)
		hi := lo + 1 + r.IntN(n-lo)
		for _, room := range []int{n, hi} {
			got := make([]byte, room)
			if err := d.DecodeRange(got, stream, lo, hi); err != nil || !bytes.Equal(got[lo:hi], b.items[lo:hi]) {
				t.Fatalf("%s: bytes %d to %d of %d: error %v, or they changed", b.name, lo, hi, n, err)
			}
		}
		if err := d.Decode(got, append(stream, 0)); err == nil {
			t.Fatalf("%s: decoded with a byte behind the end", b.name)
		}
	}
	if packed < 50 || adjusted == 0 {
		t.Errorf("%d streams have digits, %d of them also what is added", packed, adjusted)
	}
}

// TestDigitsTakeMore checks that integers are in runs if digits take clearly more.
func TestDigitsTakeMore(t *testing.T) {
	e := NewEncoder(4, nil, 5)
	e.Pack = func(rows []byte, _ int) []byte { return rows }
	for _, b := range blocks() {
		if b.size == 4 && len(b.items) > 5000 {
			if e.Append(nil, b.items, nil); e.Packed() && b.name[:6] != "random" {
				t.Errorf("%s: digits", b.name)
			}
		}
	}
}
