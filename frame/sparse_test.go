package frame

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/storage"
)

func TestSparseNumbersStayLow(t *testing.T) {
	m := storage.NewMemory()
	f := mustCreate(t, "s", &Options{FS: m, Sparse: true, TypeSize: 4})
	for i := range 100 {
		mustAppend(t, f, bytes.Repeat([]byte{byte(i), 1, 2, 3}, 10))
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	for range 99 {
		if err := f.Delete(noContext, 0); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, f)
	entries, err := m.ReadDir("s")
	if err != nil || len(entries) != 2 || entries[0].Name != "00000000.chunk" {
		t.Fatalf("%+v, %v", entries, err)
	}
	f, err = Open("s", &OpenOptions{FS: m})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 40)
	if _, err := f.ReadChunk(noContext, got, 0); err != nil || got[0] != 99 {
		t.Fatalf("%d, %v", got[0], err)
	}
	mustClose(t, f)
}

func TestForeignFilesInADirectoryStay(t *testing.T) {
	m := storage.NewMemory()
	f := mustCreate(t, "s", &Options{FS: m, Sparse: true})
	mustAppend(t, f, ramp(10, 0))
	mustClose(t, f)
	put(t, m, "s/00000001.chunk", []byte("another writer's"))
	put(t, m, "s/chunks.b2frame.tmp", []byte("half of an index"))
	f, err := Open("s", &OpenOptions{FS: m, Mode: ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, f, ramp(10, 1), ramp(10, 2))
	mustClose(t, f)
	entries, err := m.ReadDir("s")
	if err != nil {
		t.Fatal(err)
	}
	want := "00000000.chunk 00000001.chunk 00000002.chunk 00000003.chunk chunks.b2frame"
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != want || entries[1].Size != 16 {
		t.Fatalf("got %s", got)
	}
	if _, err := Verify(noContext, "s", &OpenOptions{FS: m}); err != nil {
		t.Fatal(err)
	}
}

// TestAllocsOfSparseCommitsFollowTheChange counts the memory that a commit of one changed chunk
// takes in a frame of many chunks. Looking at every chunk would take more.
func TestAllocsOfSparseCommitsFollowTheChange(t *testing.T) {
	const chunks, commits, most = 20_000, 10, 100 << 10
	m := storage.NewMemory()
	f := mustCreate(t, "s", &Options{FS: m, Sparse: true})
	for i := range chunks {
		mustAppend(t, f, ramp(10, i))
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	change := func() {
		if err := f.Update(noContext, chunks/2, ramp(10, 1)); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(noContext); err != nil {
			t.Fatal(err)
		}
	}
	change()

	// A commit for which the collector has emptied a pool, or that runs on another processor, makes
	// a workspace. Not all of them do.
	least := uint64(math.MaxUint64)
	for range commits {
		least = min(least, allocated(change))
	}
	if least > most {
		t.Errorf("%d bytes per commit, want at most %d", least, most)
	}
	mustClose(t, f)
	if files, err := m.ReadDir("s"); err != nil || len(files) != chunks+1 {
		t.Errorf("%d files remain, want %d; %v", len(files), chunks+1, err)
	}
}

// TestReplacedChunkFilesAreRemovedInBatches counts the files of a sparse frame, and the commits
// that remove some. Large files do not wait for others.
func TestReplacedChunkFilesAreRemovedInBatches(t *testing.T) {
	for _, c := range []struct{ size, commits, most, removals int }{
		{100, 200, batchFiles, 200 / batchFiles},
		{1 << 20, 20, batchBytes >> 20, 3},
		{batchBytes + 1, 4, 0, 3},
	} {
		m := storage.NewMemory()
		f := mustCreate(t, "f", &Options{TypeSize: 1, ChunkSize: c.size, Level: chunk.Stored, Sparse: true, FS: m})
		data := make([]byte, c.size)
		rng := rand.New(rand.NewPCG(1, 2))
		fresh := func() []byte {
			for i := range min(len(data), 100) {
				data[i] = byte(rng.Uint32())
			}
			return data
		}
		mustAppend(t, f, fresh(), fresh())
		mustCommit(t, f)

		removals, last := 0, 3
		for range c.commits {
			must(0, f.Update(t.Context(), 1, fresh()))
			mustCommit(t, f)
			now := len(must(m.ReadDir("f")))
			if now > 4+c.most { // the index, two chunks and the one before the last commit
				t.Fatalf("chunks of %d bytes: %d files", c.size, now)
			}
			if now <= last {
				removals++
			}
			last = now
		}
		if removals > c.removals {
			t.Errorf("chunks of %d bytes: %d of %d commits removed files", c.size, removals, c.commits)
		}
		mustClose(t, f)
		if n := len(must(m.ReadDir("f"))); n != 3 {
			t.Errorf("chunks of %d bytes: Close leaves %d files", c.size, n)
		}
	}
}
