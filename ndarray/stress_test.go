package ndarray

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
)

var stress = flag.Duration("stress", 300*time.Millisecond, "how long readers and a writer share each kind of array")

// goroutinesEnd waits until there are no more goroutines than before.
func goroutinesEnd(t *testing.T, before int) {
	t.Helper()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestReadersAndAWriterForAWhile runs 16 readers, four of them through snapshots, a writer, and a
// goroutine that compacts. The writer sets all items to one number after another, each in one call
// or transaction. A read must find a single number, not older than its last one. At the end the
// file must hold the last number.
func TestReadersAndAWriterForAWhile(t *testing.T) {
	for i, o := range []Options{{WriteBehind: 1}, {Sparse: true}, {WriteBehind: 12 << 10}, {WriteBehind: 1 << 20, Sparse: true}} {
		cache := []int64{0, 64 << 20, 16 << 10, 1 << 20}[i]
		t.Run(fmt.Sprintf("sparse=%v,behind=%d,cache=%d", o.Sparse, o.WriteBehind, cache), func(t *testing.T) {
			before := runtime.NumGoroutine()
			o.ChunkShape, o.BlockShape, o.Codec, o.Workers, o.Durability = Shape{16, 16}, Shape{5, 16}, codecs.LZ4, 2, 2
			path := filepath.Join(t.TempDir(), "a")
			a, err := Create[int32](path, Shape{60, 50}, &o)
			check(t, err)
			keepIn(a.Untyped, cache)
			check(t, a.Commit(t.Context()))
			reads, writes := share(t, a)
			check(t, a.Close())
			again, err := OpenAs[int32](path, nil)
			check(t, err)
			items, err := again.Read(t.Context(), Range(0, 50), Range(0, 45))
			check(t, err)
			if lo, hi := slices.Min(items), slices.Max(items); lo != int32(writes) || hi != lo {
				t.Errorf("the file holds %d to %d, not %d", lo, hi, writes)
			}
			check(t, again.Close())
			_, err = Verify(t.Context(), path, nil)
			check(t, err)
			goroutinesEnd(t, before)
			t.Logf("%d reads, %d writes", reads, writes)
			if reads < 16 || writes < 2 {
				t.Error("too few to mean anything")
			}
		})
	}
}

func share(t *testing.T, a Array[int32]) (reads, writes int64) {
	ctx, end := t.Context(), time.Now().Add(*stress)
	var count atomic.Int64
	var done atomic.Bool
	var wg sync.WaitGroup
	for r := range 16 {
		wg.Go(func() {
			last := int32(0)
			box := []int64{int64(r), int64(r), 50 - int64(r), 45 - int64(r)}
			dst := make([]int32, (box[2]-box[0])*(box[3]-box[1]))
			for !done.Load() {
				from := a
				if r%4 == 0 {
					s, err := a.Snapshot(ctx)
					if err != nil {
						t.Error(err)
						return
					}
					from = s
				}
				if err := from.ReadBox(ctx, dst, box[:2], box[2:]); err != nil {
					t.Error(err)
					return
				}
				if lo, hi := slices.Min(dst), slices.Max(dst); lo != hi || lo < last {
					t.Errorf("a read after state %d holds states %d to %d", last, lo, hi)
					return
				}
				last = dst[0]
				count.Add(1)
			}
		})
	}
	wg.Go(func() {
		for ; !done.Load(); time.Sleep(time.Millisecond) {
			// Compact fails during a transaction.
			if _, err := a.Compact(ctx); err != nil && !errors.Is(err, cairn.ErrConflict) {
				t.Errorf("compaction: %v", err)
				return
			}
		}
	})
	defer wg.Wait()
	defer done.Store(true)
	for n := int32(1); time.Now().Before(end) || n <= 6; n++ {
		if err := writeState(t, a, n); err != nil {
			t.Error(err)
			break
		}
		writes++
	}
	done.Store(true)
	wg.Wait()
	return count.Load(), writes
}

// writeState sets every item that readers look at to n.
func writeState(t *testing.T, a Array[int32], n int32) error {
	ctx := t.Context()
	switch n % 5 {
	case 0:
		return a.Fill(ctx, n)
	case 4:
		return a.Atomically(ctx, func() error {
			return errors.Join(a.Fill(ctx, n), a.Write(ctx, slices.Repeat([]int32{n}, 60*50)))
		})
	case 1:
		if err := a.Write(ctx, slices.Repeat([]int32{n}, 58*48), Range(0, 58), Range(0, 48)); err != nil {
			return err
		}
		return a.Commit(ctx)
	case 2:
		return a.Write(ctx, slices.Repeat([]int32{n}, 50*45), Range(0, 50), Range(0, 45))
	}
	return a.Write(ctx, slices.Repeat([]int32{n}, 60*50))
}
