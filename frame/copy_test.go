package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// TestCopiesOfFramesAreEqual copies frames with chunks of all kinds and sizes after many changes.
func TestCopiesOfFramesAreEqual(t *testing.T) {
	split := chunk.SplitAlways
	options := []*CopyOptions{
		nil, {Workers: 3}, {Codec: codecs.LZ4, Workers: 2}, {Level: 9, Sparse: new(false)},
		{Filters: []shuffle.Spec{shuffle.Bit}},
		{Sparse: new(true), Commits: Commits{Deterministic: true}}, {Split: &split, Workers: 4}, {Recode: true},
	}
	seeds := uint64(24)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		fsys := storage.NewMemory()
		s := &script{t: t, rng: rand.New(rand.NewPCG(seed, 9)), sameSize: seed%2 == 0}
		s.m = model{vl: map[string]string{}, meta: map[string]string{"z": "fixed"}}
		s.committed = s.m.clone()
		var err error
		s.f, err = Create("f", &Options{TypeSize: 4, Sparse: seed%3 == 0, FS: fsys, Meta: []meta.Layer{{Name: "z", Content: []byte("fixed")}}})
		s.must(err)
		s.reopen = func(f *Frame) *Frame {
			s.must(commitAndClose(f))
			return must(Open("f", &OpenOptions{Mode: ReadWrite, FS: fsys}))
		}
		for range 60 {
			s.step()
		}
		for i, o := range options {
			c, err := NewCopy(noContext, s.f.Snapshot(), o)
			s.must(err)
			if err := s.m.differs(c.Snapshot()); err != nil {
				t.Fatalf("seed %d, options %d: %v", seed, i, err)
			}
			s.must(c.Abort())
			disk := CopyOptions{}
			if o != nil {
				disk = *o
			}
			disk.FS = fsys
			name := fmt.Sprintf("copy%d", i)
			s.must(Copy(noContext, name, s.f.Snapshot(), &disk))
			r, err := Verify(noContext, name, &OpenOptions{FS: fsys})
			s.must(err)
			if len(r.Overlap) > 0 || len(r.Orphans) > 0 {
				t.Fatalf("report %+v", r)
			}
		}
		s.must(s.f.Abort())
	}
}

func TestGoldenFramesAreCopied(t *testing.T) {
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			f := must(Open(g.path(), nil))
			defer f.Close()
			for _, o := range []*CopyOptions{nil, {Codec: codecs.Zlib}} {
				c := must(NewCopy(noContext, f.Snapshot(), o))
				defer c.Abort()
				if c.NumChunks() != g.chunks || c.NBytes() != g.nbytes || c.ChunkSize() != g.size || c.TypeSize() != g.options.TypeSize {
					t.Fatalf("%+v, want %+v", c.Info(), f.Info())
				}
				for i := range f.NumChunks() {
					want, got := make([]byte, f.NBytes()), make([]byte, f.NBytes())
					want, got = want[:must(f.ReadChunk(noContext, want, i))], got[:must(c.ReadChunk(noContext, got, i))]
					if !bytes.Equal(want, got) {
						t.Fatalf("chunk %d differs", i)
					}
				}
				if want, got := f.Info(), c.Info(); o == nil && (want.Codec != got.Codec || want.Level != got.Level || want.Pipeline != got.Pipeline || want.Split != got.Split) {
					t.Fatalf("%+v, want %+v", got, want)
				}
				if layers := must(c.VLLayers()); fmt.Sprint(layers) != fmt.Sprint(g.vl) && len(g.vl)+len(layers) > 0 || fmt.Sprint(c.Layers()) != fmt.Sprint(g.options.Meta) {
					t.Fatalf("metalayers %q and %q", c.Layers(), layers)
				}
			}
		})
	}
}

func TestLegacyFramesAreCopied(t *testing.T) {
	for _, g := range []format.Generation{format.Beta1, format.Beta2, format.Beta3} {
		f := must(FromBytes(legacyFrame(t, g, true), nil))
		c := must(NewCopy(noContext, f.Snapshot(), nil))
		if c.Info().Generation != "current" || c.NumChunks() != 2 {
			t.Fatalf("%+v", c.Info())
		}
		b := must(c.Bytes())
		again := must(FromBytes(b, nil))
		for i := range 2 {
			got := make([]byte, 400)
			if n := must(again.ReadChunk(noContext, got, i)); n != 400 || !bytes.Equal(got, ramp(100, 1000*i)) {
				t.Fatalf("chunk %d differs", i)
			}
		}
	}
}

func TestChunksOfOneFrameAreAppendedToAnother(t *testing.T) {
	from, to := must(New(&Options{TypeSize: 4})), must(New(&Options{TypeSize: 4}))
	mustAppend(t, from, ramp(100, 0), ramp(100, 7), make([]byte, 400), make([]byte, 400), ramp(100, 9), ramp(3, 1))
	mustAppend(t, to, ramp(100, 50))
	var done int64
	count := func(n int64) { done += n }
	for _, r := range [][2]int{{0, 2}, {2, 5}, {3, 3}, {5, 6}} {
		if err := to.AppendFrom(noContext, from.Snapshot(), r[0], r[1], count); err != nil {
			t.Fatal(err)
		}
	}
	// A frame can be appended to itself. The short chunk in the middle makes it variable.
	if err := to.AppendFrom(noContext, to.Snapshot(), 0, 2, nil); err != nil {
		t.Fatal(err)
	}
	m := model{chunks: [][]byte{ramp(100, 50), ramp(100, 0), ramp(100, 7), make([]byte, 400), make([]byte, 400), ramp(100, 9), ramp(3, 1), ramp(100, 50), ramp(100, 0)}}
	if err := m.differs(to.Snapshot()); err != nil || done != 2012 {
		t.Fatalf("%v, %d bytes were reported", err, done)
	}
	if err := to.AppendFrom(noContext, from.Snapshot(), 4, 7, nil); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("chunk 6 of 6: %v", err)
	}
	other := must(New(&Options{TypeSize: 8}))
	if err := other.AppendFrom(noContext, from.Snapshot(), 0, 1, nil); !errors.Is(err, cairn.ErrType) {
		t.Errorf("items of another size: %v", err)
	}
	ctx, cancel := context.WithCancel(noContext)
	err := to.AppendFrom(ctx, from.Snapshot(), 0, 6, func(int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled in between: %v", err)
	}
	if err := m.differs(to.Snapshot()); err != nil {
		t.Errorf("after failures: %v", err)
	}
}

// TestCopiesOfSmallFilesAreBounded copies frames whose chunks share all of their bytes.
func TestCopiesOfSmallFilesAreBounded(t *testing.T) {
	f := must(New(&Options{TypeSize: 4}))
	mustAppend(t, f, ramp(100, 0), ramp(100, 1))
	err := f.edit.change(noContext, func(next change) (err error) {
		entry := must(next.index.At(0))
		if next.index, err = next.index.AppendRun(entry, 50_000_000); err == nil {
			next.head.NBytes += 400 * 50_000_000
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	quickly(t, 8<<20, func() {
		if _, err := NewCopy(noContext, f.Snapshot(), nil); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("chunks that share their bytes: %v", err)
		}
	})
	runs := bombOf(t, 200_000_000, 1<<30)
	quickly(t, 8<<20, func() {
		for _, o := range []*CopyOptions{nil, {Level: 1}} {
			c, err := NewCopy(noContext, runs.Snapshot(), o)
			if err != nil || c.NumChunks() != 200_000_000 {
				t.Errorf("special chunks: %v", err)
			}
		}
	})
}

func TestCopiesReportDamage(t *testing.T) {
	fsys := storage.NewMemory()
	f := must(Create("f", &Options{TypeSize: 4, FS: fsys, Level: chunk.Stored}))
	mustAppend(t, f, ramp(100, 0), ramp(100, 1))
	at := must(f.Chunk(1)).Offset
	mustClose(t, f)
	b := content(t, fsys, "f")
	b[at+100] ^= 1
	fsys = storage.NewMemory()
	put(t, fsys, "f", b)
	f = must(Open("f", &OpenOptions{FS: fsys}))
	defer f.Close()
	var ce *cairn.CorruptError
	err := Copy(noContext, "copy", f.Snapshot(), &CopyOptions{FS: fsys})
	if !errors.Is(err, cairn.ErrChecksum) || !errors.As(err, &ce) || ce.Chunk != 1 {
		t.Fatalf("a damaged chunk: %v", err)
	}
	if entries := must(fsys.ReadDir(".")); len(entries) != 1 {
		t.Fatalf("left behind: %+v", entries)
	}
}
