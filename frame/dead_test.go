package frame

import (
	"testing"

	"github.com/cairn-go/cairn/chunk"
)

// TestBytesOfDamagedChunksAreNotDead checks that the bytes of an unreadable chunk, up to the next
// one, do not count as dead.
func TestBytesOfDamagedChunksAreNotDead(t *testing.T) {
	f := must(New(nil))
	for i := range 3 {
		mustAppend(t, f, ramp(100, i))
	}
	info, err := f.Chunk(1)
	if err != nil {
		t.Fatal(err)
	}
	b := must(f.Bytes())
	// in its header, or in its items
	for _, at := range []int64{info.Offset + 4, info.Offset + int64(info.CBytes) - 1} {
		bad := append([]byte{}, b...)
		bad[at] ^= 0x55
		g, err := FromBytes(bad, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := g.Snapshot().Verify(noContext); err == nil || r.Dead != 0 || r.Stored[Verified] != 2 {
			t.Errorf("byte %d changed: %d dead bytes, %v, %v", at, r.Dead, r.Stored, err)
		}
		mustClose(t, g)
	}
	mustClose(t, f)
}

// TestCommitsThatReplaceEverything replaces all chunks, commit after commit. Not every commit may
// write them twice, and dead bytes must not pile up.
func TestCommitsThatReplaceEverything(t *testing.T) {
	const chunks, items, commits = 3, 1 << 20, 12
	const size = 4 * items
	f := must(New(&Options{Level: chunk.Stored}))
	for i := range chunks {
		mustAppend(t, f, ramp(items, i))
	}
	commit := func() {
		if err := f.Commit(noContext); err != nil {
			t.Fatal(err)
		}
	}
	commit()
	compactions := 0
	for n := range commits {
		for i := range chunks {
			if err := f.Update(noContext, i, ramp(items, n+i)); err != nil {
				t.Fatal(err)
			}
		}
		commit()
		length := f.edit.committed.head.FrameLen
		if length > 4*chunks*(size+100) {
			t.Errorf("commit %d: %d bytes for %d chunks of %d", n, length, chunks, size)
		}
		if length < (chunks+1)*size {
			compactions++
		}
	}
	if compactions < 2 || compactions > commits/2 {
		t.Errorf("%d compactions in %d commits", compactions, commits)
	}
	mustClose(t, f)
}
