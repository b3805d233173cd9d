package main

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// chunkDefects are the rows of docs/format/defects.md about single chunks.
func chunkDefects() []defect {
	return []defect{
		{1, "a dictionary and a chunk that does not compress", func(t *testing.T) {
			decodesGoldens(t, "defect-01-zstd.chunk", "defect-01-lz4.chunk")
			h := headerOf(t, &chunk.Options{Dict: true, BlockSize: 400}, noise(8000))
			if !h.Memcpyed() || h.BloscFlags&1 != 0 {
				t.Errorf("noise becomes %+v", h)
			}
		}},
		{2, "a dictionary and less than 32 bytes", func(t *testing.T) {
			decodesGoldens(t, "defect-02-zstd.chunk", "defect-02-lz4.chunk", "defect-02-lz4hc.chunk", "defect-02-alike.chunk")
			if h := headerOf(t, &chunk.Options{Dict: true}, bytes.Repeat([]byte("abc"), 8)); !h.Memcpyed() || h.CBytes != 32+24 {
				t.Errorf("24 bytes become %+v", h)
			}
		}},
		{3, "block sizes that are no whole items", func(t *testing.T) {
			decodesGoldens(t, "defect-03.chunk")
			if h := headerOf(t, &chunk.Options{TypeSize: 4, BlockSize: 1001}, ramp(10_010)); h.BlockSize != 1000 {
				t.Errorf("a block size of 1001 is stored as %d", h.BlockSize)
			}
		}},
		{4, "delta and items of a later block", deltaItems},
		{5, "delta and bytes behind the last word", func(t *testing.T) { decodesGoldens(t, "defect-05.chunk") }},
		{6, "delta and blocks of variable length", func(t *testing.T) {
			decodesGoldens(t, "defect-06.chunk")
			e := encoderFor(t, &chunk.Options{Filters: []shuffle.Spec{shuffle.Delta}})
			if _, err := e.AppendVL(nil, [][]byte{{1}}); !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("such a chunk: %v", err)
			}
		}},
		{13, "noise in blocks of variable length, and little room", func(t *testing.T) {
			for _, room := range []int{0, 1932, 1940, 4000} {
				vlRoundTrip(t, &chunk.Options{Codec: codecs.LZ4}, make([]byte, 0, room), [][]byte{noise(1000), noise(900)})
			}
		}},
		{14, "the block size of the first chunk for all", func(t *testing.T) {
			e := encoderFor(t, &chunk.Options{TypeSize: 4, Codec: codecs.LZ4})
			if _, err := e.Append(nil, ramp(40)); err != nil {
				t.Fatal(err)
			}
			if l := e.Layout(100_000); l.BlockSize < 30_000 {
				t.Errorf("after a chunk of 40 bytes blocks have %d", l.BlockSize)
			}
		}},
		{15, "items of a chunk with a dictionary", dictItems},
		{16, "trunc_prec, int_trunc and bytes behind the last item", func(t *testing.T) { decodesGoldens(t, "defect-16-trunc.chunk", "defect-16-int.chunk") }},
		{21, "three filters and more", func(t *testing.T) {
			decodesGoldens(t, "defect-21.chunk")
			sourceStays(t)
		}},
		{24, "blocks of variable length, stored, with BloscLZ", func(t *testing.T) {
			vlRoundTrip(t, &chunk.Options{Codec: codecs.BloscLZ, Level: chunk.Stored}, nil, [][]byte{noise(1000), ramp(999)})
		}},
		{25, "bitshuffle of version 2 and bytes behind the last item", oldBitshuffle},
		{26, "block sizes that give too few bytes without an error", func(t *testing.T) {
			decodesGoldens(t, "defect-26.chunk")
			if h := headerOf(t, &chunk.Options{TypeSize: 2, BlockSize: 101}, ramp(75)); h.BlockSize != 74 {
				t.Errorf("a block size of 101 for 75 bytes is stored as %d", h.BlockSize)
			}
		}},
		{27, "as many items as a block has, from within a block", itemsAcrossBlocks},
	}
}

func oldBitshuffle(t *testing.T) {
	decodesGoldens(t, "defect-25.chunk")
	data := append(ramp(192), "xyz"...)
	c := encoded(t, &chunk.Options{TypeSize: 8, Blosc1: true, Filters: []shuffle.Spec{shuffle.Bit}}, data)
	if back := bytes.Repeat([]byte{0xee}, 195); c[0] != 2 || decodeInto(t, back, c) != 195 || !bytes.Equal(back, data) {
		t.Errorf("%d bytes of version %d come back as %q", len(c), c[0], back)
	}
}

func itemsAcrossBlocks(t *testing.T) {
	data, d, got := ramp(4000), chunk.NewDecoder(nil), make([]byte, 803)
	c := encoded(t, &chunk.Options{TypeSize: 1, BlockSize: 803}, data)
	for from := 0; from+803 <= len(data); from += 13 {
		if _, err := d.DecodeItems(got, c, from, from+803); err != nil || !bytes.Equal(got, data[from:from+803]) {
			t.Fatalf("803 items from %d on: %v, or other ones", from, err)
		}
	}
}

func encoderFor(t *testing.T, o *chunk.Options) *chunk.Encoder {
	t.Helper()
	e, err := chunk.NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func encoded(t *testing.T, o *chunk.Options, data []byte) []byte {
	t.Helper()
	c, err := encoderFor(t, o).Append(nil, data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func headerOf(t *testing.T, o *chunk.Options, data []byte) chunk.Header {
	t.Helper()
	h, err := chunk.ParseHeader(encoded(t, o, data))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func decodeInto(t *testing.T, dst, c []byte) int {
	t.Helper()
	n, err := chunk.NewDecoder(nil).Decode(dst, c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// decodesGoldens checks that goldens decode to the bytes in the manifest, although the library that
// wrote them reads other bytes or fails. The result must not depend on earlier contents of the
// destination.
func decodesGoldens(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		c := findGolden(t, name)
		dst := bytes.Repeat([]byte{0xee}, int(c.DecodedSize))
		_, err := chunk.NewDecoder(nil).Decode(dst, goldenBytes(t, name))
		checkDecoded(t, c, dst, err)
	}
}

func deltaItems(t *testing.T) {
	decodesGoldens(t, "defect-04.chunk")
	theirs := goldenBytes(t, "defect-04.chunk")
	ours := encoded(t, &chunk.Options{TypeSize: 4, BlockSize: 400, Filters: []shuffle.Spec{shuffle.Delta}, Codec: codecs.LZ4}, slices.Concat(noise(4000), noise(4000)))
	for _, c := range [][]byte{theirs, ours} {
		whole, part := make([]byte, 8000), make([]byte, 400)
		decodeInto(t, whole, c)
		if _, err := chunk.NewDecoder(nil).DecodeItems(part, c, 700, 800); err != nil || !bytes.Equal(part, whole[2800:3200]) {
			t.Errorf("%v, or other items", err)
		}
	}
}

func dictItems(t *testing.T) {
	for _, name := range []string{"dict-zstd-2.chunk", "dict-lz4-1.chunk", "dict-lz4hc-1.chunk"} {
		raw := goldenBytes(t, name)
		whole, part := make([]byte, 48_000), make([]byte, 4000)
		if _, err := chunk.NewDecoder(nil).DecodeItems(part, raw, 3000, 4000); err != nil {
			t.Fatal(err)
		}
		decodeInto(t, whole, raw)
		if !bytes.Equal(part, whole[12_000:16_000]) {
			t.Errorf("%s: other items", name)
		}
	}
}

// vlRoundTrip appends a chunk with blocks of individual sizes to dst, and decodes it.
func vlRoundTrip(t *testing.T, o *chunk.Options, dst []byte, blocks [][]byte) {
	t.Helper()
	c, err := encoderFor(t, o).AppendVL(dst, blocks)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(blocks...)
	back := make([]byte, len(want))
	if n := decodeInto(t, back, c); n != len(want) || !bytes.Equal(back, want) {
		t.Errorf("%d bytes come back, want %d, or others", n, len(want))
	}
}

// sourceStays encodes with three filters and more, and checks that the source is unchanged. The
// encoder of C-Blosc2 overwrites it.
func sourceStays(t *testing.T) {
	for _, filters := range [][]shuffle.Spec{
		{shuffle.Byte, shuffle.Bit, shuffle.Byte},
		{shuffle.Byte, shuffle.Bit, shuffle.ByteDelta(4)},
		{shuffle.Delta, shuffle.Byte, shuffle.Bit, shuffle.ByteDelta(4)},
		{shuffle.Byte, shuffle.Delta, shuffle.Bit, shuffle.Byte, shuffle.Bit, shuffle.ByteDelta(4)},
	} {
		for _, data := range [][]byte{noise(4003), ramp(40_000)} {
			source, back := bytes.Clone(data), make([]byte, len(data))
			c := encoded(t, &chunk.Options{TypeSize: 4, BlockSize: 400, Dict: true, Filters: filters}, source)
			decodeInto(t, back, c)
			if !bytes.Equal(source, data) || !bytes.Equal(back, data) {
				t.Errorf("%v over %d bytes: source kept %v, comes back %v", filters, len(data), bytes.Equal(source, data), bytes.Equal(back, data))
			}
		}
	}
}
