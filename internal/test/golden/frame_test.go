package golden_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
)

func TestGoldenFrames(t *testing.T) {
	for _, c := range cases(t, golden.Frame) {
		t.Run(c.Name, func(t *testing.T) {
			f, err := frame.Open(c.Path(), &frame.OpenOptions{Offset: c.Offset})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			checkFrameFacts(t, c, f)
			whole, err := decodeFrame(f)
			checkDecoded(t, c, whole, err)
			if !missing(c) {
				checkFrameItems(t, f, whole)
			}
		})
	}
}

// TestGoldenFrameSources opens contiguous goldens from memory and through an io.ReaderAt. Both must
// give the same result.
func TestGoldenFrameSources(t *testing.T) {
	for _, c := range cases(t, golden.Frame) {
		if c.Sparse || missing(c) {
			continue
		}
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		r, err := frame.OpenReader(bytes.NewReader(raw), int64(len(raw)), &frame.OpenOptions{Offset: c.Offset})
		if err != nil {
			t.Fatalf("%s: OpenReader: %v", c.Name, err)
		}
		whole, err := decodeFrame(r)
		checkDecoded(t, c, whole, err)
		if c.Offset != 0 {
			continue
		}
		m, err := frame.FromBytes(raw, nil)
		if err != nil {
			t.Fatalf("%s: FromBytes: %v", c.Name, err)
		}
		whole, err = decodeFrame(m)
		checkDecoded(t, c, whole, err)
	}
}

// decodeFrame decodes all chunks one after the other.
func decodeFrame(f *frame.Frame) ([]byte, error) {
	var out []byte
	for i := range f.NumChunks() {
		info, err := f.Chunk(i)
		if err != nil {
			return nil, err
		}
		at := len(out)
		out = append(out, make([]byte, info.NBytes)...)
		if _, err := f.ReadChunk(context.Background(), out[at:], i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func checkFrameFacts(t *testing.T, c *golden.Case, f *frame.Frame) {
	t.Helper()
	info := f.Info()
	if f.NumChunks() != c.ChunkCount || f.NBytes() != c.NBytes || f.TypeSize() != c.TypeSize || f.ChunkSize() != c.ChunkSize {
		t.Errorf("%d chunks, %d bytes, items of %d, chunk size %d; want %d, %d, %d, %d", f.NumChunks(), f.NBytes(), f.TypeSize(), f.ChunkSize(),
			c.ChunkCount, c.NBytes, c.TypeSize, c.ChunkSize)
	}
	if f.BlockSize() != c.BlockSize || info.Split != splits[c.Split] {
		t.Errorf("blocks of %d, split mode %v; want %d, %d", f.BlockSize(), info.Split, c.BlockSize, c.Split)
	}
	if info.Codec.ID() != c.Codec || info.Level != c.Level || info.Sparse != c.Sparse {
		t.Errorf("codec %v, level %d, sparse %v; want %d, %d, %v", info.Codec, info.Level, info.Sparse, c.Codec, c.Level, c.Sparse)
	}
	checkPipeline(t, c, info.Pipeline)
	checkKinds(t, c, f)
	checkLayers(t, c, f)
}

// splits are the split modes by their number in the format.
var splits = map[int]chunk.SplitMode{
	1: chunk.SplitAlways, 2: chunk.SplitNever, 3: chunk.SplitAuto, 4: chunk.SplitForwardCompat,
}

func checkPipeline(t *testing.T, c *golden.Case, p shuffle.Pipeline) {
	t.Helper()
	for i, want := range c.Filters {
		if int(p[i].ID) != want[0] || int(p[i].Meta) != want[1] {
			t.Errorf("filters %v, want %v", p, c.Filters)
			return
		}
	}
}

// checkKinds compares which chunks are special, and how.
func checkKinds(t *testing.T, c *golden.Case, f *frame.Frame) {
	t.Helper()
	names := map[chunk.Special]string{
		chunk.SpecialNone: "data", chunk.SpecialZeros: "zeros", chunk.SpecialNaN: "nan", chunk.SpecialValue: "value", chunk.SpecialUninit: "uninit",
	}
	for i := range f.NumChunks() {
		want := "data"
		if c.Kinds != nil {
			want = c.Kinds[i]
		}
		info, err := f.Chunk(i)
		if err != nil {
			t.Fatal(err)
		}
		if got := names[info.Kind]; got != want {
			t.Errorf("chunk %d is %s, want %s", i, got, want)
		}
	}
}

// checkLayers compares the metalayers of both kinds, except the one that describes arrays, which
// was once named caterva.
func checkLayers(t *testing.T, c *golden.Case, f *frame.Frame) {
	t.Helper()
	fixed := map[string][]byte{}
	for _, l := range f.Layers() {
		if l.Name != meta.LayerB2ND && l.Name != meta.LayerCaterva {
			fixed[l.Name] = l.Content
		}
	}
	sameContents(t, "fixed", fixed, c.Meta)
	layers, err := f.VLLayers()
	if err != nil {
		t.Fatal(err)
	}
	variable := map[string][]byte{}
	for _, l := range layers {
		variable[l.Name] = l.Content
	}
	sameContents(t, "variable-length", variable, c.VLMeta)
}

func sameContents(t *testing.T, what string, got map[string][]byte, want map[string]golden.Content) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d %s metalayers, want %d", len(got), what, len(want))
	}
	for name, w := range want {
		sum := sha256.Sum256(got[name])
		if len(got[name]) != w.Size || hex.EncodeToString(sum[:]) != w.SHA256 {
			t.Errorf("%s metalayer %s has other contents than recorded", what, name)
		}
	}
}

// TestGoldenHuge opens a frame of 200 million special chunks in a file of 172 bytes, which must
// take little memory and time.
func TestGoldenHuge(t *testing.T) {
	for _, c := range cases(t, golden.Huge) {
		raw, err := os.ReadFile(c.Path())
		if err != nil {
			t.Fatal(err)
		}
		before := allocated()
		f, err := frame.FromBytes(raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		one := make([]byte, c.ChunkSize)
		for _, i := range []int{0, 1, c.ChunkCount / 2, c.ChunkCount - 1} {
			one[0] = 1
			if n, err := f.ReadChunk(context.Background(), one, i); err != nil || n != c.ChunkSize || slices.Max(one) != 0 {
				t.Fatalf("chunk %d: %d bytes, %v, %v", i, n, one, err)
			}
		}
		if f.NumChunks() != c.ChunkCount || f.NBytes() != c.NBytes {
			t.Errorf("%d chunks of %d bytes, want %d of %d", f.NumChunks(), f.NBytes(), c.ChunkCount, c.NBytes)
		}
		if cost := allocated() - before; cost > 2<<20 {
			t.Errorf("opening it and reading a few chunks allocated %d bytes", cost)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
