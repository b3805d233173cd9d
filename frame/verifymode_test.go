package frame

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
)

func TestModesOfVerification(t *testing.T) {
	good, second := trusted(t)
	for mode, want := range map[VerifyMode][2]bool{VerifyOnFirstTouch: {false, true}, VerifyAlways: {true, true},
		VerifyOff: {false, false}, VerifyWhole: {false, true}} {
		b := bytes.Clone(good)
		f := must(FromBytes(b, &OpenOptions{Verify: mode}))
		must(f.ReadItems(noContext, make([]byte, 4), 1, 3, 4))
		b[second+40] ^= 1 // after the first touch
		_, again := f.ReadItems(noContext, make([]byte, 4), 1, 3, 4)
		mustClose(t, f)
		f = must(FromBytes(b, &OpenOptions{Verify: mode}))
		_, first := f.ReadItems(noContext, make([]byte, 4), 1, 3, 4)
		mustClose(t, f)
		if got := [2]bool{errors.Is(again, cairn.ErrChecksum), errors.Is(first, cairn.ErrChecksum)}; got != want {
			t.Errorf("mode %d finds damage %v, want %v", mode, got, want)
		}
	}
	if _, err := FromBytes(good, &OpenOptions{Verify: 4}); err == nil || !strings.Contains(err.Error(), "Verify") {
		t.Errorf("a mode that does not exist: %v", err)
	}
	if _, err := New(&Options{Commits: Commits{Durability: 3}}); err == nil ||
		!strings.Contains(err.Error(), "Durability") {
		t.Errorf("a durability that does not exist: %v", err)
	}
}

// TestVerifyWholeReadsSingleBlocks checks that a block is read without the rest of its chunk, and
// that the chunk is compared when all of it is read.
func TestVerifyWholeReadsSingleBlocks(t *testing.T) {
	f := must(New(&Options{TypeSize: 4, BlockSize: 1 << 14, Level: chunk.Stored}))
	must(f.Append(noContext, ramp(1<<16, 0)))
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	b := bytes.Clone(must(f.Bytes()))
	mustClose(t, f)
	f = must(OpenReader(bytes.NewReader(b), int64(len(b)), &OpenOptions{Verify: VerifyWhole}))
	b[must(f.Chunk(0)).Offset+1<<17] ^= 1 // in another block
	dst := make([]byte, 1<<18)
	must(f.ReadBlock(noContext, dst, 0, 0))
	if _, err := f.ReadChunk(noContext, dst, 0); !errors.Is(err, cairn.ErrChecksum) {
		t.Errorf("the whole chunk: %v", err)
	}
	mustClose(t, f)
}
