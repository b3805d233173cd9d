package item

import (
	"encoding/json"
	"testing"

	"github.com/cairn-go/cairn/meta"
)

// TestItems checks items of dtypes that have parts: complex numbers and arrays.
func TestItems(t *testing.T) {
	for _, c := range []struct {
		dtype             string
		raw               []byte
		text, plain, json string
	}{
		{"<c8", []byte{0, 0, 192, 63, 0, 0, 0, 192}, "1.5-2j", "1.5-2j", "[1.5,-2]"},
		{"<c8", []byte{0, 0, 192, 63, 0, 0, 128, 127}, "1.5+Infj", "1.5+infj", `[1.5,"inf"]`},
		{"('<i2', (3,))", []byte{1, 0, 255, 255, 7, 0}, "[1 -1 7]", "[1 -1 7]", "[1,-1,7]"},
		{"[('p', '<u2', (2,)), ('ok', '?')]", []byte{1, 0, 2, 0, 1}, "{p: [1 2], ok: true}",
			"{p: [1 2], ok: true}", `{"ok":true,"p":[1,2]}`},
	} {
		d, err := meta.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		value, err := json.Marshal(JSON(d, c.raw))
		if err != nil {
			t.Fatal(err)
		}
		text, plain := Text(d, c.raw), Plain(d, c.raw)
		if text != c.text || plain != c.plain || string(value) != c.json {
			t.Errorf("%s: %s, %s, %s", c.dtype, text, plain, value)
		}
	}
}
