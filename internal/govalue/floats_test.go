package govalue

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

func TestFloats(t *testing.T) {
	bits := binary.BigEndian.AppendUint64
	f64 := func(v float64) []byte { return bits(nil, math.Float64bits(v)) }
	i64 := func(v int64) []byte { return bits(nil, uint64(v)) }
	for _, c := range []struct {
		dtype string
		raw   []byte
		want  float64
	}{
		{"|b1", []byte{1}, 1}, {"|u1", []byte{200}, 200}, {"|i1", []byte{200}, -56},
		{">u2", []byte{255, 254}, 65534}, {"<u2", []byte{254, 255}, 65534}, {">i2", []byte{255, 254}, -2},
		{">u4", []byte{255, 255, 255, 254}, 4294967294}, {">i4", []byte{255, 255, 255, 254}, -2},
		{">u8", i64(-1), 1 << 64}, {">i8", i64(-5), -5}, {">f8", f64(-2.5), -2.5}, {">f8", f64(math.NaN()), math.NaN()},
		{">f4", binary.BigEndian.AppendUint32(nil, math.Float32bits(0.25)), 0.25},
		{"<f4", []byte{0, 0, 0x80, 0x3e}, 0.25},
		{"<f8", []byte{0, 0, 0, 0, 0, 0, 0xf0, 0xbf}, -1},
		{">f2", []byte{0x3c, 0}, 1}, {">f2", []byte{0xc0, 0}, -2}, {">f2", []byte{0, 1}, math.Ldexp(1, -24)},
		{">f2", []byte{0x7b, 0xff}, 65504}, {">f2", []byte{0xfc, 0}, math.Inf(-1)}, {">f2", []byte{0x7e, 0}, math.NaN()},
		{">c16", append(f64(3), f64(-4)...), 5},
		{">M8[D]", i64(-2), -172800}, {">M8[10ms]", i64(150), 1.5}, {">M8[M]", i64(14), 31536000 + 59*86400},
		{">M8[Y]", i64(-1), -31536000}, {">M8[s]", i64(NotATime), math.NaN()}, {">M8", i64(7), 7},
		{">m8[W]", i64(2), 14 * 86400}, {">m8[Y]", i64(1), 365.2425 * 86400},
	} {
		d, err := meta.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		f, err := FloatsOf(d)
		if err != nil {
			t.Errorf("%s: %v", c.dtype, err)
			continue
		}
		got := make([]float64, 2)
		f.Convert(got, append(c.raw, c.raw...))
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		if !same(got[0], c.want) || !same(got[1], c.want) {
			t.Errorf("%s %x is %v, want %v", c.dtype, c.raw, got, c.want)
		}
	}
	for _, text := range []string{"|S3", "<U2", "|V4", "[('a', '<f4')]"} {
		d, err := meta.ParseDType(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := FloatsOf(d); !errors.Is(err, cairn.ErrType) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
