package ndarray

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/inside"
)

// watched returns a context that records progress reports and checks that they come one at a time
// and reach the total.
func watched(t *testing.T) (context.Context, func(what string, total int64)) {
	var told [][2]int64
	busy := false // detects concurrent calls, as the race detector does
	ctx := WithProgress(t.Context(), func(done, total int64) {
		if busy {
			t.Error("two at a time")
		}
		busy = true
		told = append(told, [2]int64{done, total})
		busy = false
	})
	return ctx, func(what string, total int64) {
		t.Helper()
		if n := len(told); total == 0 && n > 0 || total > 0 && (n == 0 || told[n-1] != [2]int64{total, total}) {
			t.Errorf("%s: told %v, total %d", what, told, total)
		}
		last := int64(0)
		for _, d := range told {
			if d[1] != total || d[0] <= last {
				t.Errorf("%s: told %v, total %d", what, told, total)
				break
			}
			last = d[0]
		}
		told = nil
	}
}

func TestProgressOfCalls(t *testing.T) {
	shape := Shape{40, 40}
	for _, buffer := range []int64{0, 1 << 20} {
		ctx, check := watched(t)
		must := func(errs ...error) {
			t.Helper()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
		}
		a, err := New[int32](shape, &Options{ChunkShape: Shape{10, 20}, BlockShape: Shape{5, 10},
			Workers: 2, WriteBehind: buffer})
		must(err)
		items := make([]int32, 1600)
		for i := range items {
			items[i] = int32(i * i)
		}
		must(a.Write(ctx, items))
		check("write", 8)
		_, err = a.Read(ctx)
		must(err)
		check("read", 8)
		_, err = a.Read(ctx, Range(5, 15), Index(3))
		must(err)
		check("read of a part", 2)
		_, err = a.Read(ctx, Range(5, 5))
		must(err)
		check("read of nothing", 0)
		_, err = a.Slice(Range(0, 40).Step(3)).Transpose().Read(ctx)
		must(err)
		check("read of a view", 8)
		must(a.Fill(ctx, 3, Range(9, 11)))
		check("fill", 4)
		must(a.Write(ctx, []int32{4}, Index(9), Index(1)))
		check("small write", 1)
		must(a.ReadPoints(ctx, make([]int32, 2), []int64{0, 0, 39, 39}))
		check("points", 2)
		must(passOver(ctx, a, nothing))
		check("pass", 8)
		must(passOver(ctx, a.Slice(Range(0, 20)), nothing))
		check("pass over a view", 1)
		for _, err := range a.Values(ctx) {
			must(err)
		}
		check("items", 0)
		_, err = Copy(ctx, a, &CopyOptions{ChunkShape: Shape{8, 8}})
		must(err)
		check("copy", 0)
		_, err = FromFunc(ctx, "", shape, func(at []int64) int32 { return int32(at[0]) }, &Options{ChunkShape: Shape{10, 20}})
		must(err)
		check("made by a function", 8)
		must(a.Insert(ctx, 0, 0, make([]int32, 40*10)))
		check("insertion", 2)
		must(a.Resize(ctx, Shape{55, 40}, nil))
		check("resize", 0)
		quiet := WithProgress(ctx, nil)
		_, err = a.Read(quiet)
		must(err)
		check("with nil", 0)
		must(a.Close())
	}
}

// slow is an array of many chunks that are slow to encode.
func slow(t *testing.T, path string, buffer int64) (Array[int32], []int32) {
	t.Helper()
	o := &Options{ChunkShape: Shape{1 << 12}, BlockShape: Shape{1 << 10}, Codec: codecs.Zstd, Level: 9,
		Workers: 2, WriteBehind: buffer}
	a, err := Create[int32](path, Shape{slowChunks << 12}, o)
	check(t, err)
	items := make([]int32, slowChunks<<12)
	for i := range items {
		items[i] = int32(i*i) >> 5
	}
	check(t, a.Write(t.Context(), items), a.Commit(t.Context()))
	return a, items
}

const slowChunks = 40

// half returns a context that ends when a call is half done.
func half(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	return WithProgress(ctx, func(done, total int64) {
		if done == total/2 {
			cancel()
		}
	})
}

// TestCallsEndWithTheirContext counts the chunks that are processed after the end of the context,
// and checks what is left.
func TestCallsEndWithTheirContext(t *testing.T) {
	before := runtime.NumGoroutine()
	path := filepath.Join(t.TempDir(), "a")
	a, items := slow(t, path, 1)
	u := a.Untyped
	file, err := os.ReadFile(path)
	check(t, err)
	ends := func(what string, count func(Stats) int64, call func(ctx context.Context) error) {
		t.Helper()
		was := u.Stats()
		if err := call(half(t)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		if n := count(u.Stats().Sub(was)); n < slowChunks/2 || n > slowChunks/2+4 {
			t.Errorf("%s: %d of %d chunks", what, n, slowChunks)
		}
		check(t, a.Commit(t.Context()))
		// rolled-back bytes may follow
		if now, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(now, file) {
			t.Errorf("%s: something was staged", what)
		}
		if got, err := a.Read(t.Context()); err != nil || !slices.Equal(got, items) {
			t.Errorf("%s: the array has changed: %v", what, err)
		}
	}
	read := func(s Stats) int64 { return s.ChunksRead }
	encoded := func(s Stats) int64 { return s.ChunksEncoded }
	other := slices.Repeat([]int32{1, 5, 7, 70000}, len(items)/4)
	dst := make([]int32, len(items))
	ends("read", read, func(ctx context.Context) error { return a.ReadInto(ctx, dst) })
	ends("steps", read, func(ctx context.Context) error { _, err := a.Read(ctx, Range(0, slowChunks<<12).Step(5)); return err })
	ends("pass", read, func(ctx context.Context) error { return passOver(ctx, a, nothing) })
	ends("write", encoded, func(ctx context.Context) error { return a.Write(ctx, other) })
	ends("partial write", func(s Stats) int64 { return s.ChunksRecoded + s.ChunksEncoded }, func(ctx context.Context) error {
		return a.Write(ctx, other[:slowChunks<<9], Range(0, slowChunks<<12).Step(8))
	})
	ends("insertion", encoded, func(ctx context.Context) error { return a.Insert(ctx, 0, 3, other[:1<<11]) })
	check(t, a.Close())
	goroutinesEnd(t, before)
}

// TestBufferedWritesEndWithTheirContext cancels a write that would be buffered, and the flush of
// one that is.
func TestBufferedWritesEndWithTheirContext(t *testing.T) {
	a, items := slow(t, filepath.Join(t.TempDir(), "a"), 64<<20)
	some := Range(0, slowChunks<<12).Step(1 << 10)
	if err := a.Fill(half(t), 9, some); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, err := a.Read(t.Context()); err != nil || !slices.Equal(got, items) || a.Untyped.buffer.pending != nil {
		t.Errorf("a cancelled write is pending: %v", err)
	}
	check(t, a.Fill(t.Context(), 9, some))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.flushNow(ctx); !errors.Is(err, context.Canceled) || a.Untyped.buffer.pending == nil {
		t.Errorf("a flush that was cancelled: %v", err)
	}
	for i := range items {
		if i%(1<<10) == 0 {
			items[i] = 9
		}
	}
	if got, err := a.Read(t.Context()); err != nil || !slices.Equal(got, items) {
		t.Errorf("after a flush that was cancelled: %v", err)
	}
	check(t, a.Abort())
}

// TestCancellationWithinOneChunk cancels a call while it works on the blocks of a single chunk.
func TestCancellationWithinOneChunk(t *testing.T) {
	for _, workers := range []int{1, 2} {
		o := &Options{ChunkShape: Shape{1 << 16}, BlockShape: Shape{1 << 10}, Workers: workers}
		a, err := New[int32](Shape{1 << 16}, o)
		check(t, err)
		check(t, a.Write(t.Context(), field32(1<<16)))
		ctx, cancel := context.WithCancel(t.Context())
		blocks := 0
		one := func(int) iter.Seq[int64] { return slices.Values([]int64{0}) }
		err = a.View().Inside().Visit(ctx, &inside.Visitor{Runs: 1, Chunks: one, Block: func(*inside.Block) error {
			if blocks++; blocks == 5 {
				cancel()
			}
			return nil
		}})
		if !errors.Is(err, context.Canceled) || blocks > 6 {
			t.Errorf("%d blocks: %v", blocks, err)
		}
		for _, call := range []error{a.ReadInto(ctx, make([]int32, 1<<16)), a.Write(ctx, field32(1<<16))} {
			if !errors.Is(call, context.Canceled) || strings.Contains(call.Error(), "corrupt") {
				t.Error(call)
			}
		}
		check(t, a.Close())
	}
}

func field32(n int) []int32 {
	items := make([]int32, n)
	for i := range items {
		items[i] = int32(i*i) >> 5
	}
	return items
}
