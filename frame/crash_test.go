package frame

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// point is a commit: the number of operations before it began and after it ended, and the states at
// these times.
type point struct {
	from, to      int
	before, after *model // before is nil if there was no frame
}

// record runs a script on a recorder and returns its log and its commits.
func record(t *testing.T, sparse bool, seed uint64, steps int) ([]storagetest.Op, []point) {
	r := storagetest.NewRecorder()
	f, err := Create("f", &Options{TypeSize: 4, ChunkSize: modelChunk, Sparse: sparse, FS: r, Meta: []meta.Layer{{Name: "z", Content: []byte("0123456789")}}})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, rng: rand.New(rand.NewPCG(seed, 3)), f: f, sameSize: seed%2 == 0}
	s.m = model{vl: map[string]string{}, meta: map[string]string{"z": "0123456789"}}
	s.committed = s.m.clone()
	var points []point
	var before *model
	for range steps {
		for range 1 + s.rng.IntN(3) {
			s.change()
		}
		p := point{from: len(r.Ops()), before: before}
		s.must(f.Commit(noContext))
		after := s.m.clone()
		p.to, p.after = len(r.Ops()), &after
		points = append(points, p)
		before = &after
	}
	s.must(f.Abort())
	return r.Ops(), points
}

// change runs one operation that changes the frame without a commit.
func (s *script) change() {
	n := len(s.m.chunks)
	switch op := s.rng.IntN(9); {
	case op < 3 || n == 0:
		d := s.data()
		_, err := s.f.Append(noContext, d)
		s.must(err)
		s.m.chunks = append(s.m.chunks, d)
	case op == 3:
		i, d := s.rng.IntN(n), s.data()
		s.must(s.f.Update(noContext, i, d))
		s.m.chunks[i] = d
	case op == 4:
		i := s.rng.IntN(n)
		s.must(s.f.Delete(noContext, i))
		s.m.chunks = append(s.m.chunks[:i:i], s.m.chunks[i+1:]...)
	case op == 5:
		s.special()
	case op == 8:
		s.arrange()
	default:
		s.layers()
	}
}

func TestEveryCrashLeavesTheStateBeforeOrAfterACommit(t *testing.T) {
	seeds, steps, samples := 4, 14, 6
	if testing.Short() {
		seeds, samples = 2, 2
	}
	for _, sparse := range []bool{false, true} {
		states := 0
		for seed := range uint64(seeds) {
			ops, points := record(t, sparse, seed, steps)
			rng := rand.New(rand.NewPCG(seed, 4))
			for k := range len(ops) + 1 {
				states += checkCrash(t, ops[:k], k, points, rng, samples)
			}
		}
		t.Logf("sparse=%v: %d crash states", sparse, states)
	}
}

// checkCrash opens every state that a crash after the first k operations may leave.
func checkCrash(t *testing.T, ops []storagetest.Op, k int, points []point, rng *rand.Rand, samples int) int {
	t.Helper()
	allowed := allowedAt(points, k)
	keeps := []func(int) bool{nil, func(int) bool { return false }}
	for range samples {
		share := rng.Float64()
		keeps = append(keeps, func(int) bool { return rng.Float64() < share })
	}
	for n, keep := range keeps {
		image := storagetest.Image(ops, keep)
		if err := oneOf(image, allowed); err != nil {
			for _, op := range ops[max(0, k-12):] {
				t.Log(op)
			}
			t.Fatalf("crash after operation %d, sample %d: %v", k, n, err)
		}
	}
	return len(keeps)
}

// allowedAt returns the states that may be found after k operations. A nil state stands for no
// frame.
func allowedAt(points []point, k int) []*model {
	allowed := []*model{nil}
	for _, p := range points {
		switch {
		case k <= p.from:
			return allowed
		case k < p.to:
			return []*model{p.before, p.after}
		}
		allowed = []*model{p.after}
	}
	return allowed
}

func oneOf(fsys storage.FS, allowed []*model) error {
	f, err := Open("f", &OpenOptions{FS: fsys})
	if err != nil {
		if _, statErr := fsys.Stat("f"); statErr != nil && allowed[0] == nil {
			return nil
		}
		return err
	}
	defer f.Close()
	for _, m := range allowed {
		if m == nil {
			continue
		}
		if err = m.differs(f.Snapshot()); err == nil {
			_, err := f.Snapshot().Verify(noContext)
			return err
		}
	}
	return fmt.Errorf("neither of the states: %w", err)
}

func TestNothingCommittedIsOverwritten(t *testing.T) {
	ops, points := record(t, false, 8, 40)
	frames := map[int][]byte{} // content of each file
	current := -1              // the file that currently has the path
	committed := int64(0)      // length of its frame
	next := 0
	for k, op := range ops {
		for next < len(points) && k >= points[next].to {
			next++
			if current >= 0 {
				h, err := format.ParseHeader(frames[current], int64(len(frames[current])))
				if err != nil {
					t.Fatal(err)
				}
				committed = h.FrameLen
			}
		}
		switch op.Kind {
		case storagetest.OpCreate:
			frames[op.File] = nil
		case storagetest.OpRename:
			current = fileNamed(ops[:k], op.Name)
		case storagetest.OpTruncate:
			if op.File == current && op.Offset < committed {
				t.Fatalf("operation %d cuts into %d committed bytes: %v", k, committed, op)
			}
		case storagetest.OpWrite:
			end := op.Offset + int64(len(op.Data))
			if op.File == current && op.Offset < committed && (op.Offset != 0 || end > atomicWrite) {
				t.Fatalf("operation %d writes into %d committed bytes: %v", k, committed, op)
			}
			b := frames[op.File]
			if int64(len(b)) < end {
				b = append(b, make([]byte, end-int64(len(b)))...)
			}
			copy(b[op.Offset:], op.Data)
			frames[op.File] = b
		}
	}
	if next < len(points)-1 || current < 0 {
		t.Fatalf("%d of %d commits seen", next, len(points))
	}
}

func fileNamed(ops []storagetest.Op, name string) int {
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].Kind == storagetest.OpCreate && ops[i].Name == name {
			return ops[i].File
		}
	}
	return -1
}

// TestCommitWithoutTheFirstSyncIsCaught omits the sync before the write of the header. The crash
// test must find a loss.
func TestCommitWithoutTheFirstSyncIsCaught(t *testing.T) {
	ops, points := record(t, false, 0, 14)
	var mutant []storagetest.Op
	shift := make([]int, len(ops)+1) // new position of each operation
	for k, op := range ops {
		shift[k] = len(mutant)
		beforeFlip := op.Kind == storagetest.OpSync && k+1 < len(ops) && ops[k+1].Kind == storagetest.OpWrite && ops[k+1].Offset == 0
		if !beforeFlip {
			mutant = append(mutant, op)
		}
	}
	shift[len(ops)] = len(mutant)
	if len(mutant) == len(ops) {
		t.Fatal("no commit switches by writing a header")
	}
	for i := range points {
		points[i].from, points[i].to = shift[points[i].from], shift[points[i].to]
	}
	rng := rand.New(rand.NewPCG(1, 5))
	lost := 0
	for k := range len(mutant) + 1 {
		for range 4 {
			image := storagetest.Image(mutant[:k], func(int) bool { return rng.IntN(2) == 0 })
			if oneOf(image, allowedAt(points, k)) != nil {
				lost++
			}
		}
	}
	if lost == 0 {
		t.Fatal("the crash test does not notice a missing sync")
	}
}

func TestFailuresLeaveTheFrameAsItWas(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for _, short := range []bool{false, true} {
			total := 0
			for failAt := 0; failAt <= total; failAt++ {
				fsys := &storagetest.Faults{FS: storage.NewMemory(), FailAt: failAt, Short: short}
				tried := tryAll(t, fsys, sparse)
				if failAt == 0 {
					total = tried
				}
			}
			if total < 30 {
				t.Fatalf("only %d operations", total)
			}
		}
	}
}

// tryAll makes a frame and changes it in three commits, while one operation of the file system
// fails. It returns the number of operations.
func tryAll(t *testing.T, fsys *storagetest.Faults, sparse bool) int {
	t.Helper()
	var states [][]string // content after each commit that may have succeeded
	var content []string
	f, err := Create("f", &Options{TypeSize: 1, ChunkSize: 40, Sparse: sparse, FS: fsys})
	if err != nil {
		return fsys.Count()
	}
	change := func(run func() error, apply func()) {
		before := f.NumChunks()
		if run() == nil {
			apply()
		} else if f.NumChunks() != before {
			t.Fatalf("a change that failed (operation %d) left %d chunks instead of %d", fsys.FailAt, f.NumChunks(), before)
		}
	}
	sure := []string(nil)
	exists := false
	commit := func() {
		states = append(states, append([]string(nil), content...))
		if f.Commit(noContext) == nil {
			sure, exists = append([]string(nil), content...), true
			states = nil
		}
	}
	for round := range 3 {
		for k := range 3 {
			d := bytes.Repeat([]byte{byte('a' + 3*round + k), 0, byte(k)}, 14)[:40]
			change(func() error { _, err := f.Append(noContext, d); return err }, func() { content = append(content, string(d)) })
		}
		if len(content) > 1 {
			d := bytes.Repeat([]byte{byte('A' + round), 1}, 20)
			change(func() error { return f.Update(noContext, 1, d) }, func() { content[1] = string(d) })
			change(func() error { return f.Delete(noContext, 0) }, func() { content = content[1:] })
			change(func() error { return f.AppendSpecial(noContext, chunk.SpecialZeros, 40) }, func() { content = append(content, string(make([]byte, 40))) })
		}
		commit()
	}
	states = append(states, append([]string(nil), content...))
	if f.Close() == nil && f.edit.failure == nil {
		sure, exists, states = content, true, nil
	}
	checkOutcome(t, fsys, append(states, sure), exists)
	return fsys.Count()
}

func checkOutcome(t *testing.T, fsys *storagetest.Faults, states [][]string, exists bool) {
	t.Helper()
	f, err := Open("f", &OpenOptions{FS: fsys.FS})
	if err != nil {
		if exists {
			t.Fatalf("operation %d failed, and the frame is gone: %v", fsys.FailAt, err)
		}
		return
	}
	defer f.Close()
	var got []string
	for i := range f.NumChunks() {
		b := make([]byte, 40)
		if _, err := f.ReadChunk(noContext, b, i); err != nil {
			t.Fatalf("operation %d failed: %v", fsys.FailAt, err)
		}
		got = append(got, string(b))
	}
	for _, want := range states {
		if fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
	}
	t.Fatalf("operation %d failed, and the frame holds none of the states that were committed: %q", fsys.FailAt, got)
}
