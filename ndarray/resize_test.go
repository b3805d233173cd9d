package ndarray

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

func TestShapeChangesRefuse(t *testing.T) {
	ctx := t.Context()
	a, err := New[int32](Shape{7, 5, 0}, &Options{ChunkShape: Shape{4, 2, 3}, BlockShape: Shape{4, 2, 3}})
	check(t, err)
	check(t, a.Resize(ctx, Shape{7, 5, 2}, nil), a.Fill(ctx, 9))
	row := make([]int32, 10)
	before := a.Frame().Snapshot()
	scalar, err := New[int8](Shape{}, nil)
	check(t, err)
	snapshot, err := a.Snapshot(ctx)
	check(t, err)
	ended := &expiring{ctx, 0}
	for name, c := range map[string]struct{ err, want error }{
		"too few extents":   {a.Resize(ctx, Shape{7, 5}, nil), cairn.ErrBounds},
		"too many extents":  {a.Resize(ctx, Shape{7, 5, 2, 1}, nil), cairn.ErrInvalid},
		"negative":          {a.Resize(ctx, Shape{7, 5, -1}, nil), cairn.ErrBounds},
		"more than 63 bits": {a.Resize(ctx, Shape{1 << 62, 1 << 62, 2}, nil), cairn.ErrBounds},
		"many chunks":       {a.Resize(ctx, Shape{1 << 40, 5, 2}, nil), cairn.ErrLimit},
		"fill":              {a.Resize(ctx, Shape{8, 5, 2}, &ResizeOptions{Fill: 1.5}), cairn.ErrType},
		"start in a chunk": {a.Resize(ctx, Shape{11, 5, 2}, &ResizeOptions{Start: Shape{3, 0,
			0}}), cairn.ErrBounds},
		"part of a chunk": {a.Resize(ctx, Shape{6, 5, 2}, &ResizeOptions{Start: Shape{4, 0, 0}}), cairn.ErrBounds},
		"start beyond": {a.Resize(ctx, Shape{11, 5, 2}, &ResizeOptions{Start: Shape{8, 0,
			0}}), cairn.ErrBounds},
		"start too far":      {a.Resize(ctx, Shape{3, 5, 2}, &ResizeOptions{Start: Shape{4, 0, 0}}), cairn.ErrBounds},
		"few starts":         {a.Resize(ctx, Shape{11, 5, 2}, &ResizeOptions{Start: Shape{0}}), cairn.ErrBounds},
		"append: axis":       {a.Append(ctx, 3, row), cairn.ErrBounds},
		"append: length":     {a.Append(ctx, 0, row[:9]), cairn.ErrBounds},
		"append to a scalar": {scalar.Append(ctx, 0, []int8{1}), cairn.ErrBounds},
		"insert: position":   {a.Insert(ctx, 0, 8, row), cairn.ErrBounds},
		"insert: negative":   {a.Insert(ctx, 0, -8, row), cairn.ErrBounds},
		"delete: backwards":  {a.Delete(ctx, 0, 3, 2), cairn.ErrBounds},
		"delete: beyond":     {a.Delete(ctx, 0, 3, 8), cairn.ErrBounds},
		"snapshot":           {snapshot.Append(ctx, 0, row), cairn.ErrReadOnly},
		"resize, cancelled":  {a.Resize(ended, Shape{8, 6, 2}, nil), ended.Err()},
		"insert, cancelled":  {a.Insert(ended, 0, 1, row), ended.Err()},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if a.Frame().Snapshot() != before {
		t.Error("something changed")
	}
	check(t, a.Append(ctx, 1, nil), a.Delete(ctx, -1, -1, 2), a.Resize(ctx, a.Shape(), nil),
		scalar.Resize(ctx, Shape{}, nil))
}

// The padding beyond the edge of an array may hold anything, also in cairn's files: items of a
// shrunk array, or a fill value.
func TestGrownPartsHaveTheFillValue(t *testing.T) {
	ctx := t.Context()
	for _, fill := range []any{nil, float32(math.NaN()), float32(2.5)} {
		want := float32(0)
		if fill != nil {
			want = fill.(float32)
		}
		a, err := New[float32](Shape{10, 10}, &Options{ChunkShape: Shape{7, 6}, BlockShape: Shape{3, 4}, Fill: 7})
		check(t, err)
		check(t, a.Write(ctx, slices.Repeat([]float32{8}, 100)), a.Resize(ctx, Shape{4, 5}, nil),
			a.Resize(ctx, Shape{12, 13}, &ResizeOptions{Fill: fill}))
		got, err := a.Read(ctx)
		check(t, err)
		for i, v := range got {
			if x := want; i/13 < 4 && i%13 < 5 {
				if v != 8 {
					t.Fatalf("item %d is %v, was 8", i, v)
				}
			} else if math.Float32bits(v) != math.Float32bits(x) && (v == v || x == x) {
				t.Fatalf("item %d is %v, want %v", i, v, x)
			}
		}
	}
}

// entries returns the place of each chunk, by which unchanged chunks can be recognised.
func entries(t *testing.T, u *Untyped) []int64 {
	t.Helper()
	check(t, u.flushNow(t.Context()))
	var at []int64
	for i := range u.Frame().NumChunks() {
		c, err := u.Frame().Chunk(i)
		check(t, err)
		if c.InIndex {
			c.Offset = -1
		}
		at = append(at, c.Offset)
	}
	return at
}

func TestChunksThatMoveAreNotRecoded(t *testing.T) {
	ctx := t.Context()
	a, err := Create[int32]("a", Shape{8, 8}, &Options{ChunkShape: Shape{4, 4},
		BlockShape: Shape{2, 4}, FS: storage.NewMemory()})
	check(t, err)
	values := make([]int32, 64)
	for i := range values {
		values[i] = int32(i * i)
	}
	check(t, a.Write(ctx, values))
	old := entries(t, a.Untyped)
	for _, step := range []struct {
		name   string
		change func() error
		want   []int // for each chunk its old number, -1 for new ones
	}{
		{"append along 0", func() error { return a.Append(ctx, 0, values[:16]) }, []int{0, 1, 2, 3, -1, -1}},
		{"delete at the end", func() error { return a.Delete(ctx, 0, 8, 10) }, []int{0, 1, 2, 3}},
		{"insert along 1", func() error { return a.Insert(ctx, 1, 4, values[:32]) }, []int{0, -1, 1, 2, -1, 3}},
		{"delete along 1", func() error { return a.Delete(ctx, 1, 4, 8) }, []int{0, 2, 3, 5}},
		{"insert in a chunk as much as one has", func() error {
			return a.Insert(ctx, 0, 5,
				values[:32])
		}, []int{0, 1, -1, -1, -1, -1}},
		{"delete that", func() error { return a.Delete(ctx, 0, 5, 9) }, []int{0, 1, -1, -1}},
		{"insert one at the begin of a chunk", func() error {
			return a.Insert(ctx, 0, 4,
				values[:8])
		}, []int{0, 1, -1, -1, -1, -1}},
		{"shrink", func() error { return a.Resize(ctx, Shape{5, 8}, nil) }, []int{0, 1, 2, 3}},
		{"grow over padding", func() error { return a.Resize(ctx, Shape{6, 8}, nil) }, []int{0, 1, -1, -1}},
		{"grow over zeros", func() error {
			return a.Resize(ctx, Shape{7, 8},
				&ResizeOptions{Fill: 0})
		}, []int{0, 1, -1, -1}},
		{"grow at both ends", func() error {
			return a.Resize(ctx, Shape{11, 9},
				&ResizeOptions{Start: Shape{0, 8}})
		}, []int{-1, -1, -1, 0, 1, -1, 2, 3, -1}},
	} {
		check(t, step.change())
		now := entries(t, a.Untyped)
		var got []int
		for _, at := range now {
			got = append(got, slices.Index(old, at))
			if at < 0 {
				got[len(got)-1] = -1
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: chunks %v, want %v", step.name, got, step.want)
		}
		old = now
	}
}

func TestFailedShapeChangesAreUndone(t *testing.T) {
	ctx := t.Context()
	for what, change := range map[string]func(a Array[int32]) error{
		"append": func(a Array[int32]) error { return a.Append(ctx, 0, slices.Repeat([]int32{1, 2, 3}, 3*7)) },
		"insert": func(a Array[int32]) error { return a.Insert(ctx, 1, 2, slices.Repeat([]int32{5}, 9*4)) },
		"delete": func(a Array[int32]) error { return a.Delete(ctx, 1, 2, 4) },
		"resize": func(a Array[int32]) error { return a.Resize(ctx, Shape{13, 14}, &ResizeOptions{Fill: 3}) },
	} {
		for _, sparse := range []bool{false, true} {
			failed := 0
			for at := 1; at < 60; at++ {
				fsys := &storagetest.Faults{FS: storage.NewMemory()}
				a, err := Create[int32]("a", Shape{9, 9}, &Options{ChunkShape: Shape{4, 5}, BlockShape: Shape{4, 5},
					Sparse: sparse, FS: fsys, Workers: 1, WriteBehind: 1})
				check(t, err)
				before := slices.Repeat([]int32{4, 7, 9}, 27)
				check(t, a.Write(ctx, before), a.Commit(ctx), a.Set(-1, 4, 4), a.Frame().SetVL("kept", []byte{1}))
				before[4*9+4] = -1
				fsys.FailAt, fsys.Persistent, fsys.Err = fsys.Count()+at, true, syscall.EIO
				if err = change(a); err == nil {
					check(t, a.Abort())
					break
				}
				failed++
				fsys.FailAt = 0
				got, readErr := a.Read(ctx)
				if readErr != nil || !slices.Equal(got, before) || !slices.Equal(a.Shape(),
					Shape{9, 9}) || len(a.Frame().VLNames()) != 1 {
					t.Fatalf("%s, sparse=%v: after a failure at operation %d (%v): shape %v, %v",
						what, sparse, at, err, a.Shape(), readErr)
				}
				check(t, a.Append(ctx, 1, make([]int32, 9)), a.Commit(ctx), a.Close())
			}
			if failed < 3 {
				t.Fatalf("%s, sparse=%v: %d failures", what, sparse, failed)
			}
		}
	}
}

func TestShapeChangesAreAtomic(t *testing.T) {
	ctx := t.Context()
	a, err := Create[int64]("a", Shape{3, 4}, &Options{ChunkShape: Shape{2, 3},
		BlockShape: Shape{2, 3}, FS: storage.NewMemory(), Fill: 6})
	check(t, err)
	check(t, a.Append(ctx, 0, make([]int64, 4)), a.Rollback())
	if !slices.Equal(a.Shape(), Shape{3, 4}) {
		t.Fatalf("shape %v after going back to what was created", a.Shape())
	}
	check(t, a.Commit(ctx))
	failure := errors.New("no")
	for _, end := range []error{failure, nil} {
		err := a.Atomically(ctx, func() error {
			check(t, a.Append(ctx, 1, []int64{1, 2, 3}), a.Delete(ctx, 0, 0, 1), a.Insert(ctx, 0,
				1, make([]int64, 10)), a.Resize(ctx, Shape{9, 5}, nil), a.Set(11, 8, 4))
			return end
		})
		want := Shape{3, 4}
		if end == nil {
			want = Shape{9, 5}
		}
		if !errors.Is(err, end) || !slices.Equal(a.Shape(), want) {
			t.Fatalf("%v: shape %v, want %v", err, a.Shape(), want)
		}
	}
	check(t, a.Delete(ctx, 1, 0, 5), a.Rollback())
	got, err := a.Read(ctx)
	if want := []int64{6, 6, 6, 6, 2}; err != nil || !slices.Equal(got[:5], want) || got[44] != 11 {
		t.Fatalf("%v, %v", got, err)
	}
}

// watchShapes reads an array and its snapshots until done is closed, and returns the first
// inconsistency.
func watchShapes(ctx context.Context, a Array[int32], done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		default:
		}
		s, err := a.Snapshot(ctx)
		if err == nil {
			var items []int32
			if items, err = s.Read(ctx); err == nil {
				err = consecutive(s.Shape(), items)
			}
		}
		if err != nil {
			return err
		}
		if items, err := a.Read(ctx); err != nil || len(items) == 0 {
			return fmt.Errorf("%d items: %w", len(items), err)
		}
	}
}

func TestReadersSeeOneStateOfAChangingShape(t *testing.T) {
	ctx := t.Context()
	a, err := New[int32](Shape{3, 5}, &Options{ChunkShape: Shape{4, 4}, BlockShape: Shape{2, 4}, Workers: 2})
	check(t, err)
	check(t, a.Write(ctx, slices.Repeat([]int32{0, 1, 2}, 5)[:15]))
	for i := range int64(3) {
		check(t, a.Fill(ctx, int32(i), Index(i)))
	}
	done := make(chan struct{})
	errs := make(chan error, 4)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			errs <- watchShapes(ctx, a, done)
		})
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	first, rows, columns := int32(0), int64(3), int64(5)
	for range rounds(150) {
		n := 1 + rnd.Int64N(5)
		var err error
		switch op := rnd.IntN(5); {
		case op == 0:
			err = a.Append(ctx, 0, table2(first+int32(rows), n, columns))
			rows += n
		case op == 1:
			first -= int32(n)
			err = a.Insert(ctx, 0, 0, table2(first, n, columns))
			rows += n
		case op == 2 && rows > n:
			err = a.Delete(ctx, 0, 0, n)
			first, rows = first+int32(n), rows-n
		case op == 3 && columns < 12:
			err = a.Insert(ctx, 1, rnd.Int64N(columns), table2(first, rows, n))
			columns += n
		case columns > n:
			columns -= n
			err = a.Resize(ctx, Shape{rows, columns}, nil)
		}
		if err != nil {
			errs <- err
			break
		}
	}
	close(done)
	wg.Wait()
	close(errs)
	for err := range errs {
		check(t, err)
	}
}

// table2 returns rows of one number each, counting from first.
func table2(first int32, rows, columns int64) []int32 {
	var out []int32
	for i := range rows {
		out = append(out, slices.Repeat([]int32{first + int32(i)}, int(columns))...)
	}
	return out
}

func consecutive(shape Shape, items []int32) error {
	if want := table2(items[0], shape[0], shape[1]); !slices.Equal(items, want) {
		return fmt.Errorf("shape %v with %v", shape, items)
	}
	return nil
}

func TestShapeChangesDoNotDependOnWorkers(t *testing.T) {
	ctx := t.Context()
	rnd := rand.New(rand.NewPCG(8, 8))
	src := noise(rnd, 2*40*50)
	var first []byte
	for _, workers := range []int{1, 2, 3} {
		u, err := NewUntyped("<i2", Shape{40, 50}, &Options{ChunkShape: Shape{7, 9},
			BlockShape: Shape{4, 5}, Workers: workers, Level: 1})
		check(t, err)
		check(t, u.Write(ctx, src), u.Insert(ctx, 0, 5, src[:1000]), u.Append(ctx, 1, src[:500]),
			u.Delete(ctx, 1, 11, 19),
			u.Resize(ctx, Shape{61, 60}, &ResizeOptions{Fill: int16(3)}), u.Append(ctx, -2, src[:120*11]))
		b, err := u.Bytes()
		check(t, err)
		if first == nil {
			first = b
		} else if !bytes.Equal(b, first) {
			t.Fatalf("%d workers wrote other bytes than one", workers)
		}
	}
}

func TestAMillionSpecialChunksTakeNoStorage(t *testing.T) {
	ctx := t.Context()
	a, err := New[float64](Shape{10}, &Options{ChunkShape: Shape{1 << 17}, BlockShape: Shape{1 << 13}})
	check(t, err)
	check(t, a.Write(ctx, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), a.Resize(ctx, Shape{1 << 37},
		&ResizeOptions{Fill: math.NaN()}))
	b, err := a.Bytes()
	check(t, err)
	if v, err := a.At(1<<37 - 1); err != nil || v == v || a.NumChunks() != 1<<20 || len(b) > 200_000 {
		t.Fatalf("%v, %v: %d chunks in %d bytes", v, err, a.NumChunks(), len(b))
	}
	if c, err := a.Frame().Chunk(1 << 19); err != nil || c.Kind != chunk.SpecialNaN || !c.InIndex {
		t.Fatalf("%+v, %v", c, err)
	}
}
