package codecs

import (
	"bytes"
	"encoding/hex"
	"os"
	"regexp"
	"testing"
)

// TestNumericPage decodes the streams with methods in docs/format/numeric.md.
func TestNumericPage(t *testing.T) {
	page, err := os.ReadFile("../docs/format/numeric.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?m)^. `([0-9a-f]+)` . `([0-9a-f]+)` .$").FindAllSubmatch(page, -1)
	if len(found) == 0 {
		t.Fatal("no streams in the page")
	}

	for _, f := range found {
		stream, err1 := hex.DecodeString(string(f[1]))
		want, err2 := hex.DecodeString(string(f[2]))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		d, err := newNumericDecoder(Params{})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if err := d.Decode(got, stream); err != nil || !bytes.Equal(got, want) {
			t.Errorf("method %d: %x, error %v; want %x", stream[0], got, err, want)
		}
	}
}
