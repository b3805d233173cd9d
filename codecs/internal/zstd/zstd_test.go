package zstd_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs/internal/zstd"
	reference "github.com/klauspost/compress/zstd"
)

// A sample is data of one kind.
type sample struct {
	name string
	make func(n int) []byte
}

func samples() []sample {
	random := func() *rand.Rand { return rand.New(rand.NewPCG(3, 7)) }
	return []sample{
		{"zeros", func(n int) []byte { return make([]byte, n) }},
		{"ramp planes", func(n int) []byte { return planes(n, func(i int) uint32 { return uint32(i) }) }},
		{"walk planes", func(n int) []byte {
			r, at := random(), uint32(1<<30)
			return planes(n, func(int) uint32 { at += uint32(r.IntN(511)) - 255; return at })
		}},
		{"short periods", func(n int) []byte {
			r, b := random(), make([]byte, 0, n+100)
			for len(b) < n {
				pattern := make([]byte, 1+r.IntN(40))
				for i := range pattern {
					pattern[i] = byte(r.Uint32())
				}
				b = append(b, bytes.Repeat(pattern, 1+r.IntN(9))...)
			}
			return b[:n]
		}},
		{"skewed bytes", func(n int) []byte {
			r, b := random(), make([]byte, n)
			for i := range b {
				b[i] = byte(r.ExpFloat64() * 9)
			}
			return b
		}},
		{"six bits", func(n int) []byte {
			r, b := random(), make([]byte, n)
			for i := range b {
				b[i] = byte(r.IntN(64))
			}
			return b
		}},
		{"sparse", func(n int) []byte {
			r, b := random(), make([]byte, n)
			for range n / 50 {
				b[r.IntN(n)] = byte(r.Uint32())
			}
			return b
		}},
		{"noise", func(n int) []byte {
			r, b := random(), make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			return b
		}},
		{"far matches", func(n int) []byte {
			r, b := random(), make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
				if back := n / 2; i >= back && i%97 != 0 {
					b[i] = b[i-back]
				}
			}
			return b
		}},
	}
}

func planes(n int, next func(i int) uint32) []byte {
	b := make([]byte, n)
	for i := range n / 4 {
		var item [4]byte
		binary.LittleEndian.PutUint32(item[:], next(i))
		for plane, v := range item {
			b[plane*(n/4)+i] = v
		}
	}
	return b
}

func encoder(t testing.TB, options ...reference.EOption) *reference.Encoder {
	t.Helper()
	e, err := reference.NewWriter(nil, append(options, reference.WithEncoderConcurrency(1))...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func decoder(t testing.TB) *zstd.Decoder {
	t.Helper()
	d, err := zstd.NewDecoder(nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// encoders returns two encoders per level: one for single segments without a checksum, and one with
// a checksum and a window.
func encoders(t testing.TB) map[string]*reference.Encoder {
	all := map[string]*reference.Encoder{}
	for level := reference.SpeedFastest; level <= reference.SpeedBestCompression; level++ {
		all[level.String()] = encoder(t, reference.WithEncoderLevel(level), reference.WithSingleSegment(true), reference.WithEncoderCRC(false))
		all[level.String()+" checked"] = encoder(t, reference.WithEncoderLevel(level), reference.WithWindowSize(16<<10))
	}
	return all
}

// mustDecode decodes into memory between two fences.
func mustDecode(t *testing.T, d *zstd.Decoder, frame, want []byte, what string) {
	t.Helper()
	const fence = 64
	all := bytes.Repeat([]byte{0xa5}, len(want)+2*fence)
	dst := all[fence : fence+len(want)]
	if err := d.Decode(dst, frame); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if !bytes.Equal(dst, want) {
		for i := range dst {
			if dst[i] != want[i] {
				t.Fatalf("%s: byte %d of %d is %#x, want %#x", what, i, len(want), dst[i], want[i])
			}
		}
	}
	for i := range fence {
		if all[i] != 0xa5 || all[len(all)-1-i] != 0xa5 {
			t.Fatalf("%s: wrote outside of its output", what)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	d := decoder(t)
	for name, e := range encoders(t) {
		for _, s := range samples() {
			for _, n := range []int{0, 1, 2, 5, 31, 32, 33, 255, 256, 257, 1000, 2047, 4096, 8191, 32768, 65791, 65792, 131071, 131073, 500_000} {
				if testing.Short() && n > 131_073 {
					continue
				}
				src := s.make(n)
				mustDecode(t, d, e.EncodeAll(src, nil), src, fmt.Sprintf("%s, %d bytes of %s", name, n, s.name))
			}
		}
	}
}

// TestFrames decodes several frames as one stream, with skippable ones in between.
func TestFrames(t *testing.T) {
	e, d := encoder(t), decoder(t)
	skip := []byte("\x5f\x2a\x4d\x18\x03\x00\x00\x00abc")
	a, b := samples()[2].make(5000), samples()[4].make(300)
	stream := append(append(append(append([]byte(nil), skip...), e.EncodeAll(a, nil)...), skip...), e.EncodeAll(b, nil)...)
	mustDecode(t, d, stream, append(append([]byte(nil), a...), b...), "two frames")
	mustDecode(t, d, skip, nil, "nothing but a skippable frame")
	mustDecode(t, d, nil, nil, "no frame")
	for _, bad := range [][]byte{skip[:len(skip)-1], skip[:5], append(append([]byte(nil), stream...), 1)} {
		if err := d.Decode(make([]byte, len(a)+len(b)), bad); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
}

// TestChecksum flips a bit of the stored checksum, and one of content that only the checksum
// protects.
func TestChecksum(t *testing.T) {
	d := decoder(t)
	src := samples()[7].make(1000)
	frame := encoder(t).EncodeAll(src, nil)
	for _, at := range []int{len(frame) - 1, len(frame) - 4, 300} {
		bad := append([]byte(nil), frame...)
		bad[at] ^= 4
		if err := d.Decode(make([]byte, len(src)), bad); !errors.Is(err, cairn.ErrChecksum) || !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	mustDecode(t, d, frame, src, "after damage")
}

// TestDecodeRange decodes ranges of two blocks, of which the second repeats parts of the first:
// what comes before a range may still be needed.
func TestDecodeRange(t *testing.T) {
	const block = 128 << 10
	rnd := rand.New(rand.NewPCG(5, 6))
	for name, next := range map[string]func() byte{
		"raw blocks":    func() byte { return byte(rnd.Uint32()) },
		"only literals": func() byte { return byte(rnd.NormFloat64() * 20) },
	} {
		src := make([]byte, 2*block)
		for i := range src {
			src[i] = next()
		}
		copy(src[block:], src[:block/2])
		dst := make([]byte, len(src)+100)
		frame := dst[:zstd.NewEncoder(5).Encode(dst, src)]
		d := decoder(t)
		for _, r := range [][2]int{
			{0, 1}, {0, 9000}, {30_000, 34_000}, {32_760, 32_780}, {100_000, block}, {100_000, block + 1000},
			{block - 1, block + 1}, {block, block + 1}, {block + 5000, block + 7000}, {2*block - 1, 2 * block},
			{77, 2 * block},
		} {
			got := make([]byte, len(src))
			if err := d.DecodeRange(got, frame, r[0], r[1]); err != nil || !bytes.Equal(got[r[0]:r[1]], src[r[0]:r[1]]) {
				t.Errorf("%s: bytes %d to %d are others, or %v", name, r[0], r[1], err)
			}
		}
	}
}
