package blosclz

import (
	"bytes"
	"encoding/hex"
	"testing"
)

// FuzzDecode compares Decode with the reference on any stream and length.
func FuzzDecode(f *testing.F) {
	for stream, want := range streamsOfC() {
		b, err := hex.DecodeString(stream)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(len(want)))
		f.Add(b[:len(b)-1], uint16(len(want)))
	}
	f.Add([]byte{}, uint16(0))
	f.Add([]byte("\x20a\xe0\xff\xff\xff\xff\x00\x00\x00b"), uint16(2000))
	f.Fuzz(func(t *testing.T, stream []byte, n uint16) {
		buf := bytes.Repeat([]byte{0xa5}, int(n)+64)
		err := Decode(buf[:n], stream)
		want, ok := reference(stream, int(n))
		if len(stream) == 0 {
			ok = false
		}
		if ok != (err == nil) || ok && !bytes.Equal(buf[:n], want) {
			t.Fatalf("%x for %d bytes: error %v, the reference says %v", stream, n, err, ok)
		}
		for i, b := range buf[n:] {
			if b != 0xa5 {
				t.Fatalf("wrote %d bytes behind its output", i+1)
			}
		}
		half := make([]byte, n/2)
		if err := DecodePrefix(half, stream); ok && (err != nil || !bytes.Equal(half, want[:n/2])) {
			t.Fatalf("%x for half of %d bytes: error %v, or other bytes", stream, n, err)
		}
	})
}

// FuzzBloscLZRoundTrip encodes any bytes, some of them repeated, and decodes them.
func FuzzBloscLZRoundTrip(f *testing.F) {
	f.Add([]byte{}, uint8(5), uint8(0), uint16(0))
	f.Add([]byte("blosclz "), uint8(9), uint8(40), uint16(320))
	f.Add([]byte{0}, uint8(1), uint8(255), uint16(100))
	f.Add(sample(3000), uint8(7), uint8(10), uint16(20_000))
	f.Add(sample(20), uint8(3), uint8(200), uint16(2500))
	f.Fuzz(func(t *testing.T, data []byte, level, times uint8, room uint16) {
		src := bytes.Repeat(data, 1+int(times)%64)
		e := NewEncoder(int(level) % 10)
		dst := bytes.Repeat([]byte{0xa5}, int(room)+64)
		e.Encode(dst[:room:room], data) // earlier calls must not matter
		n := e.Encode(dst[:room], src)
		for i, b := range dst[room:] {
			if b != 0xa5 {
				t.Fatalf("wrote %d bytes behind its output", i+1)
			}
		}
		if n == 0 {
			return
		}
		got := make([]byte, len(src))
		if err := Decode(got, dst[:n]); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%d bytes do not come back from %d: %v", len(src), n, err)
		}
		fresh := make([]byte, room)
		if k := NewEncoder(int(level)%10).Encode(fresh, src); !bytes.Equal(fresh[:k], dst[:n]) {
			t.Fatalf("a used encoder makes %d bytes, a new one %d, and not the same", n, k)
		}
	})
}
