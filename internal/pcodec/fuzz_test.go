package pcodec

import (
	"bytes"
	"testing"
)

// FuzzDecode decodes anything, into more or less room.
func FuzzDecode(f *testing.F) {
	for _, src := range goldens(f, ".pco", 40) {
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

// FuzzDecodeWrapped decodes anything as a header, metadata and pages, of some type and into some
// room.
func FuzzDecodeWrapped(f *testing.F) {
	for name, src := range goldens(f, ".wrapped", 19) {
		typ, sizes := wrappedName(f, name)
		f.Add(src, uint8(typ), uint16(sizes[0]), uint16(sizes[len(sizes)-1]))
	}
	f.Fuzz(func(t *testing.T, src []byte, typ uint8, first, second uint16) {
		var d WrappedDecoder
		n, err := d.ReadHeader(src)
		if err != nil {
			return
		}
		src = src[n:]
		number := 1 + Type(typ)%Int8
		if n, err = d.ReadMeta(number, src); err != nil {
			return
		}

		src = src[n:]
		for _, numbers := range []uint16{first, 0, second} {
			n, err := d.ReadPage(make([]byte, int(numbers)*number.Size()), src)
			if err == nil && n > len(src) {
				t.Fatalf("%d of %d bytes were read", n, len(src))
			}
			src = src[n:]
		}
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

		if n := len(src) / e.t.Size(); n > 0 {
			first := 1 + int(level)*n/256
			testWrapped(t, e, src, []int{first, n - first}[:min(2, 1+n-first)])
		}
	})
}
