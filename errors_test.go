package cairn_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestCorruptErrorText(t *testing.T) {
	for _, c := range []struct {
		err  *cairn.CorruptError
		want string
	}{
		{cairn.Corruptf("chunk", 4, "block size %d", -1), "corrupt chunk at offset 4: block size -1"},
		{cairn.Corruptf("index", -1, "is short"), "corrupt index: is short"},
		{&cairn.CorruptError{Layer: "chunk", Chunk: 17, Offset: 48213, Reason: "bad"}, "corrupt chunk 17 at offset 48213: bad"},
		{&cairn.CorruptError{Layer: "lz4 stream", Chunk: 17, Offset: -1, Reason: "bad"}, "corrupt lz4 stream of chunk 17: bad"},
		{&cairn.CorruptError{Layer: "trailer", Chunk: -1, Offset: 0, Reason: "cut off", Err: io.ErrUnexpectedEOF}, "corrupt trailer at offset 0: cut off: unexpected EOF"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

func TestCorruptErrorMatches(t *testing.T) {
	plain := fmt.Errorf("open a.b2nd: %w", cairn.Corruptf("header", 0, "bad magic"))
	if !errors.Is(plain, cairn.ErrCorrupt) {
		t.Error("does not match ErrCorrupt")
	}
	if errors.Is(plain, cairn.ErrChecksum) {
		t.Error("matches ErrChecksum without a cause")
	}
	caused := &cairn.CorruptError{Layer: "chunk", Chunk: -1, Offset: -1, Reason: "damaged", Err: cairn.ErrChecksum}
	if !errors.Is(caused, cairn.ErrCorrupt) || !errors.Is(caused, cairn.ErrChecksum) {
		t.Error("does not match both ErrCorrupt and its cause")
	}
}

func TestInChunk(t *testing.T) {
	if cairn.InChunk(nil, 1, 100) != nil {
		t.Error("no error became one")
	}
	inner := cairn.Corruptf("chunk", 16, "bad")
	for _, c := range []struct {
		base, want int64
	}{{1000, 1016}, {0, 16}, {-1, 16}} {
		var ce *cairn.CorruptError
		if err := cairn.InChunk(fmt.Errorf("decode: %w", inner), 7, c.base); !errors.As(err, &ce) {
			t.Fatalf("base %d: not a CorruptError: %v", c.base, err)
		}
		if ce.Chunk != 7 || ce.Offset != c.want {
			t.Errorf("base %d: chunk %d offset %d, want 7 and %d", c.base, ce.Chunk, ce.Offset, c.want)
		}
	}
	if inner.Chunk != -1 || inner.Offset != 16 {
		t.Error("the original was changed")
	}
	var unknown *cairn.CorruptError
	errors.As(cairn.InChunk(cairn.Corruptf("chunk", -1, "bad"), 7, 1000), &unknown)
	if unknown.Offset != -1 {
		t.Errorf("an offset that is not known became %d", unknown.Offset)
	}

	err := cairn.InChunk(fs.ErrPermission, 7, 1000)
	if !errors.Is(err, fs.ErrPermission) || err.Error() != "chunk 7: permission denied" {
		t.Errorf("other errors are not wrapped with the chunk: %v", err)
	}
}

// TestSentinelErrorsAreDistinct checks that no two names have the same error, which would make a
// branch unreachable.
func TestSentinelErrorsAreDistinct(t *testing.T) {
	all := []error{
		cairn.ErrCorrupt, cairn.ErrChecksum, cairn.ErrUnsupported, cairn.ErrLimit, cairn.ErrReadOnly, cairn.ErrClosed,
		cairn.ErrLocked, cairn.ErrConflict, cairn.ErrType, cairn.ErrBounds, cairn.ErrNotFound,
	}
	for i, a := range all {
		for _, b := range all[:i] {
			if errors.Is(a, b) || a.Error() == b.Error() {
				t.Errorf("%v and %v are the same", a, b)
			}
		}
	}
}
