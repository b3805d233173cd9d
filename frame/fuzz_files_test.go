package frame

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/storage"
)

// FuzzSparse opens directories whose index file, or one of whose chunk files, is hostile.
func FuzzSparse(f *testing.F) {
	for _, s := range specimens(f) {
		for _, name := range s.files {
			if path.Dir(name) == "f" {
				f.Add(path.Base(name) == sparseIndex, content(f, s.fs, name))
			}
		}
	}
	good := storage.NewMemory()
	w := mustCreate(f, "f", &Options{TypeSize: 8, ChunkSize: 64, Sparse: true, FS: good})
	for i := range 3 {
		must(w.Append(noContext, lockStamp(i, 0)))
	}
	mustClose(f, w)
	whole := map[bool][]byte{true: content(f, good, "f/"+sparseIndex), false: content(f, good, "f/"+chunkName(1))}
	limits := cairn.Limits{MaxChunk: 1 << 20, MaxAlloc: 1 << 20, MaxIndex: 1 << 20, MaxHeader: 1 << 16, MaxTrailer: 1 << 16}
	f.Fuzz(func(t *testing.T, index bool, b []byte) {
		parts := map[bool][]byte{index: b, !index: whole[!index]}
		fsys := storage.NewMemory()
		if err := fsys.Mkdir("f"); err != nil {
			t.Fatal(err)
		}
		wr := &wreck{fs: fsys}
		wr.put(t, "f/"+sparseIndex, parts[true])
		for i := range int64(3) {
			wr.put(t, "f/"+chunkName(i), parts[false])
		}
		for _, mode := range []Mode{ReadOnly, ReadWrite} {
			fr, err := Open("f", &OpenOptions{FS: fsys, Mode: mode, Engine: chunk.Engine{Limits: limits}})
			if err != nil {
				sane(t, err)
				continue
			}
			buf := make([]byte, 4096)
			for i := range min(fr.NumChunks(), 8) {
				if _, err := fr.ReadChunk(noContext, buf, i); !errors.Is(err, cairn.ErrBounds) && !errors.Is(err, fs.ErrNotExist) {
					sane(t, err)
				}
			}
			if mode == ReadWrite && fr.NumChunks() < 1000 {
				_, _ = fr.Append(noContext, lockStamp(9, 9))
				_ = fr.Commit(noContext)
			}
			_ = fr.Abort() // what could not be written is dropped
		}
	})
}

// FuzzLock opens a frame whose lock file has arbitrary contents.
func FuzzLock(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add(make([]byte, 16), true)
	f.Add(bytes.Repeat([]byte{0xff}, 16), false)
	f.Add(make([]byte, 100), true)
	f.Fuzz(func(t *testing.T, b []byte, sparse bool) {
		fsys := storage.NewMemory()
		for i, h := range sharedHandles(t, fsys, sparse, 1) {
			must(h.Append(noContext, lockStamp(i, 0)))
			mustClose(t, h)
		}
		name := "f.b2lock"
		if sparse {
			name = "f/.b2lock"
		}
		if err := fsys.Remove(name); err != nil {
			t.Fatal(err)
		}
		(&wreck{fs: fsys}).put(t, name, b)
		var handles [2]*Frame
		for i := range handles {
			handles[i] = must(Open("f", &OpenOptions{Mode: ReadWrite, FS: fsys, Locking: true}))
		}
		for i, h := range handles {
			must(h.Append(noContext, lockStamp(1+i, 0)))
			if err := h.Commit(noContext); err != nil {
				t.Fatal(err)
			}
		}
		done := must(handles[0].Share(noContext))
		if n := handles[0].NumChunks(); n != 3 {
			t.Fatalf("%d chunks", n)
		}
		if err := errors.Join(done(), handles[0].Close(), handles[1].Close()); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzScript runs random changes and commits, crashes at a random operation in a random way, and
// compares the remaining state with a model.
func FuzzScript(f *testing.F) {
	for i := range uint64(8) {
		f.Add(i, uint8(i), uint16(31*i))
	}
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8, at uint16) {
		ops, points := record(t, kind&1 != 0, seed, 1+int(kind>>1%4))
		rng := rand.New(rand.NewPCG(seed, uint64(at)))
		k := int(at) % (len(ops) + 1)
		checkCrash(t, ops[:k], k, points, rng, 2)
	})
}
