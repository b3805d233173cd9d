package ndarray

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

// TestRefreshFollowsAnArrayThatGrows lets readers without a lock follow a writer: typed and
// untyped, without the cache, mapped, and writable.
func TestRefreshFollowsAnArrayThatGrows(t *testing.T) {
	ctx := t.Context()
	for _, o := range []Options{{}, {Sparse: true}, {Commits: frame.Commits{Deterministic: true}},
		{Locking: true}, {FS: storage.NewMemory()}} {
		path := "a"
		if o.FS == nil {
			path = filepath.Join(t.TempDir(), path)
		}
		o.ChunkShape, o.BlockShape = Shape{4, 6}, Shape{2, 6}
		w, err := Create[int64](path, Shape{3, 6}, &o)
		check(t, err, w.Commit(ctx))
		var followers []Array[int64]
		for _, oo := range []OpenOptions{{}, {Map: true}, {NoCache: true}, {Mode: ReadWrite}, {Locking: true}} {
			oo.FS = o.FS
			a, err := OpenAs[int64](path, &oo)
			check(t, err)
			followers = append(followers, a)
		}
		var want []int64
		look := func(grew bool) {
			t.Helper()
			want, err = w.Read(ctx)
			check(t, err)
			for i, a := range followers {
				var now bool
				if i%2 == 0 {
					now, err = a.Refresh(ctx)
				} else {
					now, err = a.Untyped.Refresh(ctx)
				}
				if now != grew || err != nil {
					t.Fatalf("%d: another shape: %v, %v", i, now, err)
				}
				got, err := a.Read(ctx)
				if err != nil || !slices.Equal(got, want) || !slices.Equal(a.Shape(), w.Shape()) {
					t.Fatalf("%d: %v, not %v: %v", i, got, want, err)
				}
			}
		}
		look(false)
		for n := range int64(6) {
			check(t, w.Append(ctx, 0, []int64{n, n, n, n, n, n}), w.Set(n+1, 0, 0), w.Commit(ctx))
			look(true)
		}
		if !o.Sparse { // replaced chunks go to the end
			old, err := followers[0].Snapshot(ctx)
			check(t, err)
			check(t, w.Fill(ctx, 9), w.Commit(ctx))
			_, err = w.Compact(ctx)
			check(t, err)
			before := want
			look(false)
			if got, err := old.Read(ctx); err != nil || !slices.Equal(got, before) {
				t.Fatalf("a snapshot: %v, %v", got, err)
			}
			if grew, err := old.Refresh(ctx); grew || err != nil {
				t.Fatal(grew, err)
			}
			check(t, old.Close())
		}
		check(t, w.Resize(ctx, Shape{2, 6}, nil), w.Commit(ctx))
		look(true)
		for _, a := range followers {
			check(t, a.Close())
		}
		check(t, w.Close())
	}
}

// TestRefreshLeavesChangesAlone checks that Refresh keeps staged and pending changes.
func TestRefreshLeavesChangesAlone(t *testing.T) {
	ctx, fsys := t.Context(), storage.NewMemory()
	w, err := Create[int64]("a", Shape{4}, &Options{FS: fsys})
	check(t, err, w.Close())
	for _, buffer := range []int64{1, 1 << 20} { // without a write-behind buffer, and with one
		a, err := OpenAs[int64]("a", &OpenOptions{FS: fsys, Mode: ReadWrite, WriteBehind: buffer})
		check(t, err)
		b, err := OpenAs[int64]("a", &OpenOptions{FS: fsys, Mode: ReadWrite, WriteBehind: buffer})
		check(t, err, b.Append(ctx, 0, []int64{5}), b.Commit(ctx))
		if grew, err := a.Refresh(ctx); !grew || err != nil {
			t.Fatal(grew, err)
		}
		check(t, a.Set(7, 0))
		if grew, err := a.Refresh(ctx); grew || err != nil {
			t.Fatal(grew, err)
		}
		if got, err := a.At(0); got != 7 || err != nil {
			t.Fatal(got, err)
		}
		check(t, a.Commit(ctx), a.Close(), b.Abort())
	}
}

func TestRefreshOfAnotherArrayIsAConflict(t *testing.T) {
	fsys := storage.NewMemory()
	a, err := Create[int64]("a", Shape{4}, &Options{FS: fsys})
	check(t, err, a.Close())
	a, err = OpenAs[int64]("a", &OpenOptions{FS: fsys})
	check(t, err)
	b, err := Create[int32]("a", Shape{4}, &Options{FS: fsys, Overwrite: true})
	check(t, err, b.Close())
	if _, err := a.Refresh(t.Context()); !errors.Is(err, cairn.ErrConflict) {
		t.Fatal(err)
	}
	check(t, a.Close())
}
