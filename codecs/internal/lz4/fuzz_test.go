package lz4_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	reference "github.com/pierrec/lz4/v4"

	"github.com/cairn-go/cairn/codecs/internal/lz4"
	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/codectest"
)

// FuzzDecode compares Decode with the naive decoder on any stream, dictionary and length, and with
// the reference decoder if that one succeeds.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{}, []byte{}, uint16(0))
	f.Add([]byte("\x1fa\x01\x00\xff\x00\x10b"), []byte{}, uint16(276))
	f.Add([]byte("\x12x\x03\x00\x10e"), []byte("abcd"), uint16(8))
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 20 {
		dict := codectest.Kinds()[3].Make(i % 2 * 300)
		stream, n := randomStream(r, len(dict))
		f.Add(stream, dict, uint16(n))
	}
	f.Fuzz(func(t *testing.T, stream, dict []byte, n uint16) {
		buf := bytes.Repeat([]byte{0xa5}, int(n)+128)
		got := buf[64:][:n]
		err := lz4.Decode(got, stream, dict)
		want, ok := naive(stream, dict, int(n))
		if ok != (err == nil) || ok && !bytes.Equal(got, want) {
			t.Fatalf("%x for %d bytes: error %v, naively %v", stream, n, err, ok)
		}
		for i := range 64 {
			if buf[i] != 0xa5 || buf[64+int(n)+i] != 0xa5 {
				t.Fatal("wrote outside of its output")
			}
		}
		all := append(bytes.Clone(dict), make([]byte, n)...)
		err = lz4.DecodeBehind(all, stream, len(dict))
		if ok != (err == nil) || ok && !bytes.Equal(all[len(dict):], want) || !bytes.Equal(all[:len(dict)], dict) {
			t.Fatalf("%x for %d bytes behind the dictionary: error %v, naively %v", stream, n, err, ok)
		}
		half := make([]byte, n/2)
		if err := lz4.DecodePrefix(half, stream, dict); ok && (err != nil || !bytes.Equal(half, want[:n/2])) {
			t.Fatalf("%x for half of %d bytes: error %v, or other bytes", stream, n, err)
		}
		// The reference rejects some matches in a dictionary, and accepts streams that end after a
		// match, which liblz4 rejects.
		theirs := make([]byte, n)
		k, err := reference.UncompressBlockWithDict(stream, theirs, dict)
		if ok && err == nil && !bytes.Equal(theirs[:k], want) {
			t.Fatalf("%x for %d bytes: the reference disagrees", stream, n)
		}
	})
}

// FuzzEncode encodes any bytes, partly repeated, with both encoders, with and without assembly. Two
// decoders must restore them.
func FuzzEncode(f *testing.F) {
	f.Add([]byte{}, uint8(1), uint8(0), uint16(0))
	f.Add([]byte("lz4 block "), uint8(5), uint8(40), uint16(320))
	f.Add([]byte{0}, uint8(1), uint8(255), uint16(100))
	f.Add(codectest.Kinds()[4].Make(3000), uint8(7), uint8(10), uint16(20_000))
	f.Add(codectest.Kinds()[3].Make(1100), uint8(1), uint8(62), uint16(65_000))
	f.Fuzz(func(t *testing.T, data []byte, acceleration, times uint8, room uint16) {
		src := bytes.Repeat(data, 1+int(times)%64)
		for i := 0; times >= 128 && i < len(src); i += 1 + i/3 {
			src[i] ^= acceleration // so that repetitions differ
		}
		e := lz4.NewEncoder(int(acceleration) % 11)
		buf := bytes.Repeat([]byte{0xa5}, int(room)+64)
		e.Encode(buf[:room:room], data) // earlier calls must not matter
		n := e.Encode(buf[:room], src)
		for i, b := range buf[room:] {
			if b != 0xa5 {
				t.Fatalf("wrote %d bytes behind its output", i+1)
			}
		}
		plain := make([]byte, room)
		restore := cpu.Limit(cpu.TierNone)
		k := lz4.NewEncoder(int(acceleration)%11).Encode(plain, src)
		restore()
		if !bytes.Equal(buf[:n], plain[:k]) {
			t.Fatalf("%d bytes encode to %d, in plain Go to %d, or not to the same", len(src), n, k)
		}
		if n == 0 {
			return
		}
		checkDecodes(t, buf[:n], src)
		hc := lz4.NewHCEncoder(int(times) % 10)
		hc.Encode(buf[:room:room], data)
		n = hc.Encode(buf[:room], src)
		restore = cpu.Limit(cpu.TierNone)
		k = hc.Encode(plain, src)
		restore()
		if !bytes.Equal(buf[:n], plain[:k]) {
			t.Fatalf("%d bytes encode to %d, in plain Go to %d, or not to the same", len(src), n, k)
		}
		if n > 0 {
			checkDecodes(t, buf[:n], src)
		}
	})
}
