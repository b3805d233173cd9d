package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/strided"
	"github.com/cairn-go/cairn/ndarray"
)

// TestDecodePart compares parts of chunks with the same items of whole ones.
func TestDecodePart(t *testing.T) {
	shape, size := []int64{24, 40, 50}, int64(4)
	src := make([]byte, 24*40*50*4)
	for i := 0; i < len(src); i += 4 {
		binary.LittleEndian.PutUint32(src[i:], uint32(i*i/977))
	}
	array, err := ndarray.NewUntyped("<i4", shape, &ndarray.Options{ChunkShape: shape, BlockShape: ndarray.Shape{8, 8, 16}})
	if err != nil {
		t.Fatal(err)
	}
	if err := array.WriteBox(t.Context(), src, make([]int64, 3), shape); err != nil {
		t.Fatal(err)
	}
	inner, err := array.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, test := range []struct {
		name    string
		filters []Filter
		stored  []byte // if Encode does not make it
	}{
		{"blosc", []Filter{{ID: Blosc, Params: []uint32{2, 2, 4, 0, 5, 1, 1}}}, nil},
		{"blosc of longer items", []Filter{{ID: Blosc, Params: []uint32{2, 2, 7, 0, 5, 1, 1}}}, nil},
		{"blosc2 chunk", []Filter{{ID: Blosc2, Params: []uint32{1, 0, 4, 0, 5, 1, 5}}}, nil},
		{"blosc2 array", []Filter{{ID: Blosc2}}, inner},
		{"deflate", []Filter{{ID: Deflate, Params: []uint32{1}}}, nil},
		{"two", []Filter{{ID: Blosc, Params: []uint32{2, 2, 4, 0, 5, 1, 1}}, {ID: Fletcher32}}, nil},
	} {
		stored, mask := test.stored, uint32(0)
		if stored == nil {
			if stored, mask, err = Encode(nil, src, test.filters); err != nil {
				t.Fatal(err)
			}
		}
		d, err := NewDecoder(test.filters)
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			p := Part{Shape: shape, Start: make([]int64, 3), Stop: make([]int64, 3), ItemSize: size}
			for i, n := range shape {
				p.Start[i] = r.Int64N(n)
				p.Stop[i] = p.Start[i] + r.Int64N(n-p.Start[i]+1)
			}
			dst := make([]byte, len(src))
			if err := d.DecodePart(dst, stored, mask, p); err != nil {
				t.Fatalf("%s, %v to %v: %v", test.name, p.Start, p.Stop, err)
			}
			if p.size() == 0 {
				continue
			}
			_ = strided.Packed(shape, size).Walk(p.Start, p.Stop, func(rows strided.Rows) error {
				for k := range rows.Count {
					off := rows.Off + k*rows.Stride
					if !bytes.Equal(dst[off:][:rows.Run], src[off:][:rows.Run]) {
						t.Fatalf("%s, %v to %v: other bytes at %d", test.name, p.Start, p.Stop, off)
					}
				}
				return nil
			})
		}
	}
}

// TestDecodePartReadsLess breaks the end of a chunk: a part at its beginning does not need it.
func TestDecodePartReadsLess(t *testing.T) {
	src := make([]byte, 1<<20)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range src {
		src[i] = byte(r.IntN(16))
	}
	shape, blocks := []int64{1 << 10, 1 << 10}, ndarray.Shape{64, 1 << 10}
	array, err := ndarray.NewUntyped("|u1", shape, &ndarray.Options{ChunkShape: shape, BlockShape: blocks,
		Commits: frame.Commits{Deterministic: true}}) // without checksums, as C-Blosc2 writes it
	if err != nil {
		t.Fatal(err)
	}
	if err := array.WriteBox(t.Context(), src, []int64{0, 0}, shape); err != nil {
		t.Fatal(err)
	}
	inner, err := array.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Filter{
		{ID: Blosc, Params: []uint32{2, 2, 1, 0, 5, 0, 5}}, {ID: Blosc2, Params: []uint32{1, 0, 1, 0, 5, 0, 5}}, {ID: Blosc2},
	} {
		stored := bytes.Clone(inner)
		if f.Params != nil {
			if stored, _, err = Encode(nil, src, []Filter{f}); err != nil {
				t.Fatal(err)
			}
		}
		clear(stored[len(stored)*3/4 : len(stored)*19/20])
		d, err := NewDecoder([]Filter{f})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, len(src))
		if err := d.Decode(dst, stored, 0); err == nil {
			t.Fatalf("%v: the damage does not matter", f)
		}
		p := Part{Shape: shape, Start: []int64{0, 5}, Stop: []int64{1, 1000}, ItemSize: 1}
		if err := d.DecodePart(dst, stored, 0, p); err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		if !bytes.Equal(dst[5:1000], src[5:1000]) {
			t.Fatalf("%v: other bytes", f)
		}
	}
}

func TestDecodePartBounds(t *testing.T) {
	d, err := NewDecoder([]Filter{{ID: Blosc}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Part{
		{Shape: []int64{4, 4}, Start: []int64{0}, Stop: []int64{4}, ItemSize: 1},
		{Shape: []int64{4, 4}, Start: []int64{0, 0}, Stop: []int64{4, 5}, ItemSize: 1},
		{Shape: []int64{4, 4}, Start: []int64{3, 0}, Stop: []int64{2, 4}, ItemSize: 1},
		{Shape: []int64{4, 4}, Start: []int64{-1, 0}, Stop: []int64{2, 4}, ItemSize: 1},
		{Shape: []int64{4, 5}, Start: []int64{0, 0}, Stop: []int64{4, 4}, ItemSize: 1},
		{Shape: []int64{4, 4}, Start: []int64{0, 0}, Stop: []int64{4, 4}, ItemSize: 0},
		{Shape: []int64{4, 4}, Start: []int64{0, 0}, Stop: []int64{4, 4}, ItemSize: 3},
		{Shape: []int64{1 << 62, 1 << 62}, Start: []int64{0, 0}, Stop: []int64{4, 4}, ItemSize: 1},
	} {
		if err := d.DecodePart(make([]byte, 16), make([]byte, 32), 0, p); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
