package zarr

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-go/cairn"
)

// textChunk is a chunk of texts, as vlen-utf8 encodes it.
func textChunk(texts ...string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(texts)))
	for _, s := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

// Documents of three texts in chunks of two.
const (
	textV3 = `{"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": "string", "fill_value": "-",
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
		"chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "vlen-utf8"}], "attributes": {}}`
	textV2 = `{"zarr_format": 2, "shape": [3], "chunks": [2], "dtype": "|O", "compressor": null,
		"fill_value": null, "order": "C", "filters": [{"id": "vlen-utf8"}]}`
)

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  string // items, between bars; "" for an error
	}{
		{map[string]string{nameV3: textV3, "c/0": string(textChunk("Ærø", "東京")), "c/1": string(textChunk("a", ""))}, "Ærø|東京|a"},
		{map[string]string{nameArrayV2: textV2, "0": string(textChunk("", "long words")), "1": string(textChunk("a", "b"))},
			"|long words|a"},
		{map[string]string{nameV3: textV3, "c/1": string(textChunk("abc", ""))}, "-|-|abc"},
		{map[string]string{nameArrayV2: textV2}, "||"},
		{map[string]string{nameV3: textV3, "c/0": string(textChunk("a", "b")[:10])}, ""},
		{map[string]string{nameV3: textV3, "c/0": "\xff\xff\xff\xff"}, ""},
		{map[string]string{nameV3: textV3, "c/0": ""}, ""},
		{map[string]string{nameV3: textV3, "c/0": string(textChunk("a", "\xff"))}, ""},
		{map[string]string{nameV3: textV3, "c/0": string(textChunk("a"))}, ""},
		{map[string]string{nameV3: textV3, "c/0": string(textChunk("a", "b", "c"))}, ""},
	} {
		files := fstest.MapFS{}
		for name, content := range c.files {
			files[name] = &fstest.MapFile{Data: []byte(content), Mode: fs.ModePerm}
		}
		s, err := OpenFS(files, ".", nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Array(t.Context(), "")
		var items []byte
		if err == nil {
			items = make([]byte, 3*a.DType().Size())
			err = a.ReadBytes(t.Context(), items, []int64{0}, []int64{3})
		}
		if c.want == "" {
			if !errors.Is(err, cairn.ErrCorrupt) {
				t.Errorf("%q: %v", c.files, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.files, err)
			continue
		}
		var got []string
		for item := items; len(item) > 0; item = item[a.DType().Size():] {
			text, _ := fillJSON(item[:a.DType().Size()], a.DType(), 3).(string)
			got = append(got, text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q, want %s", got, c.want)
		}
	}
}
