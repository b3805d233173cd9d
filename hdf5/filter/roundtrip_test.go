package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

// encodable are lists of filters that Encode accepts.
var encodable = [][]Filter{
	{},
	{{ID: Deflate, Params: []uint32{6}}},
	{{ID: Shuffle, Params: []uint32{4}}, {ID: Deflate, Params: []uint32{1}}},
	{{ID: Shuffle, Params: []uint32{3}}, {ID: LZF}, {ID: Fletcher32}},
	{{ID: LZF}},
	{{ID: Zstd, Params: []uint32{3}}},
	{{ID: LZ4}},
	{{ID: LZ4, Params: []uint32{100}}},
	{{ID: Bitshuffle, Params: []uint32{0, 3, 4, 0}}},
	{{ID: Bitshuffle, Params: []uint32{0, 3, 2, 64, 2}}},
	{{ID: Bitshuffle, Params: []uint32{0, 3, 8, 0, 3, 5}}},
	{{ID: Blosc, Params: []uint32{2, 2, 4, 0, 5, 1, 1}}},
	{{ID: Blosc, Params: []uint32{2, 2, 4, 0, 9, 2, 5}}},
	{{ID: Blosc2, Params: []uint32{1, 0, 4, 0, 5, 1, 1}}},
	{{ID: Blosc2, Params: []uint32{1, 0, 8, 0, 5, 2, 5}}},
	// Only the last of several compressors has its size from the ones before.
	{{ID: LZF}, {ID: Deflate}},
	{{ID: Deflate}, {ID: LZF}, {ID: Zstd}},
	{{ID: Zstd}, {ID: LZ4}, {ID: Fletcher32}, {ID: Blosc, Params: []uint32{2, 2, 1, 0, 5, 0, 0}}},
	{{ID: LZ4}, {ID: Bitshuffle, Params: []uint32{0, 3, 1, 0, 2}}, {ID: Blosc2}},
	{{ID: Fletcher32}, {ID: Shuffle, Params: []uint32{2}}, {ID: Fletcher32}},
}

// contents returns chunks of several sizes and kinds.
func contents() [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	var all [][]byte
	for _, n := range []int{0, 1, 2, 3, 7, 8, 31, 32, 33, 100, 257, 1000, 8191, 40000, 100003} {
		walk, noise := make([]byte, n), make([]byte, n)
		v := int32(1000)
		for i := 0; i+4 <= n; i += 4 {
			v += int32(r.IntN(7)) - 3
			binary.LittleEndian.PutUint32(walk[i:], uint32(v))
			binary.LittleEndian.PutUint32(noise[i:], r.Uint32())
		}
		all = append(all, walk, noise, make([]byte, n), bytes.Repeat([]byte("abc"), n/3))
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	for _, filters := range encodable {
		e, err := NewEncoder(filters)
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDecoder(filters)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, src := range contents() {
			before := bytes.Clone(src)
			enc, mask, err := e.Append([]byte("head"), src)
			if err != nil {
				t.Fatal(filters, len(src), err)
			}
			enc, ok := bytes.CutPrefix(enc, []byte("head"))
			if !ok || !bytes.Equal(src, before) {
				t.Fatal(filters, len(src), "Encode changed what it should not")
			}
			if len(filters) > 0 && mask == 1<<len(filters)-1 {
				left++
			}
			got := make([]byte, len(src))
			if err := d.Decode(got, enc, mask); err != nil || !bytes.Equal(got, src) {
				t.Fatal(filters, len(src), mask, err)
			}
		}
		if left > len(contents())*4/5 {
			t.Errorf("%v: filters left out in %d chunks", filters, left)
		}
	}
}

// TestInPlace appends to memory of chunks before, as writers do, and to other bytes.
func TestInPlace(t *testing.T) {
	for _, filters := range encodable {
		e, err := NewEncoder(filters)
		if err != nil {
			t.Fatal(err)
		}
		var again []byte
		for _, src := range contents() {
			before := bytes.Clone(src)
			want, wantMask, err := Encode([]byte("head"), src, filters)
			if err != nil {
				t.Fatal(err)
			}
			var mask uint32
			if again, mask, err = e.Append(again[:0], src); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, want[4:]) || mask != wantMask || !bytes.Equal(src, before) {
				t.Fatalf("%v, %d bytes: %d bytes and mask %b, of a chunk alone %d and %b", filters, len(src), len(again), mask,
					len(want)-4, wantMask)
			}
			if len(again) > 0 && len(src) > 0 && &again[0] == &src[0] {
				t.Fatalf("%v: the result is the source", filters)
			}
		}
	}
}

// TestAlikeFrames compares frames that are made of the parts of another with those that are built.
func TestAlikeFrames(t *testing.T) {
	for _, item := range []uint32{1, 4, 8, 300} {
		for _, codec := range []uint32{0, 1, 5} {
			f := Filter{ID: Blosc2, Params: []uint32{2, 2, item, 0, 5, 1, codec}}
			o, err := bloscOptions(f)
			if err != nil {
				t.Fatal(err)
			}
			w := &workspace{}
			alike := 0
			for range 2 {
				for _, src := range contents() {
					if len(src) == 0 {
						continue
					}
					got, err := blosc2Encode(w, f, nil, src)
					if err != nil {
						t.Fatal(err)
					}
					if w.alike.header != nil {
						alike++
					}
					want, err := buildFrame(f, o, src)
					if err != nil {
						t.Fatal(err)
					}
					if want = smaller(want, src); !bytes.Equal(got, want) {
						t.Fatalf("%v, %d bytes: a frame of %d bytes, want %d", f, len(src), len(got), len(want))
					}
				}
			}
			if item <= largestItem && alike == 0 {
				t.Fatalf("%v: no frame was remembered", f)
			}
		}
	}
}

// Filters that round numbers leave nothing to undo.
func TestOnlyRounded(t *testing.T) {
	for _, id := range []ID{BitGroom, BitRound} {
		items, got := []byte("1234abcd"), make([]byte, 8)
		stored, mask, err := Encode(nil, items, []Filter{{ID: Deflate}})
		if err != nil {
			t.Fatal(err)
		}
		if err := Decode(got, stored, []Filter{{ID: id, Params: []uint32{3, 4}}, {ID: Deflate}}, mask<<1); err != nil ||
			!bytes.Equal(got, items) {
			t.Fatal(id, err)
		}
		if _, err := NewEncoder([]Filter{{ID: id}}); !errors.Is(err, cairn.ErrUnsupported) {
			t.Fatal(id, err)
		}
	}
}

// LZF's copies may overlap their source in every way.
func TestMatches(t *testing.T) {
	for back := 1; back < 40; back++ {
		for n := 1; n < 300; n++ {
			b := make([]byte, 40+n)
			for i := range 40 {
				b[i] = byte(i * 7)
			}
			copyMatch(b, 40, n, back)
			for i := 40; i < len(b); i++ {
				if b[i] != b[i-back] {
					t.Fatal(back, n, i)
				}
			}
		}
	}
}

func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		src := make([]byte, r.IntN(60))
		var all string
		for i := range src {
			src[i] = byte(r.Uint32())
			for k := 7; k >= 0; k-- {
				all += string('0' + src[i]>>k&1)
			}
		}
		bits := bitReader{src: src}
		for len(all) > 0 {
			n := uint(min(r.IntN(65), len(all)))
			v := bits.take(n)
			for k := range n {
				if v>>(n-1-k)&1 != uint64(all[k]-'0') {
					t.Fatal(n, k, v)
				}
			}
			all = all[n:]
		}
	}
}

func TestRefusals(t *testing.T) {
	scale := func(set map[int]uint32) Filter {
		p := make([]uint32, scaleParams)
		p[scaleKind], p[scaleItems], p[scaleBytes] = 2, 4, 4
		for i, v := range set {
			p[i] = v
		}
		return Filter{ID: ScaleOffset, Params: p}
	}
	for _, c := range []struct {
		f    Filter
		want string
		is   error
	}{
		{Filter{ID: 4, Params: []uint32{141, 8, 16}}, "3 parameters", cairn.ErrCorrupt},
		{Filter{ID: 4, Params: []uint32{141, 8, 26, 100}}, "26 bits", cairn.ErrCorrupt},
		{Filter{ID: 4, Params: []uint32{141, 7, 16, 100}}, "blocks of 7 samples", cairn.ErrCorrupt},
		{Filter{ID: 4, Params: []uint32{141, 8, 16, 1 << 30}}, "lines of 1073741824", cairn.ErrCorrupt},
		{Filter{ID: 32013}, "HDF5 filter 32013 (zfp) cannot be decoded; h5repack", cairn.ErrUnsupported},
		{Filter{ID: 305, Name: "other"}, "HDF5 filter 305 (lzo) cannot be decoded; ptrepack", cairn.ErrUnsupported},
		{Filter{ID: 400, Name: "my own"}, `HDF5 filter 400 ("my own") cannot`, cairn.ErrUnsupported},
		{Filter{ID: 400}, "HDF5 filter 400 (unknown) cannot", cairn.ErrUnsupported},
		{Filter{ID: Bitshuffle, Params: []uint32{0, 0, 4, 0, 1}}, "(bitshuffle) with compressor 1", cairn.ErrUnsupported},
		{Filter{ID: Bitshuffle}, "items of 0 bytes", cairn.ErrCorrupt},
		{Filter{ID: Bitshuffle, Params: []uint32{0, 0, 4, 7}}, "blocks of 7 items", cairn.ErrCorrupt},
		{Filter{ID: ScaleOffset}, "0 parameters", cairn.ErrCorrupt},
		{scale(map[int]uint32{scaleBytes: 3}), "numbers of class 0 with 3 bytes", cairn.ErrCorrupt},
		{scale(map[int]uint32{scaleKind: 1, scaleClass: 1}), "binary factor", cairn.ErrUnsupported},
		{scale(map[int]uint32{scaleFactor: 33}), "33 bits", cairn.ErrCorrupt},
		{Filter{ID: NBit, Params: []uint32{3, 0, 5}}, "parameters end", cairn.ErrCorrupt},
		{Filter{ID: NBit, Params: []uint32{5, 0, 5, 1, 0}}, "type of 0 bytes", cairn.ErrCorrupt},
		{Filter{ID: NBit, Params: []uint32{8, 0, 5, 1, 2, 0, 12, 5}}, "12 bits from bit 5", cairn.ErrCorrupt},
		{Filter{ID: NBit, Params: []uint32{6, 0, 5, 3, 4, 0}}, "without a bit", cairn.ErrCorrupt},
	} {
		err := Check([]Filter{c.f})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.f, err, c.want)
		}
		if err := Decode(make([]byte, 8), make([]byte, 8), []Filter{c.f}, 0); !errors.Is(err, c.is) {
			t.Errorf("%v: %v", c.f, err)
		}
	}
}

// What a chunk states about its size costs no memory.
func TestClaims(t *testing.T) {
	huge := make([]byte, 64)
	binary.BigEndian.PutUint64(huge, 1<<40)
	binary.BigEndian.PutUint32(huge[8:], 1<<20)
	for _, filters := range [][]Filter{{{ID: LZ4}}, {{ID: LZF}, {ID: LZ4}}} {
		var most error = cairn.ErrCorrupt
		if len(filters) > 1 {
			most = cairn.ErrLimit
		}
		if err := Decode(make([]byte, 100), huge, filters, 0); !errors.Is(err, most) {
			t.Error(filters, err)
		}
	}
	bomb, _, err := Encode(nil, make([]byte, 1<<20), []Filter{{ID: Deflate}})
	if err != nil {
		t.Fatal(err)
	}
	if err := Decode(make([]byte, 100), bomb, []Filter{{ID: LZF}, {ID: Deflate}}, 0); !errors.Is(err, cairn.ErrLimit) {
		t.Error(err)
	}
}

func TestAllocations(t *testing.T) {
	chunks, filters := goldens(t)
next:
	for i, g := range chunks {
		for _, f := range filters[i] {
			if f.ID == Blosc2 || f.ID == BZip2 || f.ID == NBit || f.ID == ScaleOffset {
				continue next // open a frame, read a stream, or parse a type
			}
		}
		d, err := NewDecoder(filters[i])
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, len(g.Items))
		n := testing.AllocsPerRun(10, func() {
			if err := d.Decode(dst, g.Stored, g.Mask); err != nil {
				t.Fatal(err)
			}
		})
		if n > 1 {
			t.Errorf("%s: %v allocations", g.Name, n)
		}
	}
}
