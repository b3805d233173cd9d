package ndarray_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// A bomb in a caller's function goes off once, at a given call.
type bomb struct {
	left atomic.Int64 // calls until it goes off
	exit bool         // call Goexit, as t.FailNow does, instead of panicking
}

// errBomb is the value that a bomb panics with.
var errBomb = errors.New("bomb")

func (b *bomb) tick() {
	if b != nil && b.left.Add(-1) == 0 {
		if b.exit {
			runtime.Goexit()
		}
		panic(errBomb)
	}
}

// ended runs f on its own goroutine and returns how it ended: nil if f returned, the value that it
// panicked with, or errExit.
func ended(f func()) (how any) {
	done := make(chan any)
	go func() {
		returned := false
		defer func() {
			value := recover()
			if value == nil && !returned {
				value = errExit
			}
			done <- value
		}()
		f()
		returned = true
	}()
	return <-done
}

var errExit = errors.New("goexit")

// fuse is a user codec and a user filter with bombs in them.
type fuse struct{ encode, decode *bomb }

// Encode keeps the lower halves of 32-bit numbers below 2^16.
func (f *fuse) Encode(dst, src []byte) (int, error) {
	f.encode.tick()
	for i := range len(src) / 2 {
		dst[i] = src[i/2*4+i%2]
	}
	return len(src) / 2, nil
}

func (f *fuse) Decode(dst, src []byte) error {
	f.decode.tick()
	clear(dst)
	for i, b := range src {
		dst[i/2*4+i%2] = b
	}
	return nil
}

func (f *fuse) codecs(t *testing.T) *codecs.Registry {
	reg := new(codecs.Registry)
	if err := reg.Add(codecs.Row{
		ID: 200, Name: "fuse",
		NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return f, nil },
		NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return f, nil },
	}); err != nil {
		t.Fatal(err)
	}
	return reg
}

func (f *fuse) filters(t *testing.T) *shuffle.Registry {
	reg := new(shuffle.Registry)
	if err := reg.Add(shuffle.Row{
		ID: 200, Name: "fuse",
		Forward: func(dst, src []byte, _ uint8, _ *shuffle.Context) error {
			f.encode.tick()
			copy(dst, src)
			return nil
		},
		Backward: func(dst, src []byte, _ uint8, _ *shuffle.Context) error {
			f.decode.tick()
			copy(dst, src)
			return nil
		},
	}); err != nil {
		t.Fatal(err)
	}
	return reg
}

const panicSide = 40

func numbers(n int) []int32 {
	values := make([]int32, n)
	for i := range values {
		values[i] = int32(i + 1)
	}
	return values
}

// panicArray makes an array in a file, of 16 chunks of 10 blocks, in which each item holds its
// number, and opens it.
func panicArray(t *testing.T, f *fuse, buffer int64) (a ndarray.Array[int32], values []int32, path string) {
	path = filepath.Join(t.TempDir(), "a.b2nd")
	o := &ndarray.Options{
		ChunkShape: ndarray.Shape{10, 10}, BlockShape: ndarray.Shape{5, 2}, Workers: 4,
		Codec: codecs.ByID(200, 0), Engine: chunk.Engine{Codecs: f.codecs(t), Filters: f.filters(t)},
		Filters: []shuffle.Spec{{ID: 200}},
	}
	values = numbers(panicSide * panicSide)
	a, err := ndarray.Create[int32](path, ndarray.Shape{panicSide, panicSide}, o)
	if err == nil {
		err = errors.Join(a.Write(t.Context(), values), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err = ndarray.OpenAs[int32](path, &ndarray.OpenOptions{
		Mode: ndarray.ReadWrite, Workers: 4, Engine: o.Engine, WriteBehind: buffer, Locking: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, values, path
}

// panicCalls are calls that run the caller's functions, each with a bomb in one of them.
var panicCalls = map[string]func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error{
	"visit": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		return a.View().Inside().Visit(ctx,
			&inside.Visitor{Block: func(*inside.Block) error { b.tick(); return nil }})
	},
	"runs of a visit": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		return a.View().Inside().Visit(ctx, &inside.Visitor{
			Block:   func(*inside.Block) error { return nil },
			RunDone: func(int, int) error { b.tick(); return nil },
		})
	},
	"visit of chunks": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		one := func(run int) iter.Seq[int64] { b.tick(); return slices.Values([]int64{int64(run)}) }
		return a.View().Inside().Visit(ctx, &inside.Visitor{
			Runs: 16, Chunks: one, Block: func(*inside.Block) error { return nil },
		})
	},
	"Blocks": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		for _, err := range a.Blocks(ctx) {
			if b.tick(); err != nil {
				return err
			}
		}
		return nil
	},
	"Values": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		for _, err := range a.Values(ctx) {
			if b.tick(); err != nil {
				return err
			}
		}
		return nil
	},
	"decoding for Values": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.decode = b
		for _, err := range a.Values(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	},
	"decoding": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.decode = b
		_, err := a.Read(ctx)
		return err
	},
	"decoding points": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.decode = b
		for range 100 {
			if _, err := a.At(7, 8); err != nil {
				return err
			}
		}
		return nil
	},
	"decoding in the frame": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.decode = b
		_, err := a.Untyped.Frame().ReadChunk(ctx, make([]byte, 400), 3)
		return err
	},
	"encoding": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.encode = b
		return a.Write(ctx, numbers(panicSide*panicSide))
	},
	"encoding a part": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.encode = b
		err := a.WriteBox(ctx, numbers(30*30), []int64{5, 5}, []int64{35, 35})
		return errors.Join(err, a.Commit(ctx)) // which flushes if the write was buffered
	},
	"progress of a write": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		ctx = ndarray.WithProgress(ctx, func(_, _ int64) { b.tick() })
		return a.WriteBox(ctx, numbers(30*30), []int64{5, 5}, []int64{35, 35})
	},
	"progress of a read": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		_, err := a.Read(ndarray.WithProgress(ctx, func(_, _ int64) { b.tick() }))
		return err
	},
	"encoding for Insert": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.encode = b
		return a.Insert(ctx, 0, 3, numbers(5*panicSide))
	},
	"Atomically": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		return a.Atomically(ctx, func() error {
			err := a.Write(ctx, numbers(panicSide*panicSide))
			for range 50 {
				b.tick()
			}
			return err
		})
	},
	"progress of a copy": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		c, err := ndarray.Copy(ctx, a, &ndarray.CopyOptions{Workers: 4, Progress: func(_, _ int64) { b.tick() }})
		return errors.Join(err, c.Abort())
	},
	"progress of a copy in other chunks": func(ctx context.Context, b *bomb, _ *fuse, a ndarray.Array[int32]) error {
		c, err := ndarray.Copy(ctx, a, &ndarray.CopyOptions{Workers: 4, ChunkShape: ndarray.Shape{7, 7},
			Memory: 1 << 12, Progress: func(_, _ int64) { b.tick() }})
		return errors.Join(err, c.Abort())
	},
	"encoding a copy": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.encode = b
		c, err := ndarray.Copy(ctx, a, &ndarray.CopyOptions{Workers: 4, Recode: true})
		return errors.Join(err, c.Abort())
	},
	"verify": func(ctx context.Context, b *bomb, f *fuse, a ndarray.Array[int32]) error {
		f.decode = b
		_, err := a.Untyped.Frame().Verify(ctx)
		return err
	},
}

// TestPanicsOfCallbacksLeaveTheArrayUsable makes each of the caller's functions panic, or call
// Goexit, at several calls, and then keeps using the handle.
func TestPanicsOfCallbacksLeaveTheArrayUsable(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, call := range panicCalls {
		t.Run(name, func(t *testing.T) {
			gone := 0
			for i, at := range []int64{1, 2, 13} {
				exit, buffer := i == 1, int64(i%2)<<20
				f := &fuse{}
				a, values, path := panicArray(t, f, buffer)
				b := &bomb{exit: exit}
				b.left.Store(at)
				how := ended(func() { _ = call(t.Context(), b, f, a) })
				off := b.left.Load() <= 0 // or the call runs the function less often
				if off {
					gone++
				}
				if off && (exit && how != any(errExit) || !exit && how != any(errBomb)) {
					t.Fatalf("call %d, exit %v: it ended with %v", at, exit, how)
				}
				f.encode, f.decode = nil, nil
				checkUsable(t, f, a, values, path, !off)
			}
			if gone == 0 {
				t.Fatal("the function was never called")
			}
		})
	}
	checkGoroutines(t, before)
}

// checkUsable reads, writes, commits and reads again. Unless the call succeeded, the items are
// those from before.
func checkUsable(t *testing.T, f *fuse, a ndarray.Array[int32], values []int32, path string, through bool) {
	t.Helper()
	ctx := t.Context()
	if through {
		if _, err := a.Read(ctx); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := a.Rollback(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := a.Read(ctx)
		if err != nil || !slices.Equal(got, values) {
			t.Fatalf("items differ after it, %v", err)
		}
		for i := range values {
			values[i]++
		}
		if err := errors.Join(a.Write(ctx, values), a.Set(values[7], 0, 7), a.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	again,
		err := ndarray.OpenAs[int32](path, &ndarray.OpenOptions{Engine: chunk.Engine{Codecs: f.codecs(t),
		Filters: f.filters(t)}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.Read(ctx)
	if err = errors.Join(err, again.Close()); err != nil || !slices.Equal(got, values) {
		t.Fatalf("items in the file differ, %v", err)
	}
}

// checkGoroutines fails if calls have left goroutines behind.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 6000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond) // goroutines that signalled their end may still exist
	}
	t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// panicMakers are functions that make an array at a path by calling the caller's functions.
var panicMakers = map[string]func(ctx context.Context, b *bomb, path string,
	o *ndarray.Options) (ndarray.Array[int32], error){
	"FromBoxes": func(ctx context.Context, b *bomb, path string, o *ndarray.Options) (ndarray.Array[int32], error) {
		return ndarray.FromBoxes(ctx, path, ndarray.Shape{40, 40}, func([]int32, []int64,
			[]int64) error {
			b.tick()
			return nil
		}, o)
	},
	"FromFunc": func(ctx context.Context, b *bomb, path string, o *ndarray.Options) (ndarray.Array[int32], error) {
		return ndarray.FromFunc(ctx, path, ndarray.Shape{40, 40}, func([]int64) int32 { b.tick(); return 1 }, o)
	},
	"progress": func(ctx context.Context, b *bomb, path string, o *ndarray.Options) (ndarray.Array[int32], error) {
		ctx = ndarray.WithProgress(ctx, func(_, _ int64) { b.tick() })
		return ndarray.FromFunc(ctx, path, ndarray.Shape{40, 40}, func([]int64) int32 { return 1 }, o)
	},
}

func TestPanicsOfCallbacksLeaveNothingOfANewArray(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, fill := range panicMakers {
		for _, sparse := range []bool{false, true} {
			for _, exit := range []bool{false, true} {
				for _, at := range []int64{1, 11} {
					dir := t.TempDir()
					o := &ndarray.Options{ChunkShape: ndarray.Shape{10, 10},
						BlockShape: ndarray.Shape{5, 5}, Workers: 4, Sparse: sparse}
					b := &bomb{exit: exit}
					b.left.Store(at)
					how := ended(func() { _, _ = fill(t.Context(), b, filepath.Join(dir, "a.b2nd"), o) })
					if exit && how != any(errExit) || !exit && how != any(errBomb) {
						t.Fatalf("%s: it ended with %v", name, how)
					}
					if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
						t.Fatalf("%s: left %v, %v", name, left, err)
					}
					a, err := fill(t.Context(), nil, filepath.Join(dir, "a.b2nd"), o)
					if err = errors.Join(err, a.Close()); err != nil {
						t.Fatalf("%s: again: %v", name, err)
					}
				}
			}
		}
	}
	checkGoroutines(t, before)
}
