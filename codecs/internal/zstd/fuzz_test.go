package zstd_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zstd"
	"github.com/cairn-go/cairn/internal/asm/cpu"
	reference "github.com/klauspost/compress/zstd"
)

// FuzzDecode compares every tier with the library. Streams that both accept must decode to the same
// bytes, and streams that the library rejects must be rejected.
func FuzzDecode(f *testing.F) {
	for _, e := range encoders(f) {
		for _, s := range samples() {
			for _, n := range []int{1, 300, 3000} {
				src := s.make(n)
				f.Add(uint32(n), e.EncodeAll(src, nil))
			}
		}
	}
	for _, frame := range frames(f) {
		f.Add(uint32(len(frame.content)), frame.stream)
	}
	f.Add(uint32(1), []byte("\x22\xb5\x2f\xfd \x01\x00\x00\t"))
	lib, err := reference.NewReader(nil, reference.WithDecoderConcurrency(1), reference.WithDecodeAllCapLimit(true), reference.WithDecoderLowmem(true))
	if err != nil {
		f.Fatal(err)
	}
	d := decoder(f)
	f.Fuzz(func(t *testing.T, n uint32, stream []byte) {
		n %= 1 << 18
		buf := bytes.Repeat([]byte{0xa5}, int(n)+64)
		dst := buf[:n:n]
		err := d.Decode(dst, stream)
		// ErrUnsupported is for frames of Zstandard before 0.8
		if err != nil && !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrUnsupported) {
			t.Fatalf("error of another kind: %v", err)
		}
		for i, b := range buf[n:] {
			if b != 0xa5 {
				t.Fatalf("wrote %d bytes behind its output", i+1)
			}
		}
		restore := cpu.Limit(cpu.TierNone)
		plain := make([]byte, n)
		plainErr := d.Decode(plain, stream)
		restore()
		if (err == nil) != (plainErr == nil) || err == nil && !bytes.Equal(plain, dst) {
			t.Fatalf("plain Go: %v, this tier: %v", plainErr, err)
		}
		part := bytes.Repeat([]byte{0xa5}, int(n)+64)
		lo, hi := int(n)/3, int(n)/2
		partErr := d.DecodeRange(part[:n:n], stream, lo, hi)
		if err == nil && (partErr != nil || !bytes.Equal(part[lo:hi], dst[lo:hi])) {
			t.Fatalf("bytes %d to %d are others, or %v", lo, hi, partErr)
		}
		if !bytes.Equal(part[n:], buf[n:]) {
			t.Fatal("wrote behind the output of a range")
		}
		want, wantErr := lib.DecodeAll(stream, make([]byte, 0, n))
		if err == nil && len(stream) > 5 && stream[4]&0x20 == 0 && stream[5] > 19<<3 {
			return // the library rejects windows over 512 MiB; C does not
		}
		if err == nil && wantErr != nil {
			t.Fatalf("decodes to %d bytes, the library says %v", n, wantErr)
		}
		if err == nil && !bytes.Equal(dst, want) {
			t.Fatal("the library decodes to other bytes")
		}
	})
}

// FuzzNewDecoder builds decoders from any bytes as a dictionary.
func FuzzNewDecoder(f *testing.F) {
	dict := dictionary(f)
	f.Add(dict, []byte{})
	f.Add(dict[:200], []byte("x"))
	f.Fuzz(func(t *testing.T, dict, stream []byte) {
		d, err := zstd.NewDecoder(dict)
		if err != nil {
			if dict != nil && !errors.Is(err, cairn.ErrCorrupt) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		if err := d.Decode(make([]byte, 1000), stream); err == nil && len(stream) == 0 {
			t.Fatal("nothing decodes to 1000 bytes")
		}
	})
}

// FuzzEncode encodes any bytes, repeated to some length, at any level, and decodes them with this
// package and with the library.
func FuzzEncode(f *testing.F) {
	for i, s := range samples() {
		f.Add(uint8(i), uint8(i), s.make(500))
	}
	lib, err := reference.NewReader(nil, reference.WithDecoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	d := decoder(f)
	var encoders [10]*zstd.Encoder
	for level := range encoders {
		encoders[level] = zstd.NewEncoder(level)
	}
	f.Fuzz(func(t *testing.T, level, times uint8, unit []byte) {
		src := bytes.Repeat(unit, 1+int(times)%20)
		e := encoders[level%10]
		dst := make([]byte, len(src)+64)
		frame := dst[:e.Encode(dst, src)]
		if len(frame) == 0 {
			t.Fatalf("%d bytes do not fit into %d", len(src), len(dst))
		}
		if got, err := lib.DecodeAll(frame, nil); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("level %d, %d bytes: the library says %v", level%10, len(src), err)
		}
		back := make([]byte, len(src))
		if err := d.Decode(back, frame); err != nil || !bytes.Equal(back, src) {
			t.Fatalf("level %d, %d bytes: %v", level%10, len(src), err)
		}
		if len(unit)%16 != 0 {
			return // a new encoder takes some MiB
		}
		again := make([]byte, len(dst))
		if n := zstd.NewEncoder(int(level%10)).Encode(again, src); !bytes.Equal(again[:n], frame) {
			t.Fatalf("level %d, %d bytes: a fresh encoder gives others", level%10, len(src))
		}
	})
}
