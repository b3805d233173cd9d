package compute_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
)

var errOwn = errors.New("the caller's own")

// TestPanicsOfCallbacksReachTheCaller makes callbacks of compute panic, recovers like a server, and
// computes again.
func TestPanicsOfCallbacksReachTheCaller(t *testing.T) {
	ctx := t.Context()
	x, err := ndarray.FromFunc(ctx, "", ndarray.Shape{64, 64}, func(at []int64) int32 { return int32(at[0]) },
		&ndarray.Options{ChunkShape: ndarray.Shape{16, 16}, BlockShape: ndarray.Shape{4, 4}, Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.b2nd")
	calls := map[string]func(tick func()) error{
		"Map": func(tick func()) error {
			r, err := compute.Map(ctx, path, x, func(dst, x []int32) { tick() },
				&ndarray.Options{Workers: 4, Overwrite: true, ChunkShape: ndarray.Shape{9, 64}})
			return errors.Join(err, r.Abort())
		},
		"Map2": func(tick func()) error {
			r, err := compute.Map2(ctx, path, x, x, func(dst, x, y []int32) { tick() },
				&ndarray.Options{Workers: 4, Overwrite: true, ChunkShape: ndarray.Shape{7, 9}})
			return errors.Join(err, r.Abort())
		},
		"Summarize": func(tick func()) error {
			_, err := compute.Summarize(ctx, x, func(int64, compute.Summary) { tick() })
			return err
		},
		"progress of Sum": func(tick func()) error {
			_, err := compute.Value(compute.Sum[int64](ndarray.WithProgress(ctx, func(_, _ int64) { tick() }), x, nil))
			return err
		},
	}
	before := runtime.NumGoroutine()
	for name, call := range calls {
		for _, at := range []int64{1, 3} {
			var n atomic.Int64
			value := func() (value any) {
				defer func() { value = recover() }()
				_ = call(func() {
					if n.Add(1) == at {
						panic(errOwn)
					}
				})
				return nil
			}()
			if value != any(errOwn) {
				t.Fatalf("%s: at %d: recovered %v", name, at, value)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
				t.Fatalf("%s: left %v, %v", name, left, err)
			}
			if err := call(func() {}); err != nil {
				t.Fatalf("%s, again: %v", name, err)
			}
		}
	}
	if n := runtime.NumGoroutine(); n > before+8 {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}
