package metalist

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/test/hexdump"
)

// headerLayersAt is the offset of the list of layers in all frames since C-Blosc2 2.0.
const headerLayersAt = 0x57

// recorded is output of C-Blosc2; gen_frames.py of package meta extracts it from frames.
type recorded struct {
	Frames []struct {
		Name            string
		Header, Trailer hexdump.Bytes
		Fixed, Variable [][2]string // name, msgpack in hexadecimal
	}
}

func readRecorded(t testing.TB) *recorded {
	t.Helper()
	r := hexdump.Recorded[recorded](t, "../../meta/testdata/frames.json")
	if len(r.Frames) < 10 {
		t.Fatalf("only %d frames recorded", len(r.Frames))
	}
	return r
}

func TestHeaderLayersLikeC(t *testing.T) {
	for _, f := range readRecorded(t).Frames {
		layers, err := ParseHeader(f.Header, headerLayersAt)
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
		if err := Validate(layers, MaxLayers); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		got := AppendHeader(slices.Clone(f.Header[:headerLayersAt]), headerLayersAt, layers)
		if !bytes.Equal(got, f.Header) {
			t.Errorf("%s: wrote\n% x, C-Blosc2 wrote\n% x", f.Name, got, []byte(f.Header))
		}
		if size := Size(layers); size != int64(len(f.Header)-headerLayersAt) {
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
			// The size of the content according to the chunk.
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

// TestAnnotatedBytes writes the bytes of C-Blosc2 beside their meanings to testdata/*.txt.
func TestAnnotatedBytes(t *testing.T) {
	r := readRecorded(t)
	var out strings.Builder
	for _, f := range r.Frames {
		if f.Name == "none" || f.Name == "three fixed" || f.Name == "both" {
			fmt.Fprintf(&out, "Frame header from 0x57 on, metalayers: %s\n\n%s\n", f.Name,
				hexdump.Annotate(f.Header[headerLayersAt:], describeLayers(f.Header[headerLayersAt:], f.Fixed, nil)))
		}
	}
	hexdump.Golden(t, "testdata/header_layers.txt", out.String())

	out.Reset()
	for _, f := range r.Frames {
		if f.Name == "none" || f.Name == "one variable" || f.Name == "both" {
			parts := []hexdump.Part{{Len: 1, Meaning: "array of 4"}, {Len: 1, Meaning: "trailer version"}}
			parts = append(parts, describeLayers(f.Trailer[2:], f.Variable, []string{"a Blosc2 chunk"})...)
			parts = append(parts, hexdump.Part{Len: 5, Meaning: fmt.Sprintf("trailer length: %d", len(f.Trailer))},
				hexdump.Part{Len: 2, Meaning: "ext of 16 bytes, type 0: no fingerprint"},
				hexdump.Part{Len: 16, Meaning: "fingerprint"})
			fmt.Fprintf(&out, "Trailer, variable-length metalayers: %s\n\n%s\n", f.Name,
				hexdump.Annotate(f.Trailer, parts))
		}
	}
	hexdump.Golden(t, "testdata/trailer.txt", out.String())
}

// describeLayers returns the parts of a list of layers according to the stored values, not to the
// parsed ones.
func describeLayers(b []byte, stored [][2]string, content []string) []hexdump.Part {
	parts := []hexdump.Part{{Len: 1, Meaning: "array of 3"}, {Len: 3, Meaning: "size of the index"},
		{Len: 3, Meaning: fmt.Sprintf("map of %d", len(stored))}}
	size := 10
	for _, s := range stored {
		parts = append(parts, hexdump.Part{Len: 1 + len(s[0]), Meaning: fmt.Sprintf("name %q", s[0])},
			hexdump.Part{Len: 5, Meaning: "offset of its content"})
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
		parts = append(parts, hexdump.Part{Len: 5,
			Meaning: fmt.Sprintf("content of %q: %d bytes", s[0], n)}, hexdump.Part{Len: n, Meaning: meaning})
		size += 5 + n
	}
	return parts
}
