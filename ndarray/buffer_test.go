package ndarray

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

func (m *model) clone() *model { return &model{m.shape, m.item, bytes.Clone(m.data)} }

func (m *model) all(t *testing.T, u *Untyped) {
	t.Helper()
	compare(t, u, m, make([]int64, len(m.shape)), append([]int64{}, m.shape...))
}

// program makes random use of an array with write-behind, and keeps a model of its contents.
type program struct {
	t         *testing.T
	rnd       *rand.Rand
	u         *Untyped
	now       *model
	committed *model
	point     inside.Savepoint
	saved     *model // the model at the savepoint, or nil
	snapshots []*Untyped
	states    []*model // of the snapshots
}

// write changes a random box, mostly a small one.
func (p *program) write() error {
	start, stop := randomBox(p.rnd, p.now.shape)
	if p.rnd.IntN(3) > 0 {
		for i, n := range p.now.shape {
			if n > 0 {
				start[i] = p.rnd.Int64N(n)
				stop[i] = min(n, start[i]+1+p.rnd.Int64N(3))
			}
		}
	}
	size := len(p.now.read(start, stop))
	if p.rnd.IntN(4) == 0 {
		value := noise(p.rnd, p.now.item)
		p.now.fill(value, start, stop)
		return p.u.writeBox(p.t.Context(), change{src: value, fill: true}, start, stop)
	}
	src := noise(p.rnd, size)
	p.now.write(src, start, stop)
	return p.u.WriteBox(p.t.Context(), src, start, stop)
}

// step runs one random operation.
func (p *program) step() error {
	ctx := p.t.Context()
	switch p.rnd.IntN(24) {
	case 0:
		p.committed, p.saved = p.now.clone(), nil
		return p.u.Commit(ctx)
	case 1:
		p.now, p.saved = p.committed.clone(), nil
		return p.u.Rollback()
	case 2:
		var err error
		p.point, err = p.u.savepoint(ctx)
		p.saved = p.now.clone()
		return err
	case 3:
		if p.saved == nil {
			return nil
		}
		p.now = p.saved.clone()
		return p.u.rollbackTo(p.point)
	case 4:
		s, err := p.u.Snapshot(ctx)
		p.snapshots, p.states = append(p.snapshots, s), append(p.states, p.now.clone())
		return err
	case 5:
		return p.atomically()
	case 6:
		return p.u.flushNow(ctx)
	case 7:
		_, err := p.u.Bytes()
		return err
	case 8:
		p.committed, p.saved = p.now.clone(), nil
		_, err := p.u.Compact(ctx)
		return err
	case 9, 10, 11:
		start, stop := randomBox(p.rnd, p.now.shape)
		compare(p.t, p.u, p.now, start, stop)
		return nil
	case 12, 13:
		_, err := bend(p.rnd, p.u, p.now)
		return err
	}
	return p.write()
}

var errNo = errors.New("no")

func (p *program) atomically() error {
	before, fail := p.now.clone(), p.rnd.IntN(2) == 0
	err := p.u.Atomically(p.t.Context(), func() error {
		for range 3 {
			if err := p.write(); err != nil {
				return err
			}
		}
		p.now.all(p.t, p.u)
		if fail {
			return errNo
		}
		return nil
	})
	if fail {
		p.now = before
		if errors.Is(err, errNo) {
			return nil
		}
		return fmt.Errorf("a failure became %v", err)
	}
	p.committed, p.saved = p.now.clone(), nil
	return err
}

func (p *program) run(steps int) {
	p.t.Helper()
	for k := range steps {
		if err := p.step(); err != nil {
			p.t.Fatalf("step %d: %v", k, err)
		}
		if n := p.u.buffer.pending.size(); n > p.u.buffer.budget {
			p.t.Fatalf("step %d: %d bytes wait, of %d that may", k, n, p.u.buffer.budget)
		}
	}
	p.now.all(p.t, p.u)
	for i, s := range p.snapshots {
		p.states[i].all(p.t, s)
		check(p.t, s.Close())
	}
	p.snapshots, p.states = nil, nil
}

func TestWriteBehindIsLikeTheDenseModel(t *testing.T) {
	for round := range uint64(rounds(120)) {
		rnd := rand.New(rand.NewPCG(round, 99))
		shape := randomShape(rnd)
		o := randomOptions(rnd, shape)
		o.FS, o.Sparse, o.Locking = storage.NewMemory(), rnd.IntN(3) == 0, rnd.IntN(3) == 0
		o.WriteBehind = []int64{1, 600, 3000, 20_000, 1 << 20, 1 << 30}[rnd.IntN(6)]
		cache := []int64{0, 4000, 30_000, 1 << 20}[rnd.IntN(4)]
		dtype := []string{"|u1", "<i2", "<f4", ">i4", "|S3", "<c16"}[rnd.IntN(6)]
		u, err := CreateUntyped("a", dtype, shape, o)
		check(t, err)
		keepIn(u, cache)
		m := &model{shape: shape, item: u.TypeSize(), data: make([]byte, int(u.Len())*u.TypeSize())}
		p := &program{t: t, rnd: rnd, u: u, now: m, committed: m.clone()}
		t.Logf("round %d: %s %v %v %v, %+v", round, dtype, shape, u.chunkShape(), u.blockShape(), *o)
		p.run(40)
		if rnd.IntN(3) == 0 {
			check(t, u.Commit(t.Context()))
			p.committed = p.now.clone()
			check(t, p.write(), u.Abort())
			p.now = p.committed.clone()
		} else {
			check(t, u.Commit(t.Context()), u.Close()) // some changes have failed
		}
		p.u, err = Open("a", &OpenOptions{Mode: ReadWrite, FS: o.FS, Workers: o.Workers,
			WriteBehind: o.WriteBehind, Locking: o.Locking})
		check(t, err)
		keepIn(p.u, cache)
		p.committed, p.saved = p.now.clone(), nil
		p.now.all(t, p.u)
		p.run(20)
		check(t, p.u.Commit(t.Context()), p.u.Close())
		if r, err := Verify(t.Context(), "a", &OpenOptions{FS: o.FS}); err != nil || len(r.Faults) > 0 {
			t.Fatal(err, r.Faults)
		}
	}
}

// TestManySmallWritesCostOneChunkWrite counts storage operations.
func TestManySmallWritesCostOneChunkWrite(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		fsys := &storagetest.Faults{FS: storage.NewMemory()}
		a, err := Create[int32]("a", Shape{64, 64}, &Options{ChunkShape: Shape{32, 32},
			BlockShape: Shape{8, 32}, FS: fsys, Sparse: sparse, WriteBehind: 1 << 20})
		check(t, err)
		check(t, a.Commit(t.Context()))
		count := fsys.Count()
		want := make([]int32, 64*64)
		for i := range int64(64 * 32) {
			want[i] = int32(i * i)
			check(t, a.Set(want[i], i/64, i%64))
			if i%100 == 0 {
				if v, err := a.At(i/64, i%64); err != nil || v != want[i] {
					t.Fatal(v, err)
				}
			}
		}
		if n := fsys.Count() - count; n != 0 {
			t.Errorf("sparse=%v: %d operations before the commit", sparse, n)
		}
		check(t, a.Untyped.flushNow(t.Context()))
		if n := fsys.Count() - count; n > 8 {
			t.Errorf("sparse=%v: %d operations for two chunks", sparse, n)
		}
		if got, err := a.Read(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Error(err)
		}
		check(t, a.Close())
	}
}

// TestWriteBehindDoesNotDependOnWorkers compares the files of different numbers of workers, and
// checks that untouched blocks keep their streams.
func TestWriteBehindDoesNotDependOnWorkers(t *testing.T) {
	var first []byte
	for _, workers := range []int{1, 2, 8} {
		a, err := New[int16](Shape{50, 70}, &Options{ChunkShape: Shape{20, 30},
			BlockShape: Shape{5, 30}, Workers: workers, WriteBehind: 6000})
		check(t, err)
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 400 {
			i, j := rnd.Int64N(48), rnd.Int64N(66)
			check(t, a.Write(t.Context(), []int16{int16(i), 2, 3, 4, int16(j), 6, 7, 8}, Range(i,
				i+2), Range(j, j+4)))
		}
		b, err := a.Bytes()
		check(t, err)
		if first == nil {
			first = b
		} else if !bytes.Equal(first, b) {
			t.Errorf("%d workers give another file", workers)
		}
		check(t, a.Close())
	}
}

// TestFailedFlushKeepsPendingWrites makes each storage operation of a flush of several chunks fail
// in turn.
func TestFailedFlushKeepsPendingWrites(t *testing.T) {
	ctx := t.Context()
	for _, sparse := range []bool{false, true} {
		failed := 0
		for at := 1; at < 60; at++ {
			fsys := &storagetest.Faults{FS: storage.NewMemory()}
			a, err := Create[int32]("a", Shape{9, 9}, &Options{ChunkShape: Shape{3, 9},
				BlockShape: Shape{1, 9}, Sparse: sparse, FS: fsys, WriteBehind: 1 << 20, Workers: 1})
			check(t, err)
			want := slices.Repeat([]int32{4, 7, 9}, 27)
			check(t, a.Write(ctx, want), a.Commit(ctx))
			for i := range int64(9) {
				want[i*10] = int32(i * 1000)
				check(t, a.Set(int32(i*1000), i, i))
			}
			fsys.FailAt, fsys.Persistent, fsys.Err = fsys.Count()+at, true, syscall.EIO
			err = a.Untyped.flushNow(ctx)
			fsys.FailAt = 0
			if got, readErr := a.Read(ctx); readErr != nil || !slices.Equal(got, want) {
				t.Fatalf("sparse=%v: after a failure at operation %d (%v): %v, %v", sparse, at, err, got, readErr)
			}
			if err == nil {
				check(t, a.Abort())
				break
			}
			failed++
			check(t, a.Close())
			b, err := OpenAs[int32]("a", &OpenOptions{FS: fsys})
			check(t, err)
			if got, err := b.Read(ctx); err != nil || !slices.Equal(got, want) {
				t.Fatalf("sparse=%v: %v, %v", sparse, got, err)
			}
			check(t, b.Close())
		}
		if failed < 3 {
			t.Fatalf("sparse=%v: %d failures", sparse, failed)
		}
	}
}

// TestWriteBehindOverChunksOfOthers writes into chunks whose block size differs from the
// metalayer's, or whose blocks refer to each other.
func TestWriteBehindOverChunksOfOthers(t *testing.T) {
	ctx := t.Context()
	for _, filters := range [][]shuffle.Spec{{shuffle.Byte}, {shuffle.Delta, shuffle.Byte}} {
		a, err := New[int32](Shape{32, 32}, &Options{ChunkShape: Shape{16, 32},
			BlockShape: Shape{4, 32}, Filters: filters, Codec: codecs.LZ4, WriteBehind: 1 << 20})
		check(t, err)
		want := make([]int32, 32*32)
		for i := range want {
			want[i] = int32(i * 7)
		}
		enc, err := chunk.NewEncoder(&chunk.Options{TypeSize: 4, BlockSize: 256})
		check(t, err)
		for k := range 2 {
			data, err := binary.Append(nil, binary.LittleEndian, want[k*512:][:512])
			check(t, err)
			c, err := enc.Append(nil, data)
			check(t, err)
			check(t, a.Frame().Inside().UpdateEncoded(ctx, k, c))
		}
		for i := range int64(32) {
			want[i*33] = -1
			check(t, a.Set(-1, i, i))
		}
		for range 2 {
			if got, err := a.Read(ctx); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%v: %v, %v", filters, got, err)
			}
			check(t, a.Untyped.flushNow(ctx))
		}
		check(t, a.Close())
	}
}

// TestPendingWritesStayWithinTheBuffer makes one write that touches nearly all pending blocks and
// some more.
func TestPendingWritesStayWithinTheBuffer(t *testing.T) {
	for _, more := range []int64{1, 2, 3, 4} {
		a, err := New[int64](Shape{12, 1000}, &Options{ChunkShape: Shape{1, 1000},
			BlockShape: Shape{1, 100}, WriteBehind: 8 * 8400})
		check(t, err)
		want := make([]int64, 12*1000)
		write := func(from, to int64) {
			items := want[from*1000 : to*1000]
			for i := range items {
				items[i] += int64(i) + from + more
			}
			rows := to - from
			check(t, a.Write(t.Context(), columns(items, rows, 0, 999), Range(from, to), Range(0, 999)))
			if n, most := a.Untyped.buffer.pending.size(), a.Untyped.buffer.budget; n > most {
				t.Fatalf("%d bytes wait, of %d that may", n, most)
			}
			check(t, a.Write(t.Context(), columns(items, rows, 999, 1000), Range(from, to), Range(999, 1000)))
		}
		for i := range int64(8) {
			write(i, i+1)
		}
		write(0, 8+more)
		if got, err := a.Read(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Fatal("other items than were written", err)
		}
		check(t, a.Close())
	}
}

// columns returns the columns from up to, not including, to of rows of 1000 items.
func columns(items []int64, rows, from, to int64) []int64 {
	var part []int64
	for i := range rows {
		part = append(part, items[i*1000+from:i*1000+to]...)
	}
	return part
}

// savepoint returns the state of the array, staged changes included. rollbackTo can return to it
// until the changes are committed or rolled back.
func (u *Untyped) savepoint(ctx context.Context) (inside.Savepoint, error) {
	if err := u.changeable(); err != nil {
		return nil, err
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	if err := u.flush(ctx); err != nil {
		return nil, err
	}
	return u.frame.Inside().Savepoint(), nil
}

// rollbackTo drops everything that was staged since s; see [frame.Frame.RollbackTo]. It waits for
// writes in progress.
func (u *Untyped) rollbackTo(s inside.Savepoint) error {
	if err := u.changeable(); err != nil {
		return err
	}
	u.writeMu.Lock()
	defer u.writeMu.Unlock()
	return u.dropPending(func() error { return u.frame.Inside().RollbackTo(s) })
}
