package frame

import (
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/storage"
)

// TestChunkKeysAreNotUsedAgain changes one chunk repeatedly, so that sparse frames reuse the
// numbers of chunk files.
func TestChunkKeysAreNotUsedAgain(t *testing.T) {
	ctx := t.Context()
	for _, sparse := range []bool{false, true} {
		f, err := Create("a", &Options{Sparse: sparse, FS: storage.NewMemory()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Append(ctx, []byte("first")); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		keys, entries := map[inside.ChunkKey]bool{}, map[int64]bool{}
		for i := range 20 {
			if err := f.Update(ctx, 0, []byte{byte(i), 2, 3, 4, 5}); err != nil {
				t.Fatal(err)
			}
			k, ok := f.Inside().Key(0)
			if again, _ := f.Inside().Key(0); !ok || keys[k] || again != k {
				t.Fatalf("sparse=%v: key %v, %v, %v after %v", sparse, k, ok, again, keys)
			}
			keys[k], entries[k.Entry] = true, true
			if i%3 == 0 {
				err = f.Rollback()
			} else {
				err = f.Commit(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if sparse && len(entries) == 20 {
			t.Error("no number was used again, so this tests nothing")
		}
		if err := f.AppendSpecial(ctx, chunk.SpecialZeros, 5); err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{-1, 1, 2} {
			if k, ok := f.Inside().Key(i); ok {
				t.Errorf("chunk %d has the key %v", i, k)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
