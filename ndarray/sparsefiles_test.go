package ndarray

import (
	"slices"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// files returns the number of files in a directory.
func files(t *testing.T, fsys storage.FS, dir string) int {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	check(t, err)
	return len(entries)
}

// TestCommitsRemoveReplacedChunkFiles appends rows to a sparse array, with a commit after each, and
// reads in between. The files of the state before the last commit stay for readers in other
// processes, and a batch of up to 16 that wait for their removal.
func TestCommitsRemoveReplacedChunkFiles(t *testing.T) {
	ctx, fsys := t.Context(), storage.NewMemory()
	a, err := Create[int32]("a", Shape{0, 16}, &Options{ChunkShape: Shape{100, 16}, Sparse: true, FS: fsys})
	check(t, err, a.Commit(ctx))
	row, most := make([]int32, 16), 0
	for i := range int32(1000) {
		slices.Reverse(row)
		row[0] = i
		check(t, a.Append(ctx, 0, row), a.Commit(ctx))

		// Nothing of this keeps files for longer than it takes.
		_, err := a.Read(ctx, Index(-1))
		check(t, err)
		_, err = a.At(0, 3)
		check(t, err, a.View().ReadInto(ctx, row, Index(-1)))
		s, err := a.Snapshot(ctx)
		check(t, err, s.Close())
		chunks := int(a.NumChunks())
		most = max(most, files(t, fsys, "a")-chunks)
	}
	if most > 3+16 { // the index, the last chunk before, a chunk that was just begun, and a batch
		t.Errorf("%d files more than chunks", most)
	}
	if _, err := a.Compact(ctx); err != nil || files(t, fsys, "a") != 11 {
		t.Errorf("after compaction: %d files, %v", files(t, fsys, "a"), err)
	}
	check(t, a.Close())
}

// TestReadersBesideSparseCommits reads states of a sparse array through handles that do not know of
// the commits made meanwhile, and through snapshots that are older.
func TestReadersBesideSparseCommits(t *testing.T) {
	ctx, fsys := t.Context(), storage.NewMemory()
	a, err := Create[int32]("a", Shape{64}, &Options{ChunkShape: Shape{8}, Sparse: true, FS: fsys})
	check(t, err, a.Commit(ctx))
	old, err := a.Snapshot(ctx)
	check(t, err)
	all := func(value int32) []int32 { return slices.Repeat([]int32{value}, 64) }
	for i := int32(1); i <= 20; i++ {
		beside, err := OpenAs[int32]("a", &OpenOptions{FS: fsys})
		check(t, err)
		kept, err := a.Snapshot(ctx)
		check(t, err, a.Fill(ctx, i), a.Commit(ctx))
		got, err := beside.Read(ctx)
		if err != nil || !slices.Equal(got, all(i-1)) {
			t.Fatalf("beside commit %d: %v, %v", i, got, err)
		}
		check(t, a.Fill(ctx, -1), a.Rollback())
		if got, err := kept.Read(ctx); err != nil || !slices.Equal(got, all(i-1)) {
			t.Fatalf("a snapshot from before commit %d: %v, %v", i, got, err)
		}
		check(t, kept.Close(), beside.Close())
	}
	if got, err := old.Read(ctx); err != nil || !slices.Equal(got, all(0)) {
		t.Errorf("the first snapshot: %v, %v", got, err)
	}
	check(t, old.Close(), a.Fill(ctx, 21), a.Commit(ctx))
	if n := files(t, fsys, "a"); n > 17+16 {
		t.Errorf("%d files for 8 chunks", n)
	}
	check(t, a.Close())
	if n := files(t, fsys, "a"); n != 9 {
		t.Errorf("%d files are left for 8 chunks", n)
	}
}
