package frame

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/index"
	"github.com/cairn-go/cairn/shuffle"
)

// sane fails the test for errors that a parser of hostile bytes must not return.
func sane(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, cairn.ErrCorrupt) && !errors.Is(err, cairn.ErrUnsupported) && !errors.Is(err, cairn.ErrLimit) {
		t.Fatalf("an error of no kind: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	for _, g := range goldens() {
		if b, err := os.ReadFile(g.path()); err == nil && len(b) < 4000 {
			f.Add(b)
		}
	}
	for _, name := range []string{"open-bomb-172B", "c-blosc2-vlmeta-short-content", "c-blosc2-vlblocks-lazy-overread"} {
		b, err := os.ReadFile("testdata/hostile/" + name + ".b2frame")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(sample(f))
	f.Add(withIndex(f, 400, 400*5000, packedIndex, make([]int64, 5000)...))
	limits := cairn.Limits{MaxChunk: 1 << 20, MaxAlloc: 1 << 20, MaxIndex: 1 << 20, MaxHeader: 1 << 16, MaxTrailer: 1 << 16}
	f.Fuzz(func(t *testing.T, b []byte) {
		fr, err := FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: limits}})
		if err != nil {
			sane(t, err)
			return
		}
		v := fr.Snapshot()
		buf := make([]byte, 4096)
		for i := range min(v.NumChunks(), 20) {
			if _, err := v.ReadChunk(noContext, buf, i); err != nil && !errors.Is(err, cairn.ErrBounds) {
				sane(t, err)
			}
			_, err := v.Chunk(i)
			sane(t, err)
		}
		for i := 0; i < v.NumChunks(); i += index.BlockLen {
			_, err := v.Chunk(i)
			sane(t, err)
		}
		_, err = v.VLLayers()
		sane(t, err)
		if v.NumChunks() < 10_000 {
			_, err = v.Verify(noContext)
			sane(t, err)
		}
		mutateHostile(t, b, limits)
	})
}

// mutateHostile changes a hostile frame. That may fail, but must not panic, and committed data must
// be read back.
func mutateHostile(t *testing.T, b []byte, limits cairn.Limits) {
	f, err := FromBytes(b, &OpenOptions{Engine: chunk.Engine{Limits: limits}, Mode: ReadWrite})
	if err != nil {
		return
	}
	defer f.Abort()
	if f.NumChunks() > 10_000 {
		return
	}
	n := f.NumChunks()
	data := []byte("0123456789abcdef0123456789abcdef")
	if _, err := f.Append(noContext, data); err != nil {
		return
	}
	if n > 0 {
		_ = f.Delete(noContext, 0)
		_ = f.Update(noContext, f.NumChunks()-1, data)
	}
	if f.Commit(noContext) != nil {
		return
	}
	if lossy(f.Snapshot()) {
		return
	}
	got := make([]byte, len(data))
	if _, err := f.ReadChunk(noContext, got, f.NumChunks()-1); err != nil || string(got) != string(data) {
		t.Fatalf("the chunk that was appended reads %q, %v", got, err)
	}
}

// lossy reports whether a frame has lossy filters.
func lossy(v *Snapshot) bool {
	pipeline := v.cur.Load().head.Pipeline[:]
	return slices.ContainsFunc(shuffle.Rows(), func(r shuffle.Row) bool {
		return r.Lossy && slices.ContainsFunc(pipeline, func(s shuffle.Spec) bool { return s.ID == r.ID })
	})
}
