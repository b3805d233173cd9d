package chunk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// losses are codecs and filters that lose something of floats.
var losses = map[string]Options{
	"zfp_acc":    {Codec: codecs.ZFPAccuracy(-3)},
	"zfp_prec":   {Codec: codecs.ZFPPrecision(12)},
	"zfp_rate":   {Codec: codecs.ZFPRate(40)},
	"trunc_prec": {Filters: []shuffle.Spec{shuffle.TruncPrec(4), shuffle.Byte}},
	"ndmean":     {Filters: []shuffle.Spec{shuffle.NDMean(4), shuffle.Byte}},
}

// floats returns the bytes of floats of 4 or 8 bytes.
func floats(size int, values []float64) []byte {
	var out []byte
	for _, v := range values {
		if size == 4 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// waves returns a smooth field of 64 × 64 items. Blocks of 16 × 64 are contiguous.
func waves() []float64 {
	values := make([]float64, 64*64)
	for i := range values {
		values[i] = 280 + 9*math.Sin(float64(i%64)/7) + 5*math.Cos(float64(i/64)/9)
	}
	return values
}

// throughChunk encodes and decodes items.
func throughChunk(t *testing.T, o Options, size int, items []byte) (chunk, back []byte) {
	t.Helper()
	o.TypeSize, o.BlockShape, o.BlockSize = size, []int32{16, 64}, 16*64*size
	enc, err := NewEncoder(&o)
	if err != nil {
		t.Fatal(err)
	}
	if chunk, err = enc.Append(nil, items); err != nil {
		t.Fatal(err)
	}
	back = make([]byte, len(items))
	if _, err := NewDecoder(&DecodeOptions{BlockShape: o.BlockShape}).Decode(back, chunk); err != nil {
		t.Fatal(err)
	}
	return chunk, back
}

// TestLossesKeepWhatIsNoNumber puts NaN, infinities and missing values among floats.
func TestLossesKeepWhatIsNoNumber(t *testing.T) {
	odd := map[string][]float64{
		"NaN": {math.NaN()}, "infinity": {math.Inf(1), math.Inf(-1)}, "missing": {1e20, -999.9},
		"all": {math.NaN(), math.Inf(-1), 1e20, -999.9},
	}
	for name, o := range losses {
		for what, special := range odd {
			for _, size := range []int{4, 8} {
				for _, workers := range []int{1, 3} {
					t.Run(fmt.Sprintf("%s/%s/f%d/%d", name, what, size, workers), func(t *testing.T) {
						rng := rand.New(rand.NewPCG(1, 2))
						values := waves()
						for range 40 { // not in the last block
							values[rng.IntN(48*64)] = special[rng.IntN(len(special))]
						}
						items := floats(size, values)
						o.Workers = workers
						for _, v := range []float64{1e20, -999.9} {
							bits := append(floats(size, []float64{v}), make([]byte, 4)...)
							o.Exact = append(slices.Clip(o.Exact), binary.LittleEndian.Uint64(bits))
						}
						_, back := throughChunk(t, o, size, items)
						for i, v := range values {
							a, b := items[i*size:][:size], back[i*size:][:size]
							if slices.Contains(special, v) || math.IsNaN(v) {
								if !bytes.Equal(a, b) {
									t.Fatalf("item %d: %v became % x", i, v, b)
								}
							} else if d := math.Abs(v - floatOf(b)); !(d < 30) {
								t.Fatalf("item %d: %v became %v", i, v, floatOf(b))
							}
						}
						o.Exact = nil
					})
				}
			}
		}
	}
}

func floatOf(item []byte) float64 {
	if len(item) == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(item)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(item))
}

// TestAccuracyHolds gives zfp cells with numbers of very different size, and bounds below the
// precision of the items.
func TestAccuracyHolds(t *testing.T) {
	for _, size := range []int{4, 8} {
		for _, exponent := range []int{-30, -14, -7, -3, 2} {
			for _, large := range []float64{0, 1e7, 1e20, 3e38} {
				values := waves()
				for i := 300; i < len(values) && large != 0; i += 701 {
					values[i] = large
				}
				items := floats(size, values)
				_, back := throughChunk(t, Options{Codec: codecs.ZFPAccuracy(int8(exponent))}, size, items)
				for i := range values {
					a, b := floatOf(items[i*size:][:size]), floatOf(back[i*size:][:size])
					if !(math.Abs(a-b) <= math.Pow10(exponent)) {
						t.Fatalf("float%d, 10^%d, among %v: item %d: %v became %v", 8*size, exponent, large, i, a, b)
					}
				}
			}
		}
	}
}

// TestLossyChunksStaySmall checks that a chunk with a NaN in each block is compressed all the same,
// and that one with a NaN in one block keeps zfp for the others.
func TestLossyChunksStaySmall(t *testing.T) {
	values := waves()
	smooth, _ := throughChunk(t, losses["zfp_acc"], 8, floats(8, values))
	values[5] = math.NaN()
	one, _ := throughChunk(t, losses["zfp_acc"], 8, floats(8, values))
	for i := 0; i < len(values); i += 500 {
		values[i] = math.NaN()
	}
	each, _ := throughChunk(t, losses["zfp_acc"], 8, floats(8, values))

	for name, c := range map[string]struct {
		chunk []byte
		codec codecs.Codec
		most  int
	}{
		"smooth":  {smooth, codecs.ZFPAccuracy(-3), 16 << 10},
		"one NaN": {one, codecs.ZFPAccuracy(-3), 20 << 10},
		"NaNs":    {each, codecs.Zstd, 31 << 10},
	} {
		h, err := ParseHeader(c.chunk)
		if err != nil || h.Codec != c.codec || len(c.chunk) > c.most {
			t.Errorf("%s: codec %v, %d bytes (%v); want %v and at most %d", name, h.Codec, len(c.chunk), err, c.codec, c.most)
		}
	}
}

// TestIntTruncKeepsMissing also checks that no other integer becomes the missing one.
func TestIntTruncKeepsMissing(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		items := make([]byte, 64*64*size)
		for i := range 64 * 64 {
			items[i*size] = byte(i)
		}
		// 0x55 is not a multiple of 16, and 0x60 is what 0x61 to 0x6f would become.
		o := Options{Filters: []shuffle.Spec{shuffle.IntTrunc(-4), shuffle.Byte}, Exact: []uint64{0x55, 0x60}}
		_, back := throughChunk(t, o, size, items)
		for i := range 64 * 64 {
			want := byte(i) &^ 15
			if byte(i) == 0x55 || byte(i)&^15 == 0x60 {
				want = byte(i)
			}
			if back[i*size] != want {
				t.Fatalf("items of %d bytes: %#x became %#x, want %#x", size, byte(i), back[i*size], want)
			}
		}
	}
}
