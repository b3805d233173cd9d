package ndarray

import (
	"errors"
	"math/bits"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/meta"
)

// A file with a thousand chunks can claim a shape of four billion: loops over chunks must end with
// the chunks that exist.
func TestChunksEndWithTheFile(t *testing.T) {
	const have, size = 1024, 1 << 30
	geometry := meta.B2ND{Shape: []int64{1 << 62}, ChunkShape: []int32{size}, BlockShape: []int32{1 << 20}, DType: "|u1"}
	path := filepath.Join(t.TempDir(), "few.b2nd")
	f, err := frame.Create(path, &frame.Options{
		TypeSize: 1, ChunkSize: size, BlockSize: 1 << 20,
		Meta: []meta.Layer{{Name: meta.LayerB2ND, Content: geometry.Append(nil)}},
	})
	if err == nil {
		err = f.AppendSpecial(t.Context(), chunk.SpecialZeros, have*size)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := OpenAs[uint8](path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	n := 0
	for _, err = range a.Chunks(t.Context()) {
		if n++; n > have+1 {
			break
		}
	}
	if n != have+1 || !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("%d turns, %v", n, err)
	}
	err = passOver(t.Context(), a, nothing)
	want := cairn.ErrCorrupt
	if bits.UintSize == 32 {
		want = cairn.ErrLimit // no slice can have an entry for each chunk
	}
	if !errors.Is(err, want) {
		t.Errorf("blocks: %v", err)
	}
	for i, want := range map[int64]int64{0: have - 1, have - 1: 1, have: 1<<32 - have} {
		if n, items, err := a.equalChunks(i); n != want || items != want*size || err != nil {
			t.Errorf("%d chunks of %d items from %d on, %v; want %d", n, items, i, err, want)
		}
	}
	for _, i := range []int64{-1, 1 << 32} {
		if _, _, err := a.equalChunks(i); !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("chunk %d: %v", i, err)
		}
	}
}
