package hdf5

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// makeGrowing makes a file with an empty dataset of two dimensions that may grow along both.
func makeGrowing(t *testing.T, fsys storage.FS, filters []filter.Filter) {
	t.Helper()
	w, err := Create("a.h5", &CreateOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Put(t.Context(), "a", ndarray.Items([]uint16{}, ndarray.Shape{0, 5}), &DatasetOptions{
		Chunks: ndarray.Shape{8, 4}, MaxShape: ndarray.Shape{-1, -1}, Filters: filters, Fill: []byte{9, 0}})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestManySmallAppends appends along both axes, and extends, in random order, and compares what is
// committed with items in memory. With little memory no chunk is kept.
func TestManySmallAppends(t *testing.T) {
	for _, filters := range [][]filter.Filter{nil, {{ID: filter.Shuffle}, {ID: filter.LZ4}}} {
		for _, memory := range []int64{0, 600, 1} {
			r := rand.New(rand.NewPCG(5, uint64(memory)))
			fsys := storage.NewMemory()
			makeGrowing(t, fsys, filters)
			for range 3 {
				appendAtRandom(t, r, fsys, memory)
			}
		}
	}
}

func appendAtRandom(t *testing.T, r *rand.Rand, fsys storage.FS, memory int64) {
	t.Helper()
	ctx := context.Background()
	want, shape := readGrown(t, fsys)
	a, err := Append("a.h5", &AppendOptions{FS: fsys, Memory: memory, Workers: 1 + r.IntN(2)})
	if err != nil {
		t.Fatal(err)
	}
	grow := func(more ndarray.Shape, item func() uint16) []uint16 {
		now := make([]uint16, more[0]*more[1])
		for i := range now {
			if y, x := int64(i)/more[1], int64(i)%more[1]; y < shape[0] && x < shape[1] {
				now[i] = want[y*shape[1]+x]
			} else {
				now[i] = item()
			}
		}
		want, shape = now, more
		return now
	}
	for range 40 {
		axis := r.IntN(8) / 7
		rows := slices.Clone(shape)
		rows[axis] = 1 + r.Int64N(6)
		more := slices.Clone(shape)
		more[axis] += rows[axis]
		if r.IntN(9) == 0 {
			grow(more, func() uint16 { return 9 })
			err = a.Extend(ctx, "a", more)
		} else {
			var items []uint16
			grow(more, func() uint16 {
				items = append(items, uint16(r.IntN(999)))
				return items[len(items)-1]
			})
			err = a.AppendRows(ctx, "a", axis, ndarray.Items(items, rows))
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(3) == 0 {
			if err := a.Commit(ctx); err != nil {
				t.Fatal(err)
			}
			if got, _ := readGrown(t, fsys); !slices.Equal(got, want) {
				t.Fatalf("other items after a commit of shape %v", shape)
			}
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got, now := readGrown(t, fsys); !slices.Equal(got, want) || !slices.Equal(now, shape) {
		t.Fatalf("shape %v, want %v, or other items", now, shape)
	}
}

func readGrown(t *testing.T, fsys storage.FS) ([]uint16, ndarray.Shape) {
	t.Helper()
	f, err := Open("a.h5", &OpenOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := f.Dataset(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ndarray.ViewAs[uint16](d)
	if err != nil {
		t.Fatal(err)
	}
	items, err := v.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return items, d.Shape()
}

// TestRowsAreWrittenAlone shows that of a chunk that is there, only the new row is written, and
// then the header, with a sync behind each.
func TestRowsAreWrittenAlone(t *testing.T) {
	ctx := context.Background()
	r := storagetest.NewRecorder()
	makeGrowing(t, r, nil)
	a, err := Append("a.h5", &AppendOptions{FS: r})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		before := r.Len()
		row := ndarray.Items([]uint16{1, 2, 3, 4, 5}, ndarray.Shape{1, 5})
		if err := errors.Join(a.AppendRows(ctx, "a", 0, row), a.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
		written, syncs := 0, 0
		for _, op := range r.Ops()[before:] {
			switch op.Kind {
			case storagetest.OpWrite:
				if syncs == 0 {
					written += len(op.Data)
				}
			case storagetest.OpSync:
				syncs++
			}
		}
		const row2 = 2 * 4 * 2 // a row of two chunks
		if i > 0 && (written != row2 || syncs != 2) {
			t.Errorf("row %d: %d bytes written before the first of %d syncs, want %d and 2", i, written, syncs, row2)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestEndMovesSeldom shows that most commits of chunks that move wait twice for the disk, and that
// nothing is left behind what they have written.
func TestEndMovesSeldom(t *testing.T) {
	ctx := context.Background()
	r := storagetest.NewRecorder()
	makeGrowing(t, r, []filter.Filter{{ID: filter.Shuffle}, {ID: filter.LZ4}})
	a, err := Append("a.h5", &AppendOptions{FS: r})
	if err != nil {
		t.Fatal(err)
	}
	before := r.Len()
	const commits = 40
	for range commits {
		row := ndarray.Items([]uint16{1, 2, 3, 4, 5}, ndarray.Shape{1, 5})
		if err := errors.Join(a.AppendRows(ctx, "a", 0, row), a.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	syncs := 0
	for _, op := range r.Ops()[before:] {
		if op.Kind == storagetest.OpSync {
			syncs++
		}
	}
	if syncs > 2*commits+6 {
		t.Errorf("%d syncs of %d commits", syncs, commits)
	}

	end := a.end
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open("a.h5", &OpenOptions{FS: r})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := r.Stat("a.h5"); err != nil || info.Size != end {
		t.Errorf("a file of %d bytes, want %d: %v", info.Size, end, err)
	}
}
