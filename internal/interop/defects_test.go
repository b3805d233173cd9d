package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/golden"
	"github.com/cairn-go/cairn/shuffle"
)

// TestDefects shows, for each row of docs/format/defects.md that is about chunks and frames, what cairn does with files that the defect spoiled, and that it does not
// write such. Goldens named after a row are decoded by the other tests of this package too.
func TestDefects(t *testing.T) {
	for _, row := range []struct {
		number int
		what   string
		check  func(t *testing.T)
	}{
		{1, "a dictionary and a chunk that does not compress", func(t *testing.T) {
			decodesGoldens(t, "defect-01-zstd.chunk", "defect-01-lz4.chunk")
			h := headerOf(t, &chunk.Options{Dict: true, BlockSize: 400}, noise(8000))
			if !h.Memcpyed() || h.BloscFlags.Dict() {
				t.Errorf("noise becomes %+v", h)
			}
		}},
		{2, "a dictionary and less than 32 bytes", func(t *testing.T) {
			decodesGoldens(t, "defect-02-zstd.chunk", "defect-02-lz4.chunk")
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
		{6, "delta and blocks of variable length", func(t *testing.T) {
			decodesGoldens(t, "defect-06.chunk")
			e := encoderFor(t, &chunk.Options{Filters: []shuffle.Spec{shuffle.Delta}})
			if _, err := e.AppendVL(nil, [][]byte{{1}}); !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("such a chunk: %v", err)
			}
		}},
		{7, "special chunks in frames of variable chunk size", specialInVariable},
		{11, "writing a frame inside of a file", func(t *testing.T) {
			if _, err := frame.Open("any", &frame.OpenOptions{Mode: frame.ReadWrite, Offset: 240}); !errors.Is(err, cairn.ErrReadOnly) {
				t.Error(err)
			}
		}},
		{12, "a frame without its magic bytes", func(t *testing.T) {
			raw := goldenBytes(t, "short-last-chunk.b2frame")
			raw[3] ^= 1
			if _, err := frame.FromBytes(raw, nil); !errors.Is(err, cairn.ErrCorrupt) {
				t.Error(err)
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
		{22, "appending behind a single short chunk", appendBehindShort},
		{23, "a short last chunk that moves", reorderShort},
		{24, "blocks of variable length, stored, with BloscLZ", func(t *testing.T) {
			c, err := encoderFor(t, &chunk.Options{Codec: codecs.BloscLZ, Level: chunk.Stored}).AppendVL(nil, [][]byte{noise(1000), noise(999)})
			back := make([]byte, 1999)
			if _, derr := chunk.NewDecoder(nil).Decode(back, c); err != nil || derr != nil || !bytes.Equal(back[1000:], noise(999)) {
				t.Error(err, derr)
			}
		}},
	} {
		t.Run(row.what, row.check)
	}
}

func noise(n int) []byte {
	b, x := make([]byte, n), uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i / 40)
	}
	return b
}

func encoderFor(t *testing.T, o *chunk.Options) *chunk.Encoder {
	t.Helper()
	e, err := chunk.NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func headerOf(t *testing.T, o *chunk.Options, data []byte) chunk.Header {
	t.Helper()
	c, err := encoderFor(t, o).Append(nil, data)
	if err != nil {
		t.Fatal(err)
	}
	h, err := chunk.ParseHeader(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func findGolden(t *testing.T, name string) *golden.Case {
	t.Helper()
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func goldenBytes(t *testing.T, name string) []byte {
	t.Helper()
	b, err := findGolden(t, name).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(b)
}

// decodesGoldens wants what the manifest says the chunks hold, although the library that wrote them reads something else or nothing.
func decodesGoldens(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		c := findGolden(t, name)
		dst := make([]byte, c.DecodedSize)
		_, err := chunk.NewDecoder(nil).Decode(dst, goldenBytes(t, name))
		checkDecoded(t, c, dst, err)
	}
}

func deltaItems(t *testing.T) {
	src := noise(4000)
	c, err := encoderFor(t, &chunk.Options{TypeSize: 4, BlockSize: 400, Filters: []shuffle.Spec{shuffle.Delta}, Codec: codecs.LZ4}).Append(nil, append(src, src...))
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 400)
	if _, err := chunk.NewDecoder(nil).DecodeItems(part, c, 700, 800); err != nil || !bytes.Equal(part, append(src, src...)[2800:3200]) {
		t.Errorf("%v, or other items", err)
	}
}

func specialInVariable(t *testing.T) {
	ctx := context.Background()
	f, err := frame.New(&frame.Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{400, 200, 800} {
		if _, err := f.Append(ctx, noise(n)); err != nil {
			t.Fatal(err)
		}
	}
	for i, kind := range []chunk.Special{chunk.SpecialZeros, chunk.SpecialNaN, chunk.SpecialUninit} {
		if err := f.AppendSpecial(ctx, kind, 120); err != nil {
			t.Fatal(err)
		}
		if info, err := f.Chunk(3 + i); err != nil || info.InIndex || info.NBytes != 120 {
			t.Errorf("%v is %+v, %v", kind, info, err)
		}
	}
	if f.ChunkSize() != 0 {
		t.Errorf("the chunk size is %d", f.ChunkSize())
	}
}

func dictItems(t *testing.T) {
	for _, name := range []string{"dict-zstd-2.chunk", "dict-lz4-1.chunk", "dict-lz4hc-1.chunk"} {
		raw := goldenBytes(t, name)
		whole, part := make([]byte, 48_000), make([]byte, 4000)
		if _, err := chunk.NewDecoder(nil).DecodeItems(part, raw, 3000, 4000); err != nil {
			t.Fatal(err)
		}
		if _, err := chunk.NewDecoder(nil).Decode(whole, raw); err != nil || !bytes.Equal(part, whole[12_000:16_000]) {
			t.Errorf("%s: %v, or other items", name, err)
		}
	}
}

func appendBehindShort(t *testing.T) {
	ctx := context.Background()
	f, err := frame.New(&frame.Options{ChunkSize: 400})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := f.Append(ctx, noise(100)); err != nil {
			t.Fatal(err)
		}
	}
	sameAfterReopening(t, f, slices.Concat(noise(100), noise(100), noise(100)))
}

func reorderShort(t *testing.T) {
	ctx := context.Background()
	f, err := frame.New(&frame.Options{ChunkSize: 400})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{400, 400, 100} {
		if _, err := f.Append(ctx, noise(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Reorder(ctx, []int{2, 0, 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Append(ctx, noise(50)); err != nil {
		t.Fatal(err)
	}
	sameAfterReopening(t, f, slices.Concat(noise(100), noise(400), noise(400), noise(50)))
}

func sameAfterReopening(t *testing.T, f *frame.Frame, want []byte) {
	t.Helper()
	raw, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	g, err := frame.FromBytes(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := decodeFrame(g); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d, %v, or others", len(got), len(want), err)
	}
}
