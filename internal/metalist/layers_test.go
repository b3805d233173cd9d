package metalist

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// layerSample is a list of layers with every kind of length.
func layerSample() []meta.Layer {
	return []meta.Layer{
		{Name: "a", Content: []byte{1, 2, 3}}, {Name: strings.Repeat("n", 31)},
		{Content: bytes.Repeat([]byte{7}, 300)},
	}
}

// headerWith appends layers to a header of at bytes.
func headerWith(at int, layers []meta.Layer) []byte {
	return AppendHeader(make([]byte, at), int64(at), layers)
}

func sameLayers(a, b []meta.Layer) bool {
	return slices.EqualFunc(a, b, func(x, y meta.Layer) bool {
		return x.Name == y.Name &&
			bytes.Equal(x.Content, y.Content)
	})
}

func TestLayersRoundTrip(t *testing.T) {
	for _, at := range []int{0x57, 0x52, 0x40, 0} {
		for n := range 4 {
			want := layerSample()[:n]
			got, err := ParseHeader(headerWith(at, want), at)
			if err != nil || !sameLayers(got, want) {
				t.Errorf("header, %d layers at %d: %v, %v", n, at, got, err)
			}
			got, err = ParseTrailer(AppendTrailer(nil, want))
			if err != nil || !sameLayers(got, want) {
				t.Errorf("trailer, %d layers: %v, %v", n, got, err)
			}
		}
	}
}

func TestManyLayers(t *testing.T) {
	var layers []meta.Layer
	for i := range MaxVLLayers + 1 {
		layers = append(layers, meta.Layer{Name: fmt.Sprint(i), Content: []byte{byte(i)}})
	}
	if err := Validate(layers[:MaxLayers+1], MaxLayers); err == nil {
		t.Error("17 fixed layers are valid")
	}
	if _, err := ParseHeader(headerWith(0, layers[:MaxLayers+1]), 0); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("header with 17 layers: %v", err)
	}
	got, err := ParseTrailer(AppendTrailer(nil, layers[:MaxVLLayers]))
	if err != nil || !sameLayers(got, layers[:MaxVLLayers]) {
		t.Errorf("trailer with %d layers: %v", MaxVLLayers, err)
	}
	if _, err := ParseTrailer(AppendTrailer(nil, layers)); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("trailer with %d layers: %v", len(layers), err)
	}
}

func TestValidateLayers(t *testing.T) {
	if err := Validate(layerSample(), MaxLayers); err != nil {
		t.Error(err)
	}
	for name, layers := range map[string][]meta.Layer{
		"long name": {{Name: strings.Repeat("n", 32)}},
		"NUL":       {{Name: "a\x00"}},
		"twice":     {{Name: "a"}, {Name: "b"}, {Name: "a"}},
	} {
		if err := Validate(layers, MaxLayers); err == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

func TestHeaderLayerErrors(t *testing.T) {
	good := headerWith(0x57, layerSample())
	for name, c := range map[string]struct {
		at     int // of the byte to change
		value  byte
		offset int64
	}{
		"array marker":          {0x57, 0x94, 0x57},
		"index size marker":     {0x58, 0xce, 0x58},
		"map marker":            {0x5b, 0xdc, 0x5b},
		"count too high":        {0x5d, 17, 0x5c},
		"count beyond the end":  {0x5c, 0xff, 0x5c},
		"name marker":           {0x5e, 0xd9, 0x5e},
		"NUL in name":           {0x5f, 0, 0x5e},
		"offset marker":         {0x60, 0xce, 0x60},
		"offset negative":       {0x61, 0xff, 0x61},
		"offset beyond the end": {0x62, 0x7f, 0x61},
		"offset off by one":     {0x64, 0xff, 0x61},
	} {
		b := slices.Clone(good)
		b[c.at] = c.value
		_, err := ParseHeader(b, 0x57)
		var corrupt *cairn.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Layer != "frame header" || corrupt.Offset != c.offset {
			t.Errorf("%s: %v, want offset %d", name, err, c.offset)
		}
	}
	for n := range good {
		if _, err := ParseHeader(good[:n], 0x57); !errors.Is(err, cairn.ErrCorrupt) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	twice := headerWith(0, []meta.Layer{{Name: "a"}, {Name: "a"}})
	if _, err := ParseHeader(twice, 0); !errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), "twice") {
		t.Errorf("name twice: %v", err)
	}
	if _, err := ParseHeader(good, -1); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("negative place: %v", err)
	}
}

// TestContentSizeNear2GiB uses an offset and a size whose sum overflows 32 bits.
func TestContentSizeNear2GiB(t *testing.T) {
	for _, size := range []uint32{0x7fffffff, 0x80000000, 0xffffffff} {
		b := headerWith(0, []meta.Layer{{Name: "a", Content: []byte{1, 2, 3}}})
		binary.BigEndian.PutUint32(b[len(b)-7:], size)
		if _, err := ParseHeader(b, 0); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("size %#x: %v", size, err)
		}
	}
}

// TestLayersMayOverlap uses layers with the same content bytes, which is valid and free.
func TestLayersMayOverlap(t *testing.T) {
	b := headerWith(0, []meta.Layer{{Name: "a", Content: []byte{1, 2}}, {Name: "b", Content: []byte{3, 4}}})
	const firstOffset, secondOffset = 10, 17
	copy(b[secondOffset:secondOffset+4], b[firstOffset:firstOffset+4])
	got, err := ParseHeader(b, 0)
	if err != nil || !sameLayers(got, []meta.Layer{{Name: "a", Content: []byte{1, 2}},
		{Name: "b", Content: []byte{1, 2}}}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTrailerErrors(t *testing.T) {
	good := AppendTrailer(nil, layerSample())
	for name, c := range map[string]struct {
		at    int // negative from the end
		value byte
	}{
		"array marker": {0, 0x93}, "length marker": {-23, 0xcf}, "length": {-19, 0}, "fingerprint marker": {-18, 0xd7},
		"layers marker": {2, 0x94},
	} {
		b := slices.Clone(good)
		if c.at < 0 {
			c.at += len(b)
		}
		b[c.at] = c.value
		_, err := ParseTrailer(b)
		var corrupt *cairn.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Layer != "frame trailer" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range good {
		if _, err := ParseTrailer(good[:n]); !errors.Is(err, cairn.ErrCorrupt) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := TrailerLen(make([]byte, 23)); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("no marker of the length: %v", err)
	}
	if _, err := TrailerLen(nil); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("no bytes: %v", err)
	}
	// Version and fingerprint are ignored.
	good[1], good[len(good)-1], good[len(good)-17] = 0, 9, 3
	if _, err := ParseTrailer(good); err != nil {
		t.Errorf("old version, fingerprint: %v", err)
	}
}

func TestUsermetaTrailer(t *testing.T) {
	for _, content := range [][]byte{{}, {1, 2, 3}} {
		b := append([]byte{0x94, 1, 0xc6, 0, 0, 0, byte(len(content))}, content...)
		if len(content) > 0 {
			b[0], b[1] = 0x0d, 0
		}
		b = append(b, 0xce, 0, 0, 0, byte(len(b)+23), 0xd8, 0)
		b = append(b, make([]byte, 16)...)
		got, err := ParseUsermetaTrailer(b)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("% x, %v", got, err)
		}
		if _, err := ParseTrailer(b); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("read as a trailer of today: %v", err)
		}
		b[6]++
		if _, err := ParseUsermetaTrailer(b); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("content past the end: %v", err)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	for _, frame := range readRecorded(f).Frames {
		f.Add([]byte(frame.Header), headerLayersAt)
	}
	f.Add(headerWith(0, layerSample()), 0)
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		layers, err := ParseHeader(b, at)
		checkFuzzedLayers(t, layers, err, MaxLayers,
			func(l []meta.Layer) ([]meta.Layer, error) { return ParseHeader(headerWith(at%100, l), at%100) })
	})
}

func FuzzParseTrailer(f *testing.F) {
	for _, frame := range readRecorded(f).Frames {
		f.Add([]byte(frame.Trailer))
	}
	f.Add(AppendTrailer(nil, layerSample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		layers, err := ParseTrailer(b)
		checkFuzzedLayers(t, layers, err, MaxVLLayers,
			func(l []meta.Layer) ([]meta.Layer, error) { return ParseTrailer(AppendTrailer(nil, l)) })
		if content, err := ParseUsermetaTrailer(b); err == nil && len(content) > len(b) {
			t.Fatal("content is longer than the trailer")
		}
	})
}

// checkFuzzedLayers checks that parsed layers survive a round trip.
func checkFuzzedLayers(t *testing.T, layers []meta.Layer, err error, limit int,
	again func([]meta.Layer) ([]meta.Layer, error)) {
	t.Helper()
	if err != nil {
		if !errors.Is(err, cairn.ErrCorrupt) {
			t.Fatal(err)
		}
		return
	}
	if err := Validate(layers, limit); err != nil {
		t.Fatal(err)
	}
	back, err := again(layers)
	if err != nil || !sameLayers(back, layers) {
		t.Fatalf("%v came back as %v, %v", layers, back, err)
	}
}
