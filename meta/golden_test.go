package meta

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/hexdump"
)

// headerLayersAt is where the list of layers starts in every frame since C-Blosc2 2.0.
const headerLayersAt = 0x57

// hexBytes is a JSON string of hexadecimal digits.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// recorded is what C-Blosc2 wrote; testdata/gen_frames.py cuts it out of frames.
type recorded struct {
	Library string
	Frames  []struct {
		Name            string
		Header, Trailer hexBytes
		Fixed, Variable [][2]string // name, msgpack in hexadecimal
	}
	Arrays []struct {
		Shape                                   []int64
		Chunks, Blocks                          []int32
		DType                                   string
		TypeSize, NChunks, ChunkSize, BlockSize int64
		Content                                 hexBytes
	}
	Packed []struct {
		Name   string
		Packed hexBytes
	}
}

func readRecorded(t testing.TB) *recorded {
	t.Helper()
	b, err := os.ReadFile("testdata/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	r := new(recorded)
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatal(err)
	}
	if len(r.Frames) < 10 || len(r.Arrays) < 20 || len(r.Packed) < 10 {
		t.Fatalf("only %d frames, %d arrays and %d values recorded", len(r.Frames), len(r.Arrays), len(r.Packed))
	}
	return r
}

func TestHeaderLayersLikeC(t *testing.T) {
	for _, f := range readRecorded(t).Frames {
		layers, err := ParseHeaderLayers(f.Header, headerLayersAt)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if len(layers) != len(f.Fixed) {
			t.Fatalf("%s: %d layers, want %d", f.Name, len(layers), len(f.Fixed))
		}
		for i, l := range layers {
			if l.Name != f.Fixed[i][0] || hex.EncodeToString(l.Content) != f.Fixed[i][1] {
				t.Errorf("%s: layer %d is %s %x, want %v", f.Name, i, l.Name, l.Content, f.Fixed[i])
			}
		}
		if err := ValidateLayers(layers, MaxLayers); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		got := AppendHeaderLayers(slices.Clone(f.Header[:headerLayersAt]), headerLayersAt, layers)
		if !bytes.Equal(got, f.Header) {
			t.Errorf("%s: wrote\n% x, C-Blosc2 wrote\n% x", f.Name, got, []byte(f.Header))
		}
		if size := LayersSize(layers); size != int64(len(f.Header)-headerLayersAt) {
			t.Errorf("%s: size %d, want %d", f.Name, size, len(f.Header)-headerLayersAt)
		}
	}
}

func TestTrailerLikeC(t *testing.T) {
	for _, f := range readRecorded(t).Frames {
		layers, err := ParseTrailer(f.Trailer)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if len(layers) != len(f.Variable) {
			t.Fatalf("%s: %d layers, want %d", f.Name, len(layers), len(f.Variable))
		}
		for i, l := range layers {
			// What the chunk says about the size of its content.
			nbytes := int(l.Content[4]) | int(l.Content[5])<<8
			if l.Name != f.Variable[i][0] || nbytes != len(f.Variable[i][1])/2 {
				t.Errorf("%s: layer %d is %s of %d bytes, want %v", f.Name, i, l.Name, nbytes, f.Variable[i])
			}
		}
		if got := AppendTrailer(nil, layers); !bytes.Equal(got, f.Trailer) {
			t.Errorf("%s: wrote\n% x, C-Blosc2 wrote\n% x", f.Name, got, []byte(f.Trailer))
		}
		if size := TrailerSize(layers); size != int64(len(f.Trailer)) {
			t.Errorf("%s: size %d, want %d", f.Name, size, len(f.Trailer))
		}
		if n, err := TrailerLen(f.Trailer[len(f.Trailer)-TrailerTail:]); err != nil || n != int64(len(f.Trailer)) {
			t.Errorf("%s: length %d, %v", f.Name, n, err)
		}
	}
}

func TestB2NDLikeC(t *testing.T) {
	for _, a := range readRecorded(t).Arrays {
		m, err := ParseB2ND(a.Content)
		if err != nil {
			t.Fatalf("%v: %v", a.Shape, err)
		}
		if !slices.Equal(m.Shape, a.Shape) || !slices.Equal(m.ChunkShape, a.Chunks) || !slices.Equal(m.BlockShape, a.Blocks) || m.DType != a.DType || m.Variant != B2NDCurrent || m.Format != 0 {
			t.Errorf("got %+v, want %+v", m, a)
		}
		if d := mustParse(t, m.DType); int64(d.Size()) != a.TypeSize || d.String() != a.DType {
			t.Errorf("%s: dtype %v of %d bytes, want %d", a.DType, d, d.Size(), a.TypeSize)
		}
		fresh := &B2ND{Shape: a.Shape, ChunkShape: a.Chunks, BlockShape: a.Blocks, DType: a.DType}
		if got := fresh.Append(nil); !bytes.Equal(got, a.Content) {
			t.Errorf("%v: wrote\n% x, C-Blosc2 wrote\n% x", a.Shape, got, []byte(a.Content))
		}
		chunk, err := m.ChunkBytes(int(a.TypeSize))
		if err != nil || m.NumChunks() != a.NChunks || chunk != a.ChunkSize {
			t.Errorf("%v: %d chunks of %d bytes, %v, want %d of %d", a.Shape, m.NumChunks(), chunk, err,
				a.NChunks, a.ChunkSize)
		}
	}
}

// TestBytesWithMeaning keeps the bytes of C-Blosc2 beside what they mean in testdata/*.txt, to read.
func TestBytesWithMeaning(t *testing.T) {
	r := readRecorded(t)
	var out strings.Builder
	for _, f := range r.Frames {
		if f.Name == "none" || f.Name == "three fixed" || f.Name == "both" {
			fmt.Fprintf(&out, "Frame header from 0x57 on, metalayers: %s\n\n%s\n", f.Name, hexdump.Annotate(f.Header[headerLayersAt:], describeLayers(f.Header[headerLayersAt:], f.Fixed, nil)))
		}
	}
	hexdump.Golden(t, "testdata/header_layers.txt", out.String())

	out.Reset()
	for _, f := range r.Frames {
		if f.Name == "none" || f.Name == "one variable" || f.Name == "both" {
			parts := []hexdump.Part{{Len: 1, Meaning: "array of 4"}, {Len: 1, Meaning: "trailer version"}}
			parts = append(parts, describeLayers(f.Trailer[2:], f.Variable, []string{"a Blosc2 chunk"})...)
			parts = append(parts, hexdump.Part{Len: 5, Meaning: fmt.Sprintf("trailer length: %d", len(f.Trailer))},
				hexdump.Part{Len: 2, Meaning: "ext of 16 bytes, type 0: no fingerprint"}, hexdump.Part{Len: 16, Meaning: "fingerprint"})
			fmt.Fprintf(&out, "Trailer, variable-length metalayers: %s\n\n%s\n", f.Name, hexdump.Annotate(f.Trailer, parts))
		}
	}
	hexdump.Golden(t, "testdata/trailer.txt", out.String())

	out.Reset()
	for i, a := range r.Arrays {
		if i%2 == 1 {
			continue // the same shape with another dtype
		}
		fmt.Fprintf(&out, "b2nd metalayer: shape %v, chunks %v, blocks %v, dtype %s\n\n%s\n", a.Shape, a.Chunks, a.Blocks, a.DType, hexdump.Annotate(a.Content, describeB2ND(a.Shape, a.Chunks, a.Blocks, a.DType)))
	}
	hexdump.Golden(t, "testdata/b2nd.txt", out.String())
}

// describeLayers gives the parts of a list of layers, from what was stored rather than from what was parsed.
func describeLayers(b []byte, stored [][2]string, content []string) []hexdump.Part {
	parts := []hexdump.Part{{Len: 1, Meaning: "array of 3"}, {Len: 3, Meaning: "size of the index"}, {Len: 3, Meaning: fmt.Sprintf("map of %d", len(stored))}}
	size := 10
	for _, s := range stored {
		parts = append(parts, hexdump.Part{Len: 1 + len(s[0]), Meaning: fmt.Sprintf("name %q", s[0])}, hexdump.Part{Len: 5, Meaning: "offset of its content"})
		size += 6 + len(s[0])
	}
	parts = append(parts, hexdump.Part{Len: 3, Meaning: fmt.Sprintf("array of %d", len(stored))})
	for _, s := range stored {
		n := len(s[1]) / 2
		meaning := "msgpack value"
		if content != nil {
			// A chunk has its own length, little-endian, at byte 12.
			n, meaning = int(b[size+5+12])|int(b[size+5+13])<<8, content[0]
		}
		parts = append(parts, hexdump.Part{Len: 5, Meaning: fmt.Sprintf("content of %q: %d bytes", s[0], n)}, hexdump.Part{Len: n, Meaning: meaning})
		size += 5 + n
	}
	return parts
}

func describeB2ND(shape []int64, chunks, blocks []int32, dtype string) []hexdump.Part {
	parts := []hexdump.Part{{Len: 1, Meaning: "array of 7"}, {Len: 1, Meaning: "version"}, {Len: 1, Meaning: fmt.Sprintf("%d dimensions", len(shape))}, {Len: 1, Meaning: "shape"}}
	for i, n := range shape {
		parts = append(parts, hexdump.Part{Len: 9, Meaning: fmt.Sprintf("  dimension %d: %d", i, n)})
	}
	for _, s := range []struct {
		name  string
		shape []int32
	}{{"chunk shape", chunks}, {"block shape", blocks}} {
		parts = append(parts, hexdump.Part{Len: 1, Meaning: s.name})
		for i, n := range s.shape {
			parts = append(parts, hexdump.Part{Len: 5, Meaning: fmt.Sprintf("  dimension %d: %d", i, n)})
		}
	}
	return append(parts, hexdump.Part{Len: 1, Meaning: "dtype format: NumPy"}, hexdump.Part{Len: 5, Meaning: fmt.Sprintf("string of %d", len(dtype))}, hexdump.Part{Len: len(dtype), Meaning: dtype})
}
