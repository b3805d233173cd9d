package govalue

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

func TestSwapWidthFollowsFileAndHost(t *testing.T) {
	for _, c := range []struct {
		dtype       string
		little, big int // width on a little-endian and on a big-endian host
	}{
		{"<f4", 0, 4}, {">f4", 4, 0}, {"<i2", 0, 2}, {">u8", 8, 0}, {"<c8", 0, 4}, {">c16", 8, 0}, {"|u1", 0, 0}, {"|b1", 0, 0}, {"|S8", 0, 0}, {"<U2", 0, 0},
	} {
		d, err := meta.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		if l, b := swapWidth(d, false), swapWidth(d, true); l != c.little || b != c.big {
			t.Errorf("%s: widths %d and %d, want %d and %d", c.dtype, l, b, c.little, c.big)
		}
	}
}

func TestFillValuesFitTheirDType(t *testing.T) {
	for _, c := range []struct {
		dtype string
		value any
		want  []byte // nil for ErrType
	}{
		{"<f4", 1.5, []byte{0, 0, 0xc0, 0x3f}},
		{">f4", float32(1.5), []byte{0x3f, 0xc0, 0, 0}},
		{"<f4", 3, []byte{0, 0, 0x40, 0x40}},
		{"<f4", math.NaN(), []byte{0, 0, 0xc0, 0x7f}},
		{"<f8", math.NaN(), []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}},
		{"<i2", -2, []byte{0xfe, 0xff}},
		{"<i2", uint8(7), []byte{7, 0}},
		{"<i2", 40000, nil},
		{"<i2", 1.5, nil},
		{"|u1", -1, nil},
		{"|u1", 255, []byte{255}},
		{"|u1", 256, nil},
		{"<u8", uint64(math.MaxUint64), bytes.Repeat([]byte{255}, 8)},
		{"<i8", uint64(math.MaxUint64), nil},
		{"|b1", true, []byte{1}},
		{"|b1", 1, nil},
		{"<c8", 2i, []byte{0, 0, 0, 0, 0, 0, 0, 0x40}},
		{"<f4", 2i, nil},
		{"<f4", "x", nil},
		{"<f4", nil, nil},
		{"|S3", []byte("abc"), []byte("abc")},
		{"|S3", []byte("ab"), nil},
		{"<M8[s]", 5, []byte{5, 0, 0, 0, 0, 0, 0, 0}},
		{"<M8[s]", time.Unix(5, 0), []byte{5, 0, 0, 0, 0, 0, 0, 0}},
		{"<M8[s]", time.Unix(5, 1), []byte{5, 0, 0, 0, 0, 0, 0, 0}},
		{"<M8[ps]", time.Unix(1e9, 0), nil},
		{"<m8[s]", 5 * time.Second, []byte{5, 0, 0, 0, 0, 0, 0, 0}},
		{"<m8[s]", 5, []byte{5, 0, 0, 0, 0, 0, 0, 0}},
		{"<i8", time.Duration(5), []byte{5, 0, 0, 0, 0, 0, 0, 0}},
		{"|S3", "ab", []byte{'a', 'b', 0}},
		{"|S3", "abcd", nil},
		{">U2", "é", []byte{0, 0, 0, 0xe9, 0, 0, 0, 0}},
		{"[('a', '<i2'), ('b', '|S2')]", map[string]any{"a": 7, "b": "x"}, []byte{7, 0, 'x', 0}},
		{"[('a', '<i2'), ('b', '|S2')]", map[string]any{"a": 7}, nil},
		{"[('a', '|i1', (2, 2))]", map[string]any{"a": [][]int8{{1, 2}, {3, 4}}}, []byte{1, 2, 3, 4}},
		{"[('a', '|i1', (2, 2))]", map[string]any{"a": []int8{1, 2, 3, 4}}, nil},
	} {
		d, err := meta.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		got, err := EncodeItem(d, d.Size(), c.value)
		if c.want == nil && !errors.Is(err, cairn.ErrType) && !errors.Is(err, cairn.ErrBounds) || c.want != nil && (err != nil || !bytes.Equal(got, c.want)) {
			t.Errorf("%s of %v (%T): %v %v, want %v", c.dtype, c.value, c.value, got, err, c.want)
		}
	}
}

// TestRoundFloat16 checks that numbers are rounded once: rounded to float32 first, this number
// would be a tie and be rounded the other way.
func TestRoundFloat16(t *testing.T) {
	if got := RoundFloat16(1 + 0x1p-11 + 0x1p-40); got != 0x3c01 {
		t.Errorf("just above the middle is %#x", got)
	}
}
