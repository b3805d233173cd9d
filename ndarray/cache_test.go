package ndarray

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// TestCachedBlocksAreNotReadAgain counts storage reads of the array and of a snapshot.
func TestCachedBlocksAreNotReadAgain(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		fsys := &storagetest.Faults{FS: storage.NewMemory()}
		a, err := Create[int32]("a", Shape{64, 64}, &Options{ChunkShape: Shape{32, 64},
			BlockShape: Shape{8, 64}, FS: fsys, Sparse: sparse, CacheBytes: 16 << 10})
		check(t, err)
		want := make([]int32, 64*64)
		for i := range want {
			want[i] = int32(i * i)
		}
		check(t, a.Write(t.Context(), want), a.Commit(t.Context()))
		s, err := a.Snapshot(t.Context())
		check(t, err)
		read := func(a Array[int32]) {
			t.Helper()
			for i := range int64(64) {
				if v, err := a.At(i, i); err != nil || v != want[i*65] {
					t.Fatal(v, err)
				}
			}
		}
		read(a)
		fsys.FailAt, fsys.Persistent = fsys.Count()+1, true
		read(a)
		read(s)
		fsys.FailAt = 0
		check(t, a.Fill(t.Context(), 3), a.Commit(t.Context()))
		if v, err := a.At(5, 5); err != nil || v != 3 {
			t.Error(v, err)
		}
		read(s)
		check(t, s.Close(), a.Close())
	}
}

// TestNumbersOfChunkFilesThatAreUsedAgain reuses the file numbers of old chunks for new ones while
// blocks of the old ones are still cached.
func TestNumbersOfChunkFilesThatAreUsedAgain(t *testing.T) {
	ctx := t.Context()
	a, err := Create[int32]("a", Shape{8, 16}, &Options{ChunkShape: Shape{4, 16},
		BlockShape: Shape{1, 16}, FS: storage.NewMemory(), Sparse: true, CacheBytes: 1 << 20})
	check(t, err)
	rnd := rand.New(rand.NewPCG(3, 3))
	values := make([]int32, 128)
	for range 50 {
		for i := range values {
			values[i] = rnd.Int32()
		}
		check(t, a.Write(ctx, values))
		runtime.GC() // numbers become free once no state refers to them
		if rnd.IntN(2) == 0 {
			check(t, a.Commit(ctx))
		}
		for range 10 {
			i, j := rnd.Int64N(8), rnd.Int64N(16)
			if v, err := a.At(i, j); err != nil || v != values[i*16+j] {
				t.Fatal(v, values[i*16+j], err)
			}
		}
	}
	check(t, a.Close())
}

func TestHitsAllocateNothing(t *testing.T) {
	a, err := FromSlice(field(Shape{32, 64, 64}), Shape{32, 64, 64}, &Options{Codec: codecs.LZ4,
		Workers: 1, CacheBytes: 4 << 20})
	check(t, err)
	dst, start, stop := make([]float32, 100), []int64{3, 4, 5}, []int64{4, 14, 15}
	read := func() { check(t, a.ReadBox(t.Context(), dst, start, stop)) }
	read()
	// a plan and its workers, as for every call
	if n := testing.AllocsPerRun(100, read); n > 4 {
		t.Errorf("%v allocations", n)
	}
	check(t, a.Close())
}

// TestManyArraysShareACache reads from 200 arrays of two block sizes, 25 MiB in all, with a cache
// of 4 MiB.
func TestManyArraysShareACache(t *testing.T) {
	const arrays, size = 200, 32 << 10 // items each
	fsys, shared := storage.NewMemory(), NewCache(4<<20)
	var handles []Array[int32]
	for i := range arrays {
		name := fmt.Sprint("a", i)
		a, err := FromFunc(t.Context(), name, Shape{size}, func(at []int64) int32 { return int32(i) * int32(at[0]) },
			&Options{FS: fsys, BlockShape: Shape{int64(1024 << (i % 2 * 3))}})
		check(t, err, a.Close())
		a, err = OpenAs[int32](name, &OpenOptions{FS: fsys, Cache: shared, Workers: 1})
		check(t, err)
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
	// Blocks that are about to be replaced, and some 40 KB a handle.
	if now := heap(); now > before+4<<20+2<<20+arrays*40<<10 {
		t.Errorf("%d arrays hold %d bytes", arrays, now-before)
	}

	// The blocks of one array fit, and stay.
	for range 2 {
		for at := range int64(size) {
			if at%100 == 0 {
				if _, err := handles[1].At(at); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if s := handles[1].Stats(); s.CacheHits < 600 {
		t.Errorf("%d hits, %d misses", s.CacheHits, s.CacheMisses)
	}
}

// BenchmarkPoints reads single items at random, most of them in a tenth of the array, by one
// goroutine and by 16.
func BenchmarkPoints(b *testing.B) {
	shape := Shape{128, 256, 256}
	path := filepath.Join(b.TempDir(), "a")
	a, err := Create[float32](path, shape, &Options{ChunkShape: Shape{64, 128, 128},
		BlockShape: Shape{16, 32, 32}, Codec: codecs.LZ4})
	if err != nil {
		b.Fatal(err)
	}
	if err := a.Write(b.Context(), slices.Clone(field(shape))); err != nil {
		b.Fatal(err)
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	for _, readers := range []int{1, 16} {
		for _, cache := range []int64{0, 16 << 20} {
			a, err := OpenAs[float32](path, &OpenOptions{CacheBytes: cache, Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(map[int]string{1: "one",
				16: "sixteen"}[readers]+
				map[bool]string{false: "/without", true: "/with"}[cache > 0], func(b *testing.B) {
				b.ReportAllocs()
				var wg sync.WaitGroup
				for r := range uint64(readers) {
					wg.Go(func() {
						rnd := rand.New(rand.NewPCG(1, r))
						for range b.N / readers {
							i := rnd.Int64N(128)
							if rnd.IntN(10) > 0 {
								i = rnd.Int64N(13)
							}
							if _, err := a.At(i, rnd.Int64N(256), rnd.Int64N(256)); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
			})
			if err := a.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
