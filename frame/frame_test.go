package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/metalist"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

func mustCreate(t testing.TB, path string, o *Options) *Frame {
	t.Helper()
	f, err := Create(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustAppend(t testing.TB, f *Frame, data ...[]byte) {
	t.Helper()
	for _, d := range data {
		if _, err := f.Append(noContext, d); err != nil {
			t.Fatal(err)
		}
	}
}

func mustClose(t testing.TB, f *Frame) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFirstCommitCreatesThePath(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f.b2frame")
		names := func() string {
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var s []string
			for _, e := range entries {
				s = append(s, e.Name())
			}
			return strings.Join(s, " ")
		}
		f := mustCreate(t, path, &Options{Sparse: sparse})
		mustAppend(t, f, ramp(10, 0))
		if got := names(); got != "f.b2frame.tmp-0" {
			t.Fatalf("before the commit: %s", got)
		}
		if err := f.Abort(); err != nil {
			t.Fatal(err)
		}
		if got := names(); got != "" {
			t.Fatalf("after abort: %s", got)
		}
		f = mustCreate(t, path, &Options{Sparse: sparse})
		// the path does not exist yet, so a second Create succeeds; only one can commit
		other := mustCreate(t, path, &Options{Sparse: sparse})
		mustAppend(t, f, ramp(10, 0))
		if err := f.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		if got := names(); got != "f.b2frame f.b2frame.tmp-1" {
			t.Fatalf("after the commit: %s", got)
		}
		if err := other.Close(); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("the loser: %v", err)
		}
		mustClose(t, f)
		if got := names(); got != "f.b2frame" {
			t.Fatalf("at the end: %s", got)
		}
		if _, err := Create(path, nil); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("creating over it: %v", err)
		}
	}
}

func TestOverwriteReplacesFilesAndDirectories(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.b2frame")
	for i, sparse := range []bool{false, false, true, true, false} {
		f := mustCreate(t, path, &Options{Sparse: sparse, Overwrite: true})
		mustAppend(t, f, ramp(10, i))
		mustClose(t, f)
		f, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 40)
		if _, err := f.ReadChunk(noContext, got, 0); err != nil || !bytes.Equal(got, ramp(10, i)) || f.Info().Sparse != sparse {
			t.Fatalf("round %d: %v", i, err)
		}
		mustClose(t, f)
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(entries) != 1 {
			t.Fatalf("round %d: %v, %v", i, entries, err)
		}
	}
}

func TestFramesWithinLargerFiles(t *testing.T) {
	b := sample(t)
	path := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(path, append(append([]byte("before it"), b...), "behind it"...), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, &OpenOptions{Offset: 9})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 400)
	if _, err := f.ReadChunk(noContext, got, 3); err != nil || !bytes.Equal(got, ramp(100, 3)) {
		t.Fatal(err)
	}
	info, err := f.Chunk(0)
	if err != nil || info.Offset != 9+f.Info().HeaderLen {
		t.Fatalf("%+v, %v", info, err)
	}
	mustClose(t, f)
	if _, err := Open(path, &OpenOptions{Offset: 9, Mode: ReadWrite}); !errors.Is(err, cairn.ErrReadOnly) {
		t.Fatalf("for writing: %v", err)
	}
	if _, err := Open(path, &OpenOptions{Offset: 1 << 40}); !errors.Is(err, cairn.ErrBounds) {
		t.Fatalf("behind the end: %v", err)
	}
	b[len(b)-metalist.TrailerTail]++
	if err := os.WriteFile(path, append([]byte("before it"), b...), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path, &OpenOptions{Offset: 9})
	var ce *cairn.CorruptError
	if !errors.As(err, &ce) || ce.Offset != int64(9+len(b)-metalist.TrailerTail) {
		t.Fatalf("offset of an error: %v", err)
	}
}

func TestOpenFS(t *testing.T) {
	dir := t.TempDir()
	for _, sparse := range []bool{false, true} {
		name := fmt.Sprint("f", sparse)
		f := mustCreate(t, filepath.Join(dir, name), &Options{Sparse: sparse})
		mustAppend(t, f, ramp(10, 1))
		mustClose(t, f)
		f, err := OpenFS(os.DirFS(dir), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 40)
		if _, err := f.ReadChunk(noContext, got, 0); err != nil || !bytes.Equal(got, ramp(10, 1)) {
			t.Fatal(err)
		}
		mustClose(t, f)
		if _, err := OpenFS(os.DirFS(dir), name, &OpenOptions{Mode: ReadWrite}); !errors.Is(err, cairn.ErrReadOnly) {
			t.Fatalf("for writing: %v", err)
		}
	}
}

func TestChangingAMetalayerInPlaceRewritesNothing(t *testing.T) {
	m := storage.NewMemory()
	f := mustCreate(t, "f", &Options{FS: m, Meta: []meta.Layer{{Name: "a", Content: []byte("12345")}}})
	mustAppend(t, f, ramp(100, 0))
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	if err := f.SetMeta("a", []byte("54321")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Chunk(0); err != nil || info.Offset != f.Info().HeaderLen {
		t.Fatalf("%+v, %v", info, err)
	}
	mustClose(t, f)
	f, err := Open("f", &OpenOptions{FS: m})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Layer("a"); err != nil || string(got) != "54321" {
		t.Fatalf("%q, %v", got, err)
	}
	mustClose(t, f)
}

func TestAnotherWriterIsNoticed(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		m := storage.NewMemory()
		f := mustCreate(t, "f", &Options{FS: m, Sparse: sparse})
		mustAppend(t, f, ramp(100, 0))
		mustClose(t, f)
		var both [2]*Frame
		for i := range both {
			var err error
			if both[i], err = Open("f", &OpenOptions{FS: m, Mode: ReadWrite}); err != nil {
				t.Fatal(err)
			}
		}
		mustAppend(t, both[0], ramp(100, 1))
		if err := both[0].Commit(noContext); err != nil {
			t.Fatal(err)
		}
		err := both[1].SetVL("late", nil)
		if err == nil && sparse {
			err = both[1].Commit(noContext)
		}
		if !errors.Is(err, cairn.ErrConflict) {
			t.Fatalf("sparse=%v: the second writer: %v", sparse, err)
		}
		if _, err := both[1].Compact(noContext); !errors.Is(err, cairn.ErrConflict) {
			t.Fatalf("sparse=%v: rewriting: %v", sparse, err)
		}
		if err := both[1].Abort(); err != nil {
			t.Fatal(err)
		}
		mustClose(t, both[0])
	}
}

func TestErrorsNameFrameChunkAndOffset(t *testing.T) {
	b := sample(t)
	m := storage.NewMemory()
	f, err := FromBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Chunk(4)
	if err != nil {
		t.Fatal(err)
	}
	b[info.Offset+8] = 0xff // block size
	b[info.Offset+11] = 0xff
	put(t, m, "temp.b2nd", b)
	g, err := Open("temp.b2nd", &OpenOptions{FS: m})
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.ReadChunk(noContext, make([]byte, 400), 4)
	want := fmt.Sprintf("temp.b2nd: corrupt chunk 4 at offset %d: block size", info.Offset+8)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Fatalf("got %q, want %q", err, want)
	}
	mustClose(t, f)
	mustClose(t, g)
}

func TestVerifyReportsOverlapsDeadBytesAndOrphans(t *testing.T) {
	b := withIndex(t, 400, 1200, encoded(t, &chunk.Options{Level: chunk.Stored}), 0, 0, 0)
	f, err := FromBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Snapshot().Verify(noContext)
	if err != nil || len(r.Overlap) != 2 || r.Overlap[0] != [2]int{0, 1} || r.Dead != 0 || r.Live != 3*f.CBytes() {
		t.Fatalf("%+v, %v", r, err)
	}
	mustClose(t, f)

	m := storage.NewMemory()
	s := mustCreate(t, "s", &Options{FS: m, Sparse: true})
	mustAppend(t, s, ramp(100, 0))
	mustClose(t, s)
	put(t, m, "s/0000000A.chunk", []byte("old"))
	put(t, m, "s/other.txt", nil)
	r, err = Verify(noContext, "s", &OpenOptions{FS: m})
	if err != nil || fmt.Sprint(r.Orphans) != "[0000000A.chunk]" {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := m.Remove("s/00000000.chunk"); err != nil {
		t.Fatal(err)
	}
	if _, err = Verify(noContext, "s", &OpenOptions{FS: m}); !errors.Is(err, cairn.ErrCorrupt) || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a chunk file is gone: %v", err)
	}
}

func TestStringSaysWhatHoldsTheFrame(t *testing.T) {
	m := storage.NewMemory()
	f := mustCreate(t, "a/../f", &Options{TypeSize: 4, FS: m})
	mustAppend(t, f, make([]byte, 40))
	mustCommit(t, f)
	b := must(f.Bytes())
	opened := must(OpenReader(bytes.NewReader(b), int64(len(b)), nil))
	for want, f := range map[string]*Frame{
		"a/../f": f, "reader": opened, "memory": must(FromBytes(b, nil)),
	} {
		want += ": frame of 1 chunks, 40 bytes in"
		for _, shown := range []fmt.Stringer{f, f.Snapshot()} {
			if got := shown.String(); !strings.HasPrefix(got, want) {
				t.Errorf("%q, want %q…", got, want)
			}
		}
		mustClose(t, f)
	}
}
