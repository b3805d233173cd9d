package zstd_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
)

const magic = "\x28\xb5\x2f\xfd"

// stored returns a block of a type and size, with the given bytes after its header.
func stored(kind, size int, body string) string {
	v := 1 | kind<<1 | size<<3 // the last one
	return string([]byte{byte(v), byte(v >> 8), byte(v >> 16)}) + body
}

func compressed(body string) string { return stored(2, len(body), body) }

// TestReject decodes frames of five bytes: valid ones, and frames that are invalid in one place
// each.
func TestReject(t *testing.T) {
	const frame = magic + "\x20\x05" // one segment, five bytes
	for name, c := range map[string]struct{ stream, why string }{
		"nothing wrong":           {frame + stored(0, 5, "hello"), ""},
		"an RLE block":            {frame + stored(1, 5, "h"), ""},
		"raw literals":            {frame + compressed("\x28hello\x00"), ""},
		"RLE literals":            {frame + compressed("\x29h\x00"), ""},
		"a window of 2 GiB":       {magic + "\x00\xa8" + stored(1, 5, "h"), ""},
		"a window of 4 GiB":       {magic + "\x00\xb0" + stored(1, 5, "h"), "window"},
		"another magic number":    {"\x29\xb5\x2f\xfd\x20\x05" + stored(0, 5, "hello"), "not a Zstandard frame"},
		"reserved bit of frame":   {magic + "\x28\x05" + stored(0, 5, "hello"), "reserved"},
		"a dictionary":            {magic + "\x21\x07\x05" + stored(0, 5, "hello"), "dictionary"},
		"no dictionary":           {magic + "\x21\x00\x05" + stored(0, 5, "hello"), ""},
		"header cut off":          {magic + "\xe0\x05\x00", "ends early"},
		"no block":                {frame, "ends early"},
		"reserved block":          {frame + stored(3, 5, "hello"), "reserved"},
		"block cut off":           {frame + stored(0, 5, "hell"), "ends early"},
		"block beyond the window": {frame + stored(0, 1025, strings.Repeat("x", 1025)), "too large"},
		"content too short":       {frame + stored(0, 4, "hell"), "shorter or longer"},
		"content too long":        {frame + stored(0, 6, "hello!"), "longer"},
		"no literals header":      {frame + compressed(""), "ends early"},
		"literals cut off":        {frame + compressed("\x28hel"), "ends early"},
		"too many literals":       {frame + compressed("\x30hello!\x00"), "longer"},
		"no sequences header":     {frame + compressed("\x28hello"), "ends early"},
		"bytes after no sequence": {frame + compressed("\x28hello\x00\x00"), "follows"},
		"no table to repeat":      {frame + compressed("\x53\x40\x00\x01\x00"), "Huffman"},
		"no sequences to repeat":  {frame + compressed("\x20four\x01\xc0\x01"), "repeat"},
		"reserved modes":          {frame + compressed("\x20four\x01\x01\x01"), "reserved"},
		"no bit stream":           {frame + compressed("\x20four\x01\x00"), "stream"},
		"no end mark":             {frame + compressed("\x20four\x01\x00\x01\x00"), "stream"},
		"bits that are left":      {frame + compressed("\x08h\x01\x54\x01\x00\x01\x00\x80"), "stream"},
		"a code that is too high": {frame + compressed("\x20four\x01\x54\x24\x00\x00\x80"), "symbol"},
		"a distance of too much":  {frame + compressed("\x08h\x01\x54\x01\x03\x01\x0b"), "too far"},
		"a match":                 {frame + compressed("\x08h\x01\x54\x01\x02\x01\x04"), ""},
		"a skippable frame only":  {"\x50\x2a\x4d\x18\x00\x00\x00\x00", "0 bytes"},
	} {
		err := decoder(t).Decode(make([]byte, 5), []byte(c.stream))
		switch {
		case c.why == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.why != "" && (!errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}

// TestOldFrames checks that frames of Zstandard before 0.8 are unsupported, not corrupt.
func TestOldFrames(t *testing.T) {
	for version := range 6 {
		stream := append([]byte{byte(0x22 + version)}, "\xb5\x2f\xfd\x00\x00\x00\x00"...)
		err := decoder(t).Decode(make([]byte, 5), stream)
		if !errors.Is(err, cairn.ErrUnsupported) || errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), "before 0.8") {
			t.Errorf("a frame of Zstandard 0.%d: %v", 2+version, err)
		}
	}
}
