package pcodec

import (
	"bytes"
	"testing"
)

// FuzzDecode decodes anything, into more or less room.
func FuzzDecode(f *testing.F) {
	for _, src := range goldens(f) {
		if len(src) < 1000 {
			f.Add(src, uint16(2400))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, n uint16) {
		dst := make([]byte, n)
		var d Decoder
		_ = d.Decode(dst, src) // whatever it is, it must not panic
	})
}

// FuzzEncode decodes what the encoder makes of any numbers.
func FuzzEncode(f *testing.F) {
	for _, typ := range types {
		for _, src := range arrays(typ, 40, 4) {
			f.Add(src, uint8(typ), uint8(8))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, typ, level uint8) {
		e := NewEncoder(1+Type(typ)%Int8, int(level)%(maxLevel+1))
		src = src[:len(src)/e.t.Size()*e.t.Size()]
		encoded := e.Append(nil, src)
		got := make([]byte, len(src))
		var d Decoder
		if err := d.Decode(got, encoded); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, src) {
			t.Fatal("other numbers")
		}
	})
}
