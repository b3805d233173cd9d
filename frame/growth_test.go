package frame

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/storage"
)

// A chunkReader is a frame or a snapshot.
type chunkReader interface {
	ReadChunk(ctx context.Context, dst []byte, i int) (int, error)
	EncodedChunk(buf []byte, i int) ([]byte, error)
}

// readStamped reads chunks of f and of its snapshots until done is closed. Every chunk must be of
// one commit, and neither a snapshot nor memory that the frame lends may change.
func readStamped(t *testing.T, f *Frame, size int, seed uint64, done <-chan struct{}) {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := make([]byte, size)
	commitOf := func(b []byte, i int) int {
		commit := int(binary.LittleEndian.Uint16(b))
		if !bytes.Equal(b, stampedOf(size, i, commit)) {
			t.Errorf("chunk %d is torn", i)
		}
		return commit
	}
	read := func(from chunkReader, i int) int {
		if _, err := from.ReadChunk(noContext, b, i); err != nil {
			t.Error(err)
			return -1
		}
		return commitOf(b, i)
	}
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		default:
		}
		i := rng.IntN(f.NumChunks())
		read(f, i)
		if n%8 > 0 {
			continue
		}
		s := f.Snapshot()
		c, err := s.EncodedChunk(nil, i)
		if err != nil {
			t.Error(err)
			return
		}
		lent := commitOf(c[len(c)-size:], i)
		if a, b := read(s, i), read(s, i); a != b || a != lent {
			t.Errorf("a snapshot shows commits %d, %d and then %d", lent, a, b)
		}
		s = nil
		runtime.GC()
		if again := commitOf(c[len(c)-size:], i); again != lent {
			t.Errorf("lent memory was of commit %d, and then of %d", lent, again)
		}
	}
}

// TestManyCommitsOfOneBox replaces one chunk in each of many commits. The file must not get longer
// than twice its live bytes and what docs/reliability.md allows.
func TestManyCommitsOfOneBox(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name                   string
		fs                     storage.FS // nil for a frame without a path
		size, commits, readers int
		spare                  int64
	}{
		{"new, small", nil, 2 << 10, 10_000, 0, minDeadAtClose},
		{"new", nil, 64 << 10, 10_000, 0, minDeadAtClose},
		{"new, small, readers", nil, 2 << 10, 1000, 2, minDeadAtClose},
		{"new, readers", nil, 64 << 10, 1000, 2, minDeadAtClose},
		{"memory", storage.NewMemory(), 64 << 10, 1000, 0, minDeadAtClose},
		{"memory, readers", storage.NewMemory(), 64 << 10, 1000, 2, minDeadAtClose},
		{"file", storage.OS(), 64 << 10, 2000, 0, minDead},
		{"file, small", storage.OS(), 2 << 10, 1000, 0, minDead},
		{"file, readers", storage.OS(), 64 << 10, 500, 2, minDead},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &Options{TypeSize: 8, Level: chunk.Stored, ChunkSize: c.size, FS: c.fs,
				Commits: Commits{Durability: None}, Overwrite: true}
			f, err := New(o)
			if c.fs != nil {
				path := "f"
				if c.fs == storage.OS() {
					path = filepath.Join(dir, path)
				}
				f, err = Create(path, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer f.Abort()
			manyCommits(t, f, c.size, c.commits, c.readers, c.spare)
		})
	}
}

// TestReuseInMemory checks that frames in memory use dead bytes again, without compaction, and that
// the memory does not stay in use that was replaced.
func TestReuseInMemory(t *testing.T) {
	inUse := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	f, err := New(&Options{TypeSize: 8, Level: chunk.Stored, ChunkSize: 64 << 10, Commits: Commits{NoCompact: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	manyCommits(t, f, 64<<10, 2000, 0, 1<<20)
	lent, err := f.EncodedChunk(nil, 0)
	if err != nil || len(lent) < 64<<10 {
		t.Fatal(err)
	}
	was := bytes.Clone(lent)
	rewriteAll(t, f, 1, 40)
	if !bytes.Equal(lent, was) {
		t.Fatal("lent memory has changed")
	}
	if grown := inUse() - before; grown > 2*f.Info().FrameLen {
		t.Fatalf("%d bytes are in use for a frame of %d", grown, f.Info().FrameLen)
	}
}

// manyCommits commits again and again, each time another one of the chunks of f. spare is how many
// dead bytes a frame may have besides its live ones.
func manyCommits(t *testing.T, f *Frame, size, commits, readers int, spare int64) {
	t.Helper()
	for i := range 32 {
		if _, err := f.Append(noContext, stampedOf(size, i, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}

	done := make(chan struct{})
	var wg sync.WaitGroup
	for g := range readers {
		wg.Go(func() { readStamped(t, f, size, uint64(g), done) })
	}
	for k := range commits {
		i := k * 7 % 32
		if err := f.Update(noContext, i, stampedOf(size, i, k)); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		const end = 2 << 10 // header, index and trailer
		if now := f.Info(); now.FrameLen > 2*now.Live+max(spare, 2*int64(size+100))+end {
			t.Fatalf("commit %d: a frame of %d bytes, of which %d are live", k, now.FrameLen, now.Live)
		}
	}
	close(done)
	wg.Wait()

	report, err := f.Verify(noContext)
	if err != nil || len(report.Overlap) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	b := make([]byte, size)
	for i := range 32 {
		last := (commits-1)/32*32 + i*23%32 // 7 * 23 = 1 modulo 32
		if last >= commits {
			last -= 32
		}
		if _, err := f.ReadChunk(noContext, b, i); err != nil || !bytes.Equal(b, stampedOf(size, i, last)) {
			t.Fatalf("chunk %d is not of commit %d: %v", i, last, err)
		}
	}
}

// TestReadersBesideReuse reads chunks and snapshots in several goroutines while commits store
// chunks where others were.
func TestReadersBesideReuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.b2frame")
	f := newStamped(t, path, Commits{Durability: None})
	defer f.Abort()

	done := make(chan struct{})
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() { readStamped(t, f, 64<<10, uint64(g), done) })
	}
	rewriteAll(t, f, 1, 60)
	close(done)
	wg.Wait()
}
