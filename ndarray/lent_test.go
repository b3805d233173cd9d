package ndarray

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// TestPendingWritesKeepNoLentMemory writes a part of a chunk that its file lends. What a pending
// chunk keeps is later written to as a buffer, so that must not be the memory of the file.
func TestPendingWritesKeepNoLentMemory(t *testing.T) {
	ctx := t.Context()
	random := make([]byte, 32*64*4)
	for i, rnd := 0, rand.New(rand.NewPCG(3, 4)); i < len(random); i++ {
		random[i] = byte(rnd.Uint32())
	}

	for name, test := range map[string]struct {
		fs    storage.FS
		path  string
		keeps bool
	}{
		"memory": {storage.NewMemory(), "a", false},
		"files":  {storage.OS(), filepath.Join(t.TempDir(), "a"), true},
	} {
		u, err := CreateUntyped(test.path, "<i4", Shape{32, 64}, &Options{
			ChunkShape: Shape{32, 64}, BlockShape: Shape{8, 64}, Sparse: true, FS: test.fs,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := u.WriteBox(ctx, random, []int64{0, 0}, []int64{32, 64}); err != nil {
			t.Fatal(err)
		}
		if err := u.Commit(ctx); err != nil {
			t.Fatal(err)
		}

		if err := u.WriteBox(ctx, []byte{1, 2, 3, 4}, []int64{3, 5}, []int64{4, 6}); err != nil {
			t.Fatal(err)
		}
		if kept := u.self().buffer.pending.chunk(0).encoded; (kept != nil) != test.keeps {
			t.Errorf("%s: a pending chunk keeps %d bytes", name, len(kept))
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
