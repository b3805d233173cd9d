package filter

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// fuzzFilter decodes chunks of one filter, which may follow another, with any parameters.
func fuzzFilter(f *testing.F, id ID) {
	chunks, filters := goldens(f)
	for i, g := range chunks {
		for _, one := range filters[i] {
			if one.ID != id || len(g.Items) > 1<<14 {
				continue
			}
			var params []byte
			for _, p := range one.Params {
				params = binary.LittleEndian.AppendUint32(params, p)
			}
			stored, before := g.Stored, filters[i][0].ID
			f.Add(uint16(before), params, stored, uint16(len(g.Items)))
			f.Add(uint16(LZF), params, stored, uint16(len(g.Items)))
		}
	}
	f.Fuzz(func(t *testing.T, before uint16, params, stored []byte, size uint16) {
		one := Filter{ID: id}
		for ; len(params) >= 4 && len(one.Params) < 64; params = params[4:] {
			one.Params = append(one.Params, binary.LittleEndian.Uint32(params))
		}
		list := []Filter{one}
		if ID(before) != id {
			list = []Filter{{ID: ID(before), Params: one.Params}, one}
		}
		src, dst := bytes.Clone(stored), make([]byte, size)
		err := Decode(dst, src, list, 0)
		allowed(t, err)
		if !bytes.Equal(src, stored) {
			t.Fatal("Decode changed its input")
		}
		if err == nil {
			samePart(t, dst, src, list)
		}
		if err != nil || lookup(id).encode == nil || len(list) > 1 {
			return
		}
		again := make([]byte, size)
		enc, mask, err := Encode(nil, dst, list)
		if err != nil {
			allowed(t, err) // not everything that can be decoded can be encoded
			return
		}
		if err := Decode(again, enc, list, mask); err != nil || !bytes.Equal(again, dst) {
			t.Fatal(one, mask, err)
		}
	})
}

// samePart decodes a part of a chunk, of which dst has all items.
func samePart(t *testing.T, dst, src []byte, list []Filter) {
	d, err := NewDecoder(list)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(len(dst))
	p := Part{Shape: []int64{n}, Start: []int64{n / 3}, Stop: []int64{n - n/3}, ItemSize: 1}
	some := make([]byte, n)
	if err := d.DecodePart(some, src, 0, p); n > 0 && err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(some[p.Start[0]:p.Stop[0]], dst[p.Start[0]:p.Stop[0]]) {
		t.Fatal("DecodePart has other items than Decode")
	}
}

func FuzzDeflate(f *testing.F)     { fuzzFilter(f, Deflate) }
func FuzzShuffle(f *testing.F)     { fuzzFilter(f, Shuffle) }
func FuzzFletcher32(f *testing.F)  { fuzzFilter(f, Fletcher32) }
func FuzzSzip(f *testing.F)        { fuzzFilter(f, Szip) }
func FuzzNBit(f *testing.F)        { fuzzFilter(f, NBit) }
func FuzzScaleOffset(f *testing.F) { fuzzFilter(f, ScaleOffset) }
func FuzzBZip2(f *testing.F)       { fuzzFilter(f, BZip2) }
func FuzzLZF(f *testing.F)         { fuzzFilter(f, LZF) }
func FuzzBlosc(f *testing.F)       { fuzzFilter(f, Blosc) }
func FuzzLZ4(f *testing.F)         { fuzzFilter(f, LZ4) }
func FuzzBitshuffle(f *testing.F)  { fuzzFilter(f, Bitshuffle) }
func FuzzZstd(f *testing.F)        { fuzzFilter(f, Zstd) }
func FuzzBlosc2(f *testing.F)      { fuzzFilter(f, Blosc2) }
