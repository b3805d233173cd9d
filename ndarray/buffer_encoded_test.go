package ndarray

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/inside"
)

// TestPendingChunksAreReadOnce writes boxes that cover blocks in part, in a file with checksums. A
// chunk that has to be compared is read once per commit, however many boxes there are, unless the
// write buffer has no room for its bytes.
func TestPendingChunksAreReadOnce(t *testing.T) {
	const side = 256
	for _, c := range []struct {
		buffer int64
		times  int64 // that the chunk is read at most
	}{{0, 1}, {300 << 10, 3}} {
		path := filepath.Join(t.TempDir(), "a.b2nd")
		rng := rand.New(rand.NewPCG(3, 4))
		want := make([]int32, side*side)
		for i := range want {
			want[i] = rng.Int32()
		}
		a, err := Create[int32](path, Shape{side, side},
			&Options{ChunkShape: Shape{side, side}, BlockShape: Shape{32, 32}})
		check(t, err)
		check(t, a.WriteBox(t.Context(), want, []int64{0, 0}, []int64{side, side}))
		check(t, a.Close())
		u, err := OpenAs[int32](path, &OpenOptions{Mode: ReadWrite, WriteBehind: c.buffer, Workers: 2})
		check(t, err)
		for commit := range 3 {
			before := u.Stats()
			for n := range 2 {
				at := int64(17 + 40*n + commit)
				box := slices.Repeat([]int32{int32(commit + 1)}, 30*30)
				check(t, u.WriteBox(t.Context(), box, []int64{at, at}, []int64{at + 30, at + 30}))
				for i := range 30 {
					copy(want[(at+int64(i))*side+at:][:30], box)
				}
			}
			check(t, u.Commit(t.Context()))
			if read := u.Stats().Sub(before).BytesRead; read < side*side*3 || read > c.times*side*side*4*11/10 {
				t.Errorf("buffer of %d: commit %d read %d bytes", c.buffer, commit, read)
			}
		}
		check(t, u.Close())
		b, err := OpenAs[int32](path, nil)
		check(t, err)
		got, err := b.Read(t.Context())
		check(t, err)
		check(t, b.Close())
		if !slices.Equal(got, want) {
			t.Error("other items")
		}
	}
}

// TestEncodedBytesNeedRoom checks that the bytes that pending chunks keep are within the buffer.
func TestEncodedBytesNeedRoom(t *testing.T) {
	b := writeBuffer{budget: 1000, keeps: true}
	w := &pendingWrites{bytes: 500}
	for n := range 4 {
		w.chunks = append(w.chunks, &pendingChunk{encoded: make([]byte, 200), key: inside.ChunkKey{Entry: int64(n)}})
	}
	b.dropEncoded(w)
	kept := 0
	for _, c := range w.chunks {
		kept += cap(c.encoded)
	}
	if kept != 400 || !b.keeps {
		t.Errorf("%d bytes are kept beside %d, of %d", kept, w.bytes, b.budget)
	}
	b.dropEncoded(nil)
	if b.keeps {
		t.Error("nothing is pending, and something is kept")
	}
}
