package zarr

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

const (
	soundV2 = `{"zarr_format":2,"shape":[4,3],"chunks":[2,2],"dtype":"<i4","compressor":null,"fill_value":0,` +
		`"order":"C","filters":null}`
	soundV3 = `{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"int32","chunk_grid":{"name":"regular",` +
		`"configuration":{"chunk_shape":[2,2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,` +
		`"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`
)

// TestRefusals changes sound metadata, and expects an error that names the change.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		doc, old, new string
		is            error
		text          string
	}{
		{soundV2, `"<i4"`, `"|O"`, cairn.ErrUnsupported, "|O: items without a fixed size"},
		{soundV2, `"<i4"`, `"<i5"`, cairn.ErrCorrupt, "not a type"},
		{soundV2, `"<i4"`, `"|S0"`, cairn.ErrUnsupported, "0 bytes"},
		{soundV2, `"<i4"`, `[["a","|O"]]`, cairn.ErrUnsupported, "fixed size"},
		{soundV2, `"filters":null`, `"filters":[{"id":"vlen-utf8"}]`, cairn.ErrUnsupported, "vlen-utf8"},
		{soundV2, `"compressor":null`, `"compressor":{"id":"lzma"}`, cairn.ErrUnsupported, `"lzma"`},
		{soundV2, `"compressor":null`, `"compressor":{"id":"zfpy"}`, cairn.ErrUnsupported, `"zfpy"`},
		{soundV2, `"order":"C"`, `"order":"K"`, cairn.ErrCorrupt, "order K"},
		{soundV2, `[2,2]`, `[2]`, cairn.ErrCorrupt, "chunks of [2]"},
		{soundV2, `[2,2]`, `[0,2]`, cairn.ErrCorrupt, "chunks of [0 2]"},
		{soundV2, `[4,3]`, `[-4,3]`, cairn.ErrCorrupt, "the shape is -4"},
		{soundV2, `[4,3]`, `[4,4611686018427387904]`, cairn.ErrCorrupt, "63 bits"},
		{soundV2, `[2,2]`, `[2000000,2000]`, cairn.ErrLimit, "chunks of 16000000000 bytes"},
		{soundV2, `"fill_value":0`, `"fill_value":"x"`, cairn.ErrCorrupt, "fill value x"},
		{soundV2, `"fill_value":0`, `"fill_value":2147483648`, cairn.ErrCorrupt, "fill value 2147483648"},
		{soundV3, `"int32"`, `"bytes"`, cairn.ErrUnsupported, "bytes: items without a fixed size"},
		{soundV3, `"int32"`, `"string"`, cairn.ErrCorrupt, "codec bytes of texts"},
		{soundV3, `"int32"`, `"bfloat16"`, cairn.ErrUnsupported, `"bfloat16"`},
		{soundV3, `"int32"`, `{"name":"variable_length_bytes"}`, cairn.ErrUnsupported, "variable_length_bytes"},
		{soundV3, `"regular"`, `"rectilinear"`, cairn.ErrUnsupported, `"rectilinear"`},
		{soundV3, `"default"`, `"fanout"`, cairn.ErrUnsupported, `"fanout"`},
		{soundV3, `"fill_value":0`, `"fill_value":0,"new":{}`, cairn.ErrUnsupported, `"new"`},
		{soundV3, `"fill_value":0`, `"fill_value":0,"storage_transformers":[{"name":"x"}]`,
			cairn.ErrUnsupported, "transformers"},
		{soundV3, `"codecs":[`, `"codecs":[{"name":"transpose","configuration":{"order":[0,0]}},`,
			cairn.ErrCorrupt, "[0 0]"},
		{soundV3, `{"name":"bytes","configuration":{"endian":"little"}}`, ``, cairn.ErrCorrupt,
			"no codec makes bytes"},
		{soundV3, `{"name":"bytes","configuration":{"endian":"little"}}`,
			`{"name":"numcodecs.delta","configuration":{"dtype":"<i4"}},` +
				`{"name":"bytes","configuration":{"endian":"big"}}`,
			cairn.ErrUnsupported, "big-endian bytes behind a filter"},
		{soundV3, `}}]}`, `}},"zstd","lz5"]}`, cairn.ErrUnsupported, `"lz5"`},
		{soundV3, `{"name":"bytes","configuration":{"endian":"little"}}`,
			`{"name":"sharding_indexed","configuration":{"chunk_shape":[1,3],"codecs":["bytes"]}}`,
			cairn.ErrCorrupt, "do not fill"},
		{soundV3, `{"name":"bytes","configuration":{"endian":"little"}}`,
			`{"name":"sharding_indexed","configuration":{"chunk_shape":[1,2],"codecs":["bytes"],` +
				`"index_codecs":["bytes","zstd"]}}`,
			cairn.ErrUnsupported, "compressed index"},
		{soundV3, `"array"`, `"arrays"`, cairn.ErrCorrupt, "node_type arrays"},
		{soundV3, `"shape":`, `"shape":[`, cairn.ErrCorrupt, "no comma"},
	} {
		k := twoKeys{name: nameArrayV2, doc: []byte(strings.Replace(c.doc, c.old, c.new, 1))}
		if c.doc == soundV3 {
			k.name = nameV3
		}
		s := newStore("test", nil)
		s.keys = k
		_, err := s.begin()
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", c.new, err, c.is, c.text)
		}
	}
}

// TestDamagedChunks expects an error for a chunk that is not what the codecs make.
func TestDamagedChunks(t *testing.T) {
	for _, c := range []struct{ compressor, chunk, text string }{
		{`null`, "short", "5 bytes, want 16"},
		{`{"id":"zlib"}`, "short", "0x"},
		{`{"id":"lz4"}`, "\xff\xff\xff\x7fabc", "2147483647"},
		{`{"id":"blosc"}`, "\x02\x01\x01\x04\x00\x00\x00\x40\x00\x00\x00\x40\x10\x00\x00\x00", "want 16"},
		{`{"id":"gzip"}`, "\x1f\x8b\x08\x00", "gzip"},
		{`{"id":"zstd"}`, "", "0 bytes"},
	} {
		doc := strings.Replace(soundV2, `"compressor":null`, `"compressor":`+c.compressor, 1)
		k := twoKeys{nameArrayV2, []byte(doc), []byte(c.chunk)}
		s := newStore("test", nil)
		s.keys = k
		s, err := s.begin()
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Array(t.Context(), "/")
		if err != nil {
			t.Fatal(err)
		}
		err = a.ReadBytes(t.Context(), make([]byte, 4), []int64{0, 0}, []int64{1, 1})
		if !errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), "chunk 0.0") {
			t.Errorf("%s: %v", c.compressor, err)
		}
	}
}
