package codecs_test

import (
	"bytes"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// FuzzDecode passes arbitrary bytes to every decoder, for any length. It may fail, but must not
// panic or write outside of its output, and what it decodes must survive a round trip.
func FuzzDecode(f *testing.F) {
	rows := plainCodecs()
	for i, row := range rows {
		enc, err := row.NewEncoder(codecs.Params{Level: 5, TypeSize: 4})
		if err != nil {
			f.Fatal(err)
		}
		for _, kind := range codectest.Kinds() {
			src := kind.Make(500)
			dst := make([]byte, 1000)
			n := mustEncode(f, enc, dst, src)
			f.Add(uint8(i), uint16(len(src)), dst[:n])
		}
		f.Add(uint8(i), uint16(0), []byte{})
	}
	f.Fuzz(func(t *testing.T, which uint8, n uint16, stream []byte) {
		row := rows[int(which)%len(rows)]
		dec, err := row.NewDecoder(codecs.Params{TypeSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		buf := bytes.Repeat([]byte{0xa5}, int(n)+64)
		err = dec.Decode(buf[:n], stream)
		for i, b := range buf[n:] {
			if b != 0xa5 {
				t.Fatalf("%s wrote %d bytes behind its output", row.Name, i+1)
			}
		}
		if err == nil {
			again(t, row, buf[:n])
		}
		checkPrefix(t, row, dec, buf[:n], err, stream)
	})
}

// checkPrefix decodes half of a stream that Decode decoded to whole, unless it failed with err.
func checkPrefix(t *testing.T, row codecs.Row, dec codecs.Decoder, whole []byte, err error, stream []byte) {
	part, ok := dec.(codecs.RangeDecoder)
	if !ok {
		return
	}
	half := len(whole) / 2
	buf := bytes.Repeat([]byte{0xa5}, half+64)
	prefixErr := part.DecodeRange(buf[:half], stream, 0, half)
	if err == nil && (prefixErr != nil || !bytes.Equal(buf[:half], whole[:half])) {
		t.Fatalf("%s: half of a stream that decodes: %v, or other bytes", row.Name, prefixErr)
	}
	for i, b := range buf[half:] {
		if b != 0xa5 {
			t.Fatalf("%s wrote %d bytes behind half of its output", row.Name, i+1)
		}
	}
}

// again encodes and decodes src.
func again(t *testing.T, row codecs.Row, src []byte) {
	enc, err := row.NewEncoder(codecs.Params{Level: 1, TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	dec, err := row.NewDecoder(codecs.Params{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 2*len(src)+100)
	size := mustEncode(t, enc, dst, src)
	if size == 0 {
		return
	}
	got := make([]byte, len(src))
	if err := dec.Decode(got, dst[:size]); err != nil || !bytes.Equal(got, src) {
		t.Fatalf("%s: %d bytes do not come back from %d: %v", row.Name, len(src), size, err)
	}
}

// FuzzZstdDictionary creates decoders with arbitrary dictionaries and decodes arbitrary bytes.
func FuzzZstdDictionary(f *testing.F) {
	row := plainCodecs()[codecs.Zstd.ID()]
	f.Add([]byte("\x37\xa4\x30\xec\x01\x00\x00\x00"), []byte("\x28\xb5\x2f\xfd\x20\x01\x09\x00\x00x"), uint16(1))
	f.Add([]byte{}, []byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, dict, stream []byte, n uint16) {
		dec, err := row.NewDecoder(codecs.Params{TypeSize: 1, Dict: dict})
		if err != nil {
			return
		}
		buf := bytes.Repeat([]byte{0xa5}, int(n)+64)
		if err := dec.Decode(buf[:n], stream); err == nil && len(stream) == 0 && n > 0 {
			t.Fatalf("nothing decodes to %d bytes", n)
		}
		for i, b := range buf[n:] {
			if b != 0xa5 {
				t.Fatalf("wrote %d bytes behind its output", i+1)
			}
		}
	})
}
