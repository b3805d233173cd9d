package zfp

import (
	"bytes"
	"testing"
)

// caseOf converts a few bytes to a case: small blocks of any shape, mode and parameter.
func caseOf(mode, parameter uint8, sides uint32) sampleCase {
	c := sampleCase{mode: Mode(mode % 3), parameter: parameter, typeSize: 4 + int(mode>>2&1)*4}
	dims := 1 + int(mode>>3&3)
	for range dims {
		c.shape = append(c.shape, 1+int32(sides&15)%[]int32{16, 9, 6, 4}[dims-1])
		sides >>= 4
	}
	return c
}

// FuzzDecode compares the decoder with the reference on any stream, for blocks of any shape.
func FuzzDecode(f *testing.F) {
	for i := range uint8(48) {
		c := caseOf(i, 3+i, 0x4567)
		src := block(int(i)%len(kinds), c.shape, c.typeSize, uint64(i))
		stream := make([]byte, 70*len(src)+5000)
		f.Add(i, 3+i, uint32(0x4567), stream[:c.codec(f).Encode(stream, src)])
	}
	f.Add(uint8(0), uint8(0), uint32(0), []byte{})
	f.Add(uint8(29), uint8(255), uint32(0xffff), bytes.Repeat([]byte{0xff}, 100))
	f.Fuzz(func(t *testing.T, mode, parameter uint8, sides uint32, stream []byte) {
		c := caseOf(mode, parameter, sides)
		codec := c.codec(t)
		want, used := newReference(c.mode, c.parameter, c.shape, c.typeSize).decode(stream)
		buf := bytes.Repeat([]byte{0xa5}, len(want)+64)
		err := codec.Decode(buf[:len(want)], stream)
		fits := used <= 8*len(stream) && 8*len(stream)-used < wordBits
		if fits != (err == nil) || fits && !bytes.Equal(buf[:len(want)], want) {
			t.Fatalf("%v, %x: %v, the reference uses %d bits", c, stream, err, used)
		}
		half := len(want) / 2
		part := bytes.Repeat([]byte{0xa5}, half+64)
		if err := codec.DecodeRange(part[:half], stream, 0, half); fits &&
			(err != nil || !bytes.Equal(part[:half], want[:half])) {
			t.Fatalf("%v, %x: half of it: %v, or other numbers", c, stream, err)
		}
		lo, hi := len(want)/3, len(want)/2
		span := bytes.Repeat([]byte{0xa5}, hi+64)
		if err := codec.DecodeRange(span[:hi], stream, lo, hi); fits && (err != nil || !bytes.Equal(span[lo:hi], want[lo:hi])) || !bytes.Equal(span[hi:], span[len(span)-64:]) || span[hi] != 0xa5 {
			t.Fatalf("%v, %x: bytes %d to %d: %v, or other numbers", c, stream, lo, hi, err)
		}
		if fence := bytes.Repeat([]byte{0xa5}, 64); !bytes.Equal(buf[len(want):], fence) || !bytes.Equal(part[half:], fence) {
			t.Fatalf("%v, %x: wrote behind its output", c, stream)
		}
	})
}

// FuzzZFPRoundTrip compares the encoder with the reference on any numbers, and decodes its output.
func FuzzZFPRoundTrip(f *testing.F) {
	for i := range uint8(48) {
		c := caseOf(i, 3+i, 0x4567)
		f.Add(i, 3+i, uint32(0x4567), block(int(i)%len(kinds), c.shape, c.typeSize, uint64(i)))
	}
	f.Fuzz(func(t *testing.T, mode, parameter uint8, sides uint32, numbers []byte) {
		c := caseOf(mode, parameter, sides)
		src := make([]byte, c.codec(t).size())
		for at := copy(src, numbers); at < len(src) && at > 0; {
			at += copy(src[at:], src[:at])
		}
		ref := newReference(c.mode, c.parameter, c.shape, c.typeSize)
		want := ref.encode(src)
		dst := bytes.Repeat([]byte{0xa5}, len(want)+64)
		codec := c.codec(t)
		if n := codec.Encode(dst[:len(want)], src); !bytes.Equal(dst[:n], want) || !bytes.Equal(dst[len(want):], bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatalf("%v, %x: %x, want %x", c, src, dst[:n], want)
		}
		decoded, _ := ref.decode(want)
		got := make([]byte, len(src))
		if err := codec.Decode(got, want); err != nil || !bytes.Equal(got, decoded) {
			t.Fatalf("%v, %x: %v, or other numbers than the reference has", c, src, err)
		}
	})
}
