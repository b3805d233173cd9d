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

// framesAlike returns frames of size bytes of items in pairs with the same header, and others.
func framesAlike(t *testing.T, random *rand.Rand, shape ndarray.Shape, size int) (stored [][]byte) {
	t.Helper()
	src := make([]byte, size)
	for _, blocks := range []ndarray.Shape{{4, 8, 16}, shape} {
		for _, noise := range []int32{900, 900, 1, 1 << 30, 5} {
			for i := 0; i < size; i += 4 {
				binary.LittleEndian.PutUint32(src[i:], uint32(i/100)+uint32(random.Int32N(noise)))
			}
			if noise == 1 {
				clear(src)
			}
			array, err := ndarray.NewUntyped("<i4", shape, &ndarray.Options{
				ChunkShape: shape, BlockShape: blocks, Commits: frame.Commits{Deterministic: true},
			})
			if err == nil {
				err = array.WriteBox(t.Context(), src, make([]int64, 3), shape)
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := array.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, b)
		}
	}

	line, _, err := Encode(nil, src, []Filter{{ID: Blosc2, Params: []uint32{1, 0, 4, 0, 5, 1, 5}}})
	if err != nil {
		t.Fatal(err)
	}
	return append(stored, line, line, stored[0])
}

// TestFramesAlike decodes chunks one after the other with one decoder, as others do with a decoder
// each: frames with the same header, another one, damaged ones, and parts of them.
func TestFramesAlike(t *testing.T) {
	shape := ndarray.Shape{9, 20, 30}
	size := 9 * 20 * 30 * 4
	random := rand.New(rand.NewPCG(5, 6))
	stored := framesAlike(t, random, shape, size)

	filters := []Filter{{ID: Blosc2}}
	one, err := NewDecoder(filters)
	if err != nil {
		t.Fatal(err)
	}
	part := Part{Shape: shape, Start: []int64{2, 3, 4}, Stop: []int64{7, 19, 29}, ItemSize: 4}
	known := 0
	for i, src := range stored {
		for damage := range 60 {
			if damage > 0 {
				src = bytes.Clone(stored[i])
				src[random.IntN(len(src))] ^= byte(1 + random.IntN(255))
				src = src[:len(src)-damage%2*random.IntN(len(src)/2)]
			}
			if _, _, ok := one.w.lone.find(src, size); ok {
				known++
			}

			got, want := make([]byte, size), make([]byte, size)
			err, wantErr := one.Decode(got, src, 0), Decode(want, src, filters, 0)
			switch {
			case damage == 0 && (err != nil || wantErr != nil):
				t.Fatalf("frame %d: %v, %v", i, err, wantErr)
			case err != nil && !isRefusal(err):
				t.Errorf("frame %d, damage %d: %v", i, damage, err)
			case err == nil && wantErr == nil && !bytes.Equal(got, want):
				t.Errorf("frame %d, damage %d: other items", i, damage)
			}

			clear(got)
			if err == nil && wantErr == nil && one.DecodePart(got, src, 0, part) == nil {
				_ = strided.Packed(shape, 4).Walk(part.Start, part.Stop, func(r strided.Rows) error {
					for k := range r.Count {
						if at := r.Off + k*r.Stride; !bytes.Equal(got[at:][:r.Run], want[at:][:r.Run]) {
							t.Fatalf("frame %d, damage %d: other items of a part", i, damage)
						}
					}
					return nil
				})
			}
		}
	}
	if known < len(stored)*10 {
		t.Errorf("%d of %d chunks were decoded without opening the frame", known, len(stored)*60)
	}
}

func isRefusal(err error) bool {
	for _, kind := range []error{cairn.ErrCorrupt, cairn.ErrUnsupported, cairn.ErrLimit, cairn.ErrChecksum} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
