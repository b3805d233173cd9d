package chunk

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// TestVersions decodes chunks of every version, whole and by items. Versions with the same header
// fields differ only in the number.
func TestVersions(t *testing.T) {
	src := sample("patches", 100_000, 4, 3)
	blosc1 := &Options{Blosc1: true, TypeSize: 4, Codec: codecs.LZ4}
	slot4 := &Options{TypeSize: 4, Codec: codecs.LZ4, Filters: []shuffle.Spec{shuffle.Byte, shuffle.None}}
	for _, c := range []struct {
		options *Options
		written uint8 // version in the header of our encoder
		version uint8
		garbage bool // in the sixth slot, which version 3 does not have
	}{
		{blosc1, 2, 1, false}, {blosc1, 2, 2, false}, {slot4, 5, 3, true}, {slot4, 5, 4, false}, {slot4, 5, 5, false}, {slot4, 5, 6, false}, {slot4, 5, 7, false},
	} {
		b := encode(t, c.options, src)
		if b[0] != c.written {
			t.Fatalf("version %d was written, want %d", b[0], c.written)
		}
		b[0] = c.version
		if c.garbage {
			b[0x15], b[0x1d] = 0xee, 0xee
		}
		if got := decode(t, b); !bytes.Equal(got, src) {
			t.Errorf("version %d: decoded data differs", c.version)
		}
		item := make([]byte, 400)
		if _, err := NewDecoder(nil).DecodeItems(item, b, 5000, 5100); err != nil || !bytes.Equal(item, src[20_000:20_400]) {
			t.Errorf("version %d: items differ, %v", c.version, err)
		}
	}
	future := encode(t, slot4, src)
	future[0], future[0x1e] = 7, 2
	if _, err := ParseHeader(future); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("a version with flags that are not known: %v", err)
	}
}
