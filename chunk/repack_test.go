package chunk

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// repackOptions are options of chunks whose blocks Blosc1 can have.
func repackOptions() []Options {
	var all []Options
	for _, c := range []codecs.Codec{codecs.BloscLZ, codecs.LZ4, codecs.LZ4HC, codecs.Zlib, codecs.Zstd} {
		for _, f := range []shuffle.Spec{shuffle.None, shuffle.Byte, shuffle.Bit} {
			for _, level := range []int{Stored, 1, 9} {
				for _, split := range []SplitMode{SplitAlways, SplitNever} {
					all = append(all, Options{Codec: c, Filters: []shuffle.Spec{f}, Level: level, TypeSize: 4,
						BlockSize: 1 << 10, Split: split})
				}
			}
		}
	}
	return all
}

func TestRepackedBlocks(t *testing.T) {
	p, d := NewRepacker(cairn.Limits{}), NewDecoder(nil)
	for _, o := range repackOptions() {
		for name, data := range zarrBlockData() {
			data = data[:len(data)&^(1<<10-1)]
			if len(data) == 0 {
				continue
			}
			e, err := NewEncoder(&o)
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := e.Append(nil, data)
			if err != nil {
				t.Fatal(err)
			}
			h, err := ParseHeader(encoded)
			if err != nil {
				t.Fatal(err)
			}
			for _, blocks := range [][]int{{0}, {1, 2, 3}, {3, 1}, {h.Layout().NumBlocks - 1, 0}} {
				what := fmt.Sprintf("%v/%v/%d/%v/%s %v", o.Codec, o.Filters[0], o.Level, o.Split, name, blocks)
				got, ok, err := p.AppendAt([]byte("before"), h, bytes.NewReader(append([]byte("at"), encoded...)), 2, blocks)
				if err != nil || !ok {
					t.Fatalf("%s: %v, %v", what, ok, err)
				}
				checkRepacked(t, what, d, got[len("before"):], data, 1<<10, blocks)
			}
		}
	}
}

// checkRepacked checks that a chunk of Blosc1 decodes to blocks of data.
func checkRepacked(t *testing.T, what string, d *Decoder, got, data []byte, size int, blocks []int) {
	t.Helper()
	h, err := ParseHeader(got)
	if err != nil || h.Version != versionBlosc1 || int(h.CBytes) != len(got) {
		t.Fatalf("%s: header %+v of %d bytes: %v", what, h, len(got), err)
	}
	var want []byte
	for _, i := range blocks {
		want = append(want, data[i*size:(i+1)*size]...)
	}
	items := make([]byte, len(want))
	if _, err := d.Decode(items, got); err != nil || !bytes.Equal(items, want) {
		t.Fatalf("%s: other items: %v", what, err)
	}
}

// What Blosc1 does not have is not repacked.
func TestRepackRefuses(t *testing.T) {
	steps := zarrBlockData()["steps"]
	for name, o := range map[string]Options{
		"delta":           {Filters: []shuffle.Spec{shuffle.Delta, shuffle.Byte}},
		"two filters":     {Filters: []shuffle.Spec{shuffle.Byte, shuffle.Bit}},
		"a dictionary":    {Dict: true, Codec: codecs.Zstd},
		"bits of 25":      {Filters: []shuffle.Spec{shuffle.Bit}, BlockSize: 100},
		"17 planes":       {TypeSize: 17, BlockSize: 17 * 64, Split: SplitAlways},
		"too many blocks": {BlockSize: 1 << 20},
		"another codec":   {Codec: codecs.NDLZ(4), TypeSize: 1, BlockSize: 1024, BlockShape: []int32{32, 32}},
	} {
		if o.TypeSize == 0 {
			o.TypeSize = 4
		}
		if o.BlockSize == 0 {
			o.BlockSize = 1 << 10
		}
		data := bytes.Repeat(steps[:4096], 8)
		if name == "a dictionary" {
			data = bytes.Repeat(steps[:8192], 32)
		}
		e, err := NewEncoder(&o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		encoded, err := e.Append(nil, data[:len(data)/o.TypeSize*o.TypeSize])
		if err != nil {
			t.Fatal(err)
		}
		h, err := ParseHeader(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if name == "a dictionary" && !h.HasDict() {
			continue // it would not pay
		}
		got, ok, err := NewRepacker(cairn.Limits{}).AppendAt(nil, h, bytes.NewReader(encoded), 0, []int{1})
		if ok || err != nil || len(got) > 0 {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}

// FuzzRepack repacks blocks of chunks of any bytes. Where it succeeds, decoding must agree.
func FuzzRepack(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, uint8(0))
	}
	for _, o := range repackOptions() {
		e, err := NewEncoder(&o)
		if err != nil {
			f.Fatal(err)
		}
		encoded, err := e.Append(nil, zarrBlockData()["small"][:4<<10])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded, uint8(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, first uint8) {
		h, err := ParseHeader(b)
		if err != nil || h.NBytes > 1<<20 || int(h.CBytes) > len(b) {
			return
		}
		blocks := []int{int(first), 0}
		got, ok, err := NewRepacker(cairn.Limits{}).AppendAt(nil, h, bytes.NewReader(b), 0, blocks)
		if err != nil || !ok {
			return
		}
		l, d := h.Layout(), NewDecoder(nil)
		data, items := make([]byte, l.NBytes), make([]byte, 2*l.BlockSize)
		if _, err := d.Decode(data, b); err != nil {
			return // another block may be damaged
		}
		want := append(bytes.Clone(data[blocks[0]*l.BlockSize:][:l.BlockSize]), data[:l.BlockSize]...)
		if _, err := d.Decode(items, got); err != nil || !bytes.Equal(items, want) {
			t.Fatalf("blocks of %+v became other items: %v", h, err)
		}
	})
}
