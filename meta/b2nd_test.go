package meta

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

func b2ndSample() *B2ND {
	return &B2ND{Shape: []int64{5, 7}, ChunkShape: []int32{4, 5}, BlockShape: []int32{3, 2}, DType: "|u1"}
}

// dtypeAt is the offset of the dtype in a metalayer of two dimensions.
const dtypeAt = 6 + 19*2

func TestB2NDVariants(t *testing.T) {
	current := b2ndSample().Append(nil)
	if len(current) != 53 {
		t.Fatalf("%d bytes, want 53", len(current))
	}
	six := append(slices.Clone(current[:dtypeAt]), "\xdb\x00\x00\x00\x05int32"...)
	six[0] = 0x96
	caterva := slices.Clone(current[:dtypeAt])
	caterva[0] = 0x95
	for _, c := range []struct {
		name    string
		content []byte
		variant Variant
		dtype   string
	}{
		{"b2nd", current, B2NDCurrent, "|u1"},
		{"b2nd with six elements", six, B2NDSixElements, "int32"},
		{"caterva", caterva, Caterva, ""},
		{"b2nd", append(slices.Clone(current), "more"...), B2NDCurrent, "|u1"},
	} {
		m, err := ParseB2ND(c.content)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if m.Variant != c.variant || m.Variant.String() != c.name || m.DType != c.dtype || m.Format != 0 {
			t.Errorf("%s: got %v, %q, format %d", c.name, m.Variant, m.DType, m.Format)
		}
		if !slices.Equal(m.Shape, []int64{5, 7}) || !slices.Equal(m.ChunkShape, []int32{4, 5}) || !slices.Equal(m.BlockShape, []int32{3, 2}) {
			t.Errorf("%s: geometry %+v", c.name, m)
		}
		m.DType = "|u1"
		if got := m.Append(nil); !bytes.Equal(got, current) {
			t.Errorf("%s: written as % x, not in the current layout", c.name, got)
		}
	}
}

func TestB2NDMarkersOf16Dimensions(t *testing.T) {
	m := &B2ND{Shape: make([]int64, 16), ChunkShape: make([]int32, 16), BlockShape: make([]int32, 16), DType: "|u1"}
	b := m.Append([]byte("kept"))[4:]
	for _, at := range []int{3, 4 + 9*16, 5 + 14*16} {
		if b[at] != 0xa0 {
			t.Errorf("marker at %d is %#x, want 0xa0", at, b[at])
		}
	}
	back, err := ParseB2ND(b)
	if err != nil || !reflect.DeepEqual(back, m) {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestB2NDErrors(t *testing.T) {
	good := b2ndSample().Append(nil)
	for n := range good {
		m, err := ParseB2ND(good[:n])
		if n == dtypeAt {
			if err != nil || m.Variant != Caterva {
				t.Errorf("cut behind the block shape: %+v, %v", m, err)
			}
		} else if !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	for name, c := range map[string]struct {
		at    int
		value byte
	}{
		"17 dimensions": {2, 17}, "255 dimensions": {2, 255}, "negative shape": {5, 0x80}, "negative chunk": {24, 0x80}, "negative block": {35, 0x80},
		"block 0": {38, 0}, "marker of the dtype": {dtypeAt + 1, 0xda}, "length of the dtype": {dtypeAt + 5, 4}, "negative length": {dtypeAt + 2, 0x80}, "NUL in the dtype": {dtypeAt + 7, 0},
	} {
		b := slices.Clone(good)
		b[c.at] = c.value
		_, err := ParseB2ND(b)
		var corrupt *cairn.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Layer != "b2nd metalayer" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestB2NDValidate(t *testing.T) {
	const big = math.MaxInt64
	for _, c := range []struct {
		shape         []int64
		chunk, block  []int32
		want          string // empty: valid
		chunks        int64
		ext, extChunk []int64
	}{
		{[]int64{}, []int32{}, []int32{}, "", 1, []int64{}, []int64{}},
		{[]int64{5, 7}, []int32{4, 5}, []int32{3, 2}, "", 4, []int64{8, 10}, []int64{6, 6}},
		{[]int64{3}, []int32{10}, []int32{20}, "", 1, []int64{10}, []int64{20}},
		{[]int64{0, 5}, []int32{0, 2}, []int32{0, 1}, "", 0, []int64{0, 6}, []int64{0, 2}},
		{[]int64{0, 5}, []int32{3, 2}, []int32{1, 1}, "", 0, []int64{0, 6}, []int64{3, 2}},
		{[]int64{big}, []int32{1}, []int32{1}, "", big, []int64{big}, []int64{1}},
		{[]int64{big}, []int32{2}, []int32{1}, "rounded up", 0, nil, nil},
		{[]int64{1 << 32, 1 << 31}, []int32{1, 1}, []int32{1, 1}, "shape [4294967296 2147483648] overflows", 0, nil, nil},
		{[]int64{1 << 32, 1 << 31, 0}, []int32{1, 1, 1}, []int32{1, 1, 1}, "overflows", 0, nil, nil},
		{[]int64{0, 1 << 32, 1 << 31}, []int32{1, 1, 1}, []int32{1, 1, 1}, "", 0, []int64{0, 1 << 32, 1 << 31}, []int64{1, 1, 1}},
		{[]int64{1<<31 + 1, 1<<31 + 1}, []int32{1 << 29, 2}, []int32{1, 1}, "", 5 * (1<<30 + 1), []int64{5 << 29, 1<<31 + 2}, []int64{1 << 29, 2}},
		{[]int64{3 << 30, 5 << 29}, []int32{1<<31 - 1, 1}, []int32{1, 1}, "padded", 0, nil, nil},
		{[]int64{1, 1}, []int32{1 << 16, 1 << 15}, []int32{1, 1}, "chunk shape", 0, nil, nil},
		{[]int64{1, 1}, []int32{1, 1}, []int32{1 << 16, 1 << 15}, "block shape", 0, nil, nil},
		{[]int64{1}, []int32{0}, []int32{0}, "dimension 0", 0, nil, nil},
		{[]int64{0}, []int32{1}, []int32{0}, "block extent 0", 0, nil, nil},
		{[]int64{-1}, []int32{1}, []int32{1}, "negative", 0, nil, nil},
		{[]int64{1}, []int32{1, 1}, []int32{1}, "chunk shape 2", 0, nil, nil},
		{make([]int64, 17), make([]int32, 17), make([]int32, 17), "17 dimensions", 0, nil, nil},
	} {
		m := &B2ND{Shape: c.shape, ChunkShape: c.chunk, BlockShape: c.block}
		err := m.Validate()
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v %v %v: %v, want %q", c.shape, c.chunk, c.block, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v %v %v: %v", c.shape, c.chunk, c.block, err)
			continue
		}
		ext, err := m.extShape()
		if err != nil || m.NumChunks() != c.chunks || !slices.Equal(ext, c.ext) ||
			!slices.Equal(m.extChunkShape(), c.extChunk) {
			t.Errorf("%v %v %v: %d chunks, padded to %v and %v, %v", c.shape, c.chunk, c.block,
				m.NumChunks(), ext, m.extChunkShape(), err)
		}
	}
}

func TestChunkBytes(t *testing.T) {
	m := b2ndSample()
	chunk, err := m.ChunkBytes(4)
	if chunk != 144 || err != nil {
		t.Errorf("%d, %v", chunk, err)
	}
	huge := &B2ND{Shape: []int64{1}, ChunkShape: []int32{math.MaxInt32 - 32}, BlockShape: []int32{1}}
	if n, err := huge.ChunkBytes(1); n != maxChunkBytes || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, typeSize := range []int{2, math.MaxInt32, 0, -1} {
		if n, err := huge.ChunkBytes(typeSize); err == nil {
			t.Errorf("type size %d: chunk of %d bytes", typeSize, n)
		}
	}
}

func FuzzParseB2ND(f *testing.F) {
	for _, a := range readRecorded(f).Arrays {
		f.Add([]byte(a.Content))
	}
	f.Add(b2ndSample().Append(nil)[:dtypeAt])
	f.Add(append(b2ndSample().Append(nil)[:dtypeAt], "\xdb\x00\x00\x00\x05int32"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseB2ND(b)
		if err != nil {
			if !errors.Is(err, cairn.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		if n := m.NumChunks(); n < 0 {
			t.Fatalf("%d chunks", n)
		}
		back, err := ParseB2ND(m.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		back.Variant = m.Variant
		if fmt.Sprint(back) != fmt.Sprint(m) {
			t.Fatalf("%+v came back as %+v", m, back)
		}
	})
}
