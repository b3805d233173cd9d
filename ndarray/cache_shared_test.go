package ndarray

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/storage"
)

// TestKeptBlocksAndAnotherWriter follows an array that another handle changes, commits, drops and
// compacts. Readers with small and large caches find what is committed, and their snapshots what
// was.
func TestKeptBlocksAndAnotherWriter(t *testing.T) {
	bucket := storage.BucketFS(t.Context(), storage.FSBucket(storage.NewMemory(), "."))
	for name, o := range map[string]Options{
		"file":              {},
		"sparse":            {Sparse: true},
		"locked":            {Locking: true},
		"locked and sparse": {Sparse: true, Locking: true},
		"bucket":            {FS: bucket},
	} {
		t.Run(name, func(t *testing.T) {
			f := followArray(t, o)
			for step := range int32(rounds(60)) {
				f.change(step)
			}
			f.end()
		})
	}
}

// A followed array has one writer and two readers, and a model of what they see.
type followed struct {
	t         *testing.T
	o         Options
	rnd       *rand.Rand
	w         Array[int32]
	readers   []Array[int32]
	now       []int32 // what the writer sees
	committed []int32
}

func followArray(t *testing.T, o Options) *followed {
	path := "a"
	if o.FS == nil {
		path = filepath.Join(t.TempDir(), "a")
	}
	o.ChunkShape = Shape{16, 32}
	o.BlockShape = Shape{4, 32}
	o.Level = chunk.Stored

	f := &followed{t: t, o: o, rnd: rand.New(rand.NewPCG(8, 4))}
	f.now = make([]int32, 64*32)
	f.committed = make([]int32, 64*32)

	w, err := Create[int32](path, Shape{64, 32}, &o)
	check(t, err, w.Commit(t.Context()))
	keepIn(w.Untyped, 6000)
	f.w = w

	for _, budget := range []int64{3000, 1 << 20} {
		r, err := OpenAs[int32](path, &OpenOptions{FS: o.FS, Locking: o.Locking, Workers: 1})
		check(t, err)
		keepIn(r.Untyped, budget)
		f.readers = append(f.readers, r)
	}
	return f
}

// look compares items here and there.
func (f *followed) look(a Array[int32], want []int32) {
	f.t.Helper()
	for range 60 {
		i := f.rnd.Int64N(64)
		j := f.rnd.Int64N(32)
		if v, err := a.At(i, j); err != nil || v != want[i*32+j] {
			f.t.Fatalf("%d, want %d: %v", v, want[i*32+j], err)
		}
	}
}

func (f *followed) commit() {
	check(f.t, f.w.Commit(f.t.Context()))
	copy(f.committed, f.now)
}

// change writes a band of rows, at times an item, does something with that, and looks at it all.
func (f *followed) change(step int32) {
	t := f.t
	ctx := t.Context()
	row := f.rnd.Int64N(60)
	value := slices.Repeat([]int32{step}, 4*32)
	check(t, f.w.Write(ctx, value, Range(row, row+4)))
	copy(f.now[row*32:], value)
	if f.rnd.IntN(2) == 0 {
		check(t, f.w.Set(-step, row, 3))
		f.now[row*32+3] = -step
	}
	f.look(f.w, f.now)

	switch f.rnd.IntN(5) {
	case 0:
		if !f.o.Locking {
			check(t, f.w.Rollback())
			copy(f.now, f.committed)
			f.look(f.w, f.now)
		}
	case 1:
		if f.o.FS == nil {
			f.commit()
			_, err := f.w.Compact(ctx)
			check(t, err)
		}
	case 2, 3:
		f.commitBesideSnapshot()
	}
	if f.o.Locking {
		f.commit()
	}

	for _, r := range f.readers {
		_, err := r.Refresh(ctx)
		check(t, err)
		f.look(r, f.committed)
	}
}

// commitBesideSnapshot commits while a reader has a snapshot of what was.
func (f *followed) commitBesideSnapshot() {
	old, err := f.readers[1].Snapshot(f.t.Context())
	check(f.t, err)
	before := slices.Clone(f.committed)
	f.commit()
	if !f.o.Sparse && !f.o.Locking {
		f.look(old, before)
	}
	check(f.t, old.Close())
}

// end closes everything, if each handle has found something in its cache.
func (f *followed) end() {
	for _, a := range []Array[int32]{f.w, f.readers[0], f.readers[1]} {
		if a.Stats().CacheHits == 0 {
			f.t.Error("nothing was kept, so this tests nothing")
		}
	}
	check(f.t, f.readers[0].Close(), f.readers[1].Close(), f.w.Close())
}

// TestManyArraysShareACache reads from 200 arrays of two block sizes, 25 MiB in all, with a cache
// of 4 MiB.
func TestManyArraysShareACache(t *testing.T) {
	const arrays, size = 200, 32 << 10 // items each
	fsys, shared := storage.NewMemory(), decoded.New(4<<20)
	var handles []Array[int32]
	for i := range arrays {
		name := fmt.Sprint("a", i)
		a, err := FromFunc(t.Context(), name, Shape{size}, func(at []int64) int32 { return int32(i) * int32(at[0]) },
			&Options{FS: fsys, BlockShape: Shape{int64(1024 << (i % 2 * 3))}})
		check(t, err, a.Close())
		a, err = OpenAs[int32](name, &OpenOptions{FS: fsys, Workers: 1})
		check(t, err)
		a.Untyped.array.keep = shared.Owner()
		defer a.Close()
		handles = append(handles, a)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for round := range 3 {
		for i, a := range handles {
			for at := int64(0); at < size; at += 777 {
				if v, err := a.At(at); err != nil || v != int32(i)*int32(at) {
					t.Fatalf("round %d: item %d of array %d: %d, %v", round, at, i, v, err)
				}
			}
		}
	}
	// Some 40 KB a handle besides.
	if now := heap(); now > before+4<<20+2<<20+arrays*40<<10 {
		t.Errorf("%d arrays hold %d bytes", arrays, now-before)
	}

	// The blocks of one array fit, and stay.
	for range 3 {
		for at := range int64(size) {
			if at%100 == 0 {
				if _, err := handles[1].At(at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if s := handles[1].Stats(); s.CacheHits < 900 {
		t.Errorf("%d hits, %d misses", s.CacheHits, s.CacheMisses)
	}
}
