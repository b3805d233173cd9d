package frame

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// wasteful makes a frame of two chunks of 14 kB, one of which was replaced in 40 commits.
func wasteful(t *testing.T, o *Options) (*Frame, [][]byte) {
	t.Helper()
	o.Level, o.TypeSize = chunk.Stored, 4
	f := must(Create("f", o))
	chunks := [][]byte{ramp(3500, 1), ramp(3500, 2)}
	for _, c := range chunks {
		must(f.Append(noContext, c))
	}
	must(0, f.Commit(noContext))
	for i := range 40 {
		chunks[0] = ramp(3500, 3+i)
		must(0, f.Update(noContext, 0, chunks[0]))
		must(0, f.Commit(noContext))
	}
	return f, chunks
}

func wantContent(t *testing.T, f *Frame, chunks [][]byte) {
	t.Helper()
	for i, want := range chunks {
		got := make([]byte, len(want))
		if _, err := f.ReadChunk(noContext, got, i); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("chunk %d is another one, or %v", i, err)
		}
	}
}

// TestCloseCompactsMostlyDeadFrames checks that Close compacts a frame that is too small for Commit
// to do so, and only if this handle changed it.
func TestCloseCompactsMostlyDeadFrames(t *testing.T) {
	for _, locking := range []bool{false, true} {
		m := storage.NewMemory()
		f, chunks := wasteful(t, &Options{FS: m, Locking: locking, Commits: Commits{NoCompact: true}})
		i := f.Info()
		if live := int64(2 * (14_000 + chunk.HeaderSize + format.FooterSize)); i.Live != live ||
			i.CBytes < 40*14_000 {
			t.Fatalf("%d bytes of chunks, %d of them live; want %d", i.CBytes, i.Live, live)
		}
		mustClose(t, f)
		open := &OpenOptions{FS: m, Mode: ReadWrite, Locking: locking}
		mustClose(t, must(Open("f", open)))
		if r, err := Verify(noContext, "f", &OpenOptions{FS: m}); err != nil || r.Dead != i.CBytes-i.Live {
			t.Fatalf("who changed nothing, or asked for no compaction, compacts: %d dead bytes, %v", r.Dead, err)
		}
		f = must(Open("f", open))
		chunks[1] = ramp(3500, 99)
		must(0, f.Update(noContext, 1, chunks[1]))
		mustClose(t, f)
		r, err := Verify(noContext, "f", &OpenOptions{FS: m})
		if err != nil || r.Dead != 0 || r.Info.FrameLen > 29_000 || r.Info.Verdict != Verified {
			t.Errorf("%d dead bytes, %+v, %v", r.Dead, r.Info, err)
		}
		f = must(Open("f", &OpenOptions{FS: m}))
		wantContent(t, f, chunks)
		mustClose(t, f)
	}
}

// TestCloseKeepsAFewDeadBytes checks that Close does not compact for a few bytes: a compaction
// takes a new file and syncs.
func TestCloseKeepsAFewDeadBytes(t *testing.T) {
	m := storage.NewMemory()
	f := must(Create("f", &Options{FS: m, Level: chunk.Stored}))
	must(f.Append(noContext, ramp(100, 0)))
	for i := range 5 {
		must(0, f.Commit(noContext))
		must(0, f.Update(noContext, 0, ramp(100, i)))
	}
	mustClose(t, f)
	if r, err := Verify(noContext, "f", &OpenOptions{FS: m}); err != nil || r.Dead < 5*400 {
		t.Fatalf("%d dead bytes, %v", r.Dead, err)
	}
}

// TestCloseWithADamagedChunk checks that Close succeeds if the compaction fails, and leaves the
// frame as it was.
func TestCloseWithADamagedChunk(t *testing.T) {
	m := storage.NewMemory()
	// Commits of files that lend memory compact sooner.
	f, chunks := wasteful(t, &Options{FS: loneFS{m}})
	file := must(m.OpenRW("f"))
	at := must(f.Chunk(1)).Offset + 100
	b := make([]byte, 1)
	must(file.ReadAt(b, at))
	b[0] ^= 1
	must(file.WriteAt(b, at))
	mustClose(t, f)
	f = must(Open("f", &OpenOptions{FS: m}))
	wantContent(t, f, chunks[:1])
	if _, err := f.ReadChunk(noContext, make([]byte, 14_000), 1); err == nil {
		t.Error("the damage is gone")
	}
	mustClose(t, f)
}

// TestCrashInCloseLosesNothing opens the states that a crash at any operation of Close may leave.
func TestCrashInCloseLosesNothing(t *testing.T) {
	r := storagetest.NewRecorder()
	f, chunks := wasteful(t, &Options{FS: loneFS{r}})
	from := len(r.Ops())
	mustClose(t, f)
	ops := r.Ops()
	if len(ops) < from+5 {
		t.Fatalf("%d operations: nothing was compacted", len(ops)-from)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := from; k <= len(ops); k++ {
		for range 8 {
			image := storagetest.Image(ops[:k], func(int) bool { return rng.IntN(2) == 0 })
			f, err := Open("f", &OpenOptions{FS: image})
			if err != nil {
				t.Fatalf("after operation %d: %v", k, err)
			}
			wantContent(t, f, chunks)
			mustClose(t, f)
		}
	}
}

// TestBytesAfterAFrameAreReported checks that Verify reports bytes of a killed writer, and that
// the next commit removes them.
func TestBytesAfterAFrameAreReported(t *testing.T) {
	m := storage.NewMemory()
	f := must(Create("f", &Options{FS: m}))
	must(f.Append(noContext, ramp(100, 0)))
	mustClose(t, f)
	file := must(m.OpenRW("f"))
	must(file.WriteAt(make([]byte, 5000), must(file.Size())))
	if r, err := Verify(noContext, "f", &OpenOptions{FS: m}); err != nil || r.Tail != 5000 {
		t.Errorf("%d bytes, %v", r.Tail, err)
	}
	f = must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite}))
	must(f.Append(noContext, ramp(100, 0)))
	mustClose(t, f)
	if r, err := Verify(noContext, "f", &OpenOptions{FS: m}); err != nil || r.Tail != 0 {
		t.Errorf("after a commit: %d bytes, %v", r.Tail, err)
	}
}

// TestCompactChecksOldChecksums damages a chunk after it was compared with its checksum. Compact
// must not give it a new checksum.
func TestCompactChecksOldChecksums(t *testing.T) {
	m := storage.NewMemory()
	f := must(Create("f", &Options{FS: m, Level: chunk.Stored}))
	must(f.Append(noContext, ramp(1000, 1)))
	must(0, f.Commit(noContext))
	must(f.ReadChunk(noContext, make([]byte, 4000), 0))
	file := must(m.OpenRW("f"))
	at := must(f.Chunk(0)).Offset + 100
	b := make([]byte, 1)
	must(file.ReadAt(b, at))
	b[0] ^= 1
	must(file.WriteAt(b, at))
	if _, err := f.Compact(noContext); !errors.Is(err, cairn.ErrChecksum) {
		t.Errorf("a chunk that was damaged since: %v", err)
	}
	mustClose(t, f)
}
