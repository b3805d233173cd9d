package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// steps are changes that Refresh must notice.
var steps = []struct {
	name   string
	change func(f *Frame) error
}{
	{"append", func(f *Frame) error { _, err := f.Append(noContext, chunkOf(50)); return err }},
	{"update", func(f *Frame) error { return f.Update(noContext, 1, chunkOf(51)) }},
	{"insert", func(f *Frame) error { return f.Insert(noContext, 1, chunkOf(49)) }},
	{"meta", func(f *Frame) error { return f.SetMeta("m", []byte{7}) }},
	{"vl", func(f *Frame) error { return f.SetVL("n", []byte("a")) }},
	{"vl again", func(f *Frame) error { return f.SetVL("n", []byte("b")) }},
	{"compact", func(f *Frame) error { _, err := f.Compact(noContext); return err }},
	{"append again", func(f *Frame) error { _, err := f.Append(noContext, chunkOf(52)); return err }},
	{"delete", func(f *Frame) error { return f.Delete(noContext, 0) }},
}

// sameState compares the states of two handles.
func sameState(a, b *Frame) error {
	if a.NumChunks() != b.NumChunks() {
		return fmt.Errorf("%d chunks, not %d", a.NumChunks(), b.NumChunks())
	}
	x, y := make([]byte, 64), make([]byte, 64)
	for i := range a.NumChunks() {
		_, err1 := a.ReadChunk(noContext, x, i)
		_, err2 := b.ReadChunk(noContext, y, i)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if !bytes.Equal(x, y) {
			return fmt.Errorf("chunk %d is %x, not %x", i, x[0], y[0])
		}
	}
	v, err1 := a.VLLayers()
	w, err2 := b.VLLayers()
	if fmt.Sprint(a.Layers(), v) != fmt.Sprint(b.Layers(), w) {
		return fmt.Errorf("metalayers %v %v, not %v %v", a.Layers(), v, b.Layers(), w)
	}
	return errors.Join(err1, err2)
}

// TestRefreshFollowsEveryCommit refreshes handles without a lock after each commit of another one:
// for reading and writing, mapped and not, contiguous and sparse, with and without commit records.
func TestRefreshFollowsEveryCommit(t *testing.T) {
	for _, o := range []Options{{}, {Sparse: true}, {Commits: Commits{Deterministic: true}},
		{Locking: true}, {FS: storage.NewMemory()}, {FS: storage.NewMemory(), Sparse: true}} {
		path := "f"
		if o.FS == nil {
			path = filepath.Join(t.TempDir(), path)
		}
		o.ChunkSize, o.Meta = 64, []meta.Layer{{Name: "m", Content: []byte{0}}}
		w := must(Create(path, &o))
		must(w.Append(noContext, chunkOf(1)))
		must(w.Append(noContext, chunkOf(2)))
		if err := w.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		followers := []*Frame{must(Open(path, &OpenOptions{FS: o.FS})), must(Open(path, &OpenOptions{FS: o.FS, Map: true})),
			must(Open(path, &OpenOptions{FS: o.FS, Verify: VerifyOff})), must(Open(path, &OpenOptions{FS: o.FS, Mode: ReadWrite})),
			must(Open(path, &OpenOptions{FS: o.FS, Locking: true}))}
		for _, step := range steps {
			if err := step.change(w); err != nil {
				t.Fatal(step.name, err)
			}
			before := make([]*Snapshot, len(followers))
			for i, f := range followers {
				before[i] = f.Snapshot()
				if o.Locking && i == 4 || o.Deterministic || step.name == "compact" {
					continue // it waits, goes by the file's length, or is a commit already
				}
				if changed, err := f.Refresh(noContext); changed || err != nil {
					t.Fatalf("%+v: before the commit of %s: %v, %v", o, step.name, changed, err)
				}
			}
			if err := w.Commit(noContext); err != nil {
				t.Fatal(step.name, err)
			}
			for i, f := range followers {
				changed, err := f.Refresh(noContext)
				if !changed || err != nil {
					t.Fatalf("%+v: %s, handle %d: %v, %v", o, step.name, i, changed, err)
				}
				if err := sameState(f, w); err != nil {
					t.Fatalf("%+v: %s, handle %d: %v", o, step.name, i, err)
				}
				if changed, err := f.Refresh(noContext); changed || err != nil {
					t.Fatalf("%+v: %s, handle %d, once more: %v, %v", o, step.name, i, changed, err)
				}
				if step.name == "update" && !o.Sparse { // the old chunk is still there
					if _, err := before[i].ReadChunk(noContext, make([]byte, 64), 1); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		mustClose(t, w)
		for _, f := range followers {
			mustClose(t, f)
		}
	}
}

// TestRefreshBesideCommits is TestOpeningBesideCommits for an open handle.
func TestRefreshBesideCommits(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for kind, change := range meddlings {
			if change == nil {
				continue
			}
			for at, more := 1, true; more; at++ {
				memory := storage.NewMemory()
				w := must(Create("f", &Options{ChunkSize: 64, Sparse: sparse, FS: memory}))
				for n := range 40 {
					must(w.Append(noContext, chunkOf(n)))
				}
				m := &disturbed{FS: memory, meddle: func(int) {}}
				err := w.Commit(noContext)
				f := must(Open("f", &OpenOptions{FS: m}))
				err = errors.Join(err, change(w, 1), w.Commit(noContext))
				m.ops, m.meddle = 0, func(op int) {
					if op >= at && op < at+12 {
						err = errors.Join(err, change(w, op), w.Commit(noContext))
					}
				}
				_, failed := f.Refresh(noContext)
				more = m.ops >= at
				m.meddle = func(int) {}
				_, again := f.Refresh(noContext)
				if err := errors.Join(err, failed, again, sameState(f, w)); err != nil || f.Info().Healed {
					t.Fatalf("sparse=%v %s at %d: %v", sparse, kind, at, err)
				}
				mustClose(t, f)
				mustClose(t, w)
			}
		}
	}
}

// TestRefreshWithoutChangesIsCheap counts operations: Refresh opens one file and reads twice.
func TestRefreshWithoutChangesIsCheap(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		memory := storage.NewMemory()
		w := must(Create("f", &Options{ChunkSize: 64, Sparse: sparse, FS: memory}))
		for n := range 40 {
			must(w.Append(noContext, chunkOf(n)))
		}
		mustClose(t, w)
		m := &disturbed{FS: memory, meddle: func(int) {}}
		f := must(Open("f", &OpenOptions{FS: m}))
		m.ops = 0
		if changed, err := f.Refresh(noContext); changed || err != nil || m.ops > 3 {
			t.Errorf("sparse=%v: %v, %v, %d operations", sparse, changed, err, m.ops)
		}
		mustClose(t, f)
	}
}

func TestRefreshRefuses(t *testing.T) {
	memory := storage.NewMemory()
	make := func(path string, o Options) {
		o.FS, o.Overwrite = memory, true
		f := must(Create(path, &o))
		must(f.Append(noContext, chunkOf(1)))
		mustClose(t, f)
	}
	make("f", Options{TypeSize: 1})
	f := must(Open("f", &OpenOptions{FS: memory}))
	make("f", Options{TypeSize: 4})
	if _, err := f.Refresh(noContext); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("a frame of other items: %v", err)
	}
	if err := memory.Remove("f"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Refresh(noContext); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no frame: %v", err)
	}
	make("f", Options{Sparse: true})
	if _, err := f.Refresh(noContext); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := f.ReadChunk(noContext, chunkOf(0), 0); err != nil {
		t.Errorf("a handle does not survive: %v", err)
	}
	over, cancel := context.WithCancel(noContext)
	cancel()
	if _, err := f.Refresh(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	mustClose(t, f)
	if _, err := f.Refresh(noContext); !errors.Is(err, cairn.ErrClosed) {
		t.Error(err)
	}
	n := must(New(nil))
	must(n.Append(noContext, chunkOf(1)))
	b := must(n.Bytes())
	r := must(OpenReader(bytes.NewReader(b), int64(len(b)), nil))
	if _, err := r.Refresh(noContext); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("a reader: %v", err)
	}
	if changed, err := n.Refresh(noContext); changed || err != nil {
		t.Errorf("a frame in memory: %v, %v", changed, err)
	}
	mustClose(t, r)
	mustClose(t, n)
}

// TestRefreshKeepsStagedChanges checks that Refresh does not change a handle with staged changes.
// An outdated handle without such changes follows the other writer, so that its next change is no
// conflict.
func TestRefreshKeepsStagedChanges(t *testing.T) {
	memory := storage.NewMemory()
	a := must(Create("f", &Options{ChunkSize: 64, FS: memory}))
	must(a.Append(noContext, chunkOf(1)))
	if err := a.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	b := must(Open("f", &OpenOptions{FS: memory, Mode: ReadWrite}))
	for n := range 4 {
		if changed, err := b.Refresh(noContext); changed != (n > 0) || err != nil {
			t.Fatal(changed, err)
		}
		must(b.Append(noContext, chunkOf(2)))
		if changed, err := b.Refresh(noContext); changed || err != nil || b.NumChunks() != 2*n+2 {
			t.Fatal(changed, err, b.NumChunks())
		}
		if err := b.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		must(a.Refresh(noContext))
		must(a.Append(noContext, chunkOf(3)))
		if err := a.Commit(noContext); err != nil {
			t.Fatal(err)
		}
	}
	must(b.Refresh(noContext))
	if err := sameState(a, b); err != nil || a.NumChunks() != 9 {
		t.Fatal(err, a.NumChunks())
	}
	mustClose(t, a)
	mustClose(t, b)
}

// TestRefreshClosesFiles checks that repeated calls of Refresh keep only one file open.
func TestRefreshClosesFiles(t *testing.T) {
	memory := storage.NewMemory()
	w := must(Create("f", &Options{ChunkSize: 64, FS: memory}))
	must(w.Append(noContext, chunkOf(1)))
	if err := w.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	f := must(Open("f", &OpenOptions{FS: memory}))
	for n := range 100 {
		must(w.Append(noContext, chunkOf(n)))
		if err := w.Commit(noContext); err != nil {
			t.Fatal(err)
		}
		if changed, err := f.Refresh(noContext); !changed || err != nil {
			t.Fatal(changed, err)
		}
	}
	if len(f.env.retired) > 1 {
		t.Errorf("%d files are open besides", len(f.env.retired))
	}
	mustClose(t, w)
	mustClose(t, f)
}

// TestRefreshedChunksHaveOtherKeys refreshes a handle after many commits of another one. Its keys
// identify bytes for ever, although chunks come to the places of others.
func TestRefreshedChunksHaveOtherKeys(t *testing.T) {
	ctx := t.Context()
	for _, sparse := range []bool{false, true} {
		fsys := storage.NewMemory()
		w, err := Create("a", &Options{Sparse: sparse, FS: fsys})
		if err != nil {
			t.Fatal(err)
		}
		var r *Frame
		keys := map[inside.ChunkKey][]byte{}
		for n := range byte(20) {
			if n == 0 {
				_, err = w.Append(ctx, []byte{n, 2, 3})
			} else {
				err = w.Update(ctx, 0, []byte{n, 2, 3})
			}
			if err == nil {
				err = w.Commit(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}

			switch {
			case r == nil:
				r, err = Open("a", &OpenOptions{FS: fsys})
			case n%2 == 0:
				_, err = r.Refresh(ctx)
			default: // Refresh, of a handle that has given its chunks keys before
				var g *Frame
				if g, err = r.edit.location.open(ctx, &r.edit.location.options, nil); err == nil {
					g.Inside().Key(0)
					err = r.edit.become(&g.edit)
				}
			}
			got := make([]byte, 3)
			if err == nil {
				_, err = r.ReadChunk(ctx, got, 0)
			}
			k, ok := r.Inside().Key(0)
			if err != nil || !ok || got[0] != n {
				t.Fatal(got, ok, err)
			}
			if before, ok := keys[k]; ok {
				t.Fatalf("sparse=%v: key %v of %v and %v", sparse, k, before, got)
			}
			keys[k] = got
		}
		if err := errors.Join(r.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
