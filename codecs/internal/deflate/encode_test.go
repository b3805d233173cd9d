package deflate_test

import (
	"bytes"
	"hash/crc32"
	"testing"

	"github.com/cairn-go/cairn/codecs/internal/deflate"
	"github.com/cairn-go/cairn/internal/asm/cpu"
	"github.com/cairn-go/cairn/internal/test/asmtest"
)

// TestEncode decodes the output of every level with the library.
func TestEncode(t *testing.T) {
	d := new(deflate.Decoder)
	for level := range deflate.Levels {
		e := deflate.NewEncoder(level)
		for _, n := range sizes() {
			for name, content := range samples(n) {
				dst, check := guarded(t, n+n/1000+100)
				size := e.Encode(dst, content)
				check()
				if got, used, ok := libraryDecode(n, dst[:size]); !ok || used != size || !bytes.Equal(got, content) {
					t.Fatalf("level %d, %d bytes of %s: the library does not get them back from %d", level, n, name, size)
				}
				got := make([]byte, n)
				if used, err := d.Decode(got, dst[:size]); err != nil || used != size || !bytes.Equal(got, content) {
					t.Fatalf("level %d, %d bytes of %s: %v", level, n, name, err)
				}
				if size == 0 || size > n+5*(1+n/60000)+8 {
					t.Errorf("level %d, %d bytes of %s: %d bytes", level, n, name, size)
				}
			}
		}
	}
}

// TestEncodeEverywhere checks that every machine makes the same bytes.
func TestEncodeEverywhere(t *testing.T) { asmtest.EachTier(t, encodeEverywhere) }

func encodeEverywhere(t *testing.T) {
	want := [deflate.Levels]uint32{
		0x99fc63b0, 0x99fc63b0, 0x9c5940c5, 0x947e19b9, 0x374e97ac,
		0xb0d5926, 0x514cf980, 0x2608471d, 0x7a2cb3cc, 0xb7c4fda0,
	}
	for level := range want {
		sum := crc32.NewIEEE()
		for _, name := range []string{"noise", "few", "runs", "periods"} {
			dst := make([]byte, 80000)
			sum.Write(dst[:deflate.NewEncoder(level).Encode(dst, samples(70000)[name])])
		}
		if got := sum.Sum32(); got != want[level] {
			t.Errorf("level %d: %#x, want %#x", level, got, want[level])
		}
	}
}

// TestEncodeRoom encodes into buffers that are too small, or just large enough.
func TestEncodeRoom(t *testing.T) {
	for _, level := range []int{1, 5, 9} {
		e := deflate.NewEncoder(level)
		for name, content := range samples(5000) {
			dst, _ := guarded(t, 6000)
			full := e.Encode(dst, content)
			want := bytes.Clone(dst[:full])
			for room := 0; room < full+20; room++ {
				if testing.Short() && room < full-150 {
					room += 100
				}
				dst, check := guarded(t, room)
				n := e.Encode(dst, content)
				check()
				if n != 0 && !bytes.Equal(dst[:n], want) || n == 0 && room >= full+12 {
					t.Fatalf("level %d, %s: %d of %d bytes in %d", level, name, n, full, room)
				}
			}
		}
	}
}

// TestEncodeEnds encodes runs and matches up to the end of the source, where whole words cannot be
// loaded.
func TestEncodeEnds(t *testing.T) {
	d := new(deflate.Decoder)
	for level := range deflate.Levels {
		e := deflate.NewEncoder(level)
		for n := range 60 {
			for after := range 12 {
				run := bytes.Repeat([]byte{7}, n)
				content := bytes.Join([][]byte{run, []byte("abcdefghijklm")[:after], []byte("x"), run, []byte("abcdefghijklm")[:after]}, nil)
				dst := make([]byte, len(content)+100)
				size := e.Encode(dst, content)
				got := make([]byte, len(content))
				if used, err := d.Decode(got, dst[:size]); err != nil || used != size || !bytes.Equal(got, content) {
					t.Fatalf("level %d, runs of %d, %d bytes after them: %v", level, n, after, err)
				}
			}
		}
	}
}

// TestEncodeReuse encodes other content in between, until positions are reset.
func TestEncodeReuse(t *testing.T) {
	e := deflate.NewEncoder(5)
	content := samples(100000)["mixed"]
	first := make([]byte, len(content))
	first = first[:e.Encode(first, content)]
	for _, other := range samples(3000) {
		e.Encode(make([]byte, 4000), other)
		again := make([]byte, len(content))
		if n := e.Encode(again, content); !bytes.Equal(again[:n], first) {
			t.Fatal("a used encoder makes other bytes")
		}
	}
	if n := testing.AllocsPerRun(3, func() { e.Encode(first[:cap(first)], content) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzEncode encodes any bytes, with and without assembly, and decodes them again, with the library
// as well.
func FuzzEncode(f *testing.F) {
	for _, n := range []int{0, 5, 300, 5000} {
		for _, content := range samples(n) {
			f.Add(uint8(n), content)
		}
	}
	var encoders [deflate.Levels]*deflate.Encoder
	for level := range encoders {
		encoders[level] = deflate.NewEncoder(level)
	}
	f.Fuzz(func(t *testing.T, level uint8, content []byte) {
		dst := make([]byte, len(content)+len(content)/1000+100)
		n := encoders[level%deflate.Levels].Encode(dst, content)
		if got, used, ok := libraryDecode(len(content), dst[:n]); !ok || used != n || !bytes.Equal(got, content) {
			t.Fatalf("the library does not get %d bytes back from %d", len(content), n)
		}
		plain := make([]byte, len(dst))
		restore := cpu.Limit(cpu.TierNone)
		plain = plain[:encoders[level%deflate.Levels].Encode(plain, content)]
		restore()
		if !bytes.Equal(plain, dst[:n]) {
			t.Fatalf("%d bytes encode to %d, in plain Go to %d, or not to the same", len(content), n, len(plain))
		}
		got := make([]byte, len(content))
		if used, err := new(deflate.Decoder).Decode(got, dst[:n]); err != nil || used != n || !bytes.Equal(got, content) {
			t.Fatalf("%d bytes do not come back from %d: %v", len(content), n, err)
		}
	})
}
