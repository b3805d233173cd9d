package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// loneFS is a file system whose files have no other reader.
type loneFS struct{ storage.FS }

type loneFile struct{ storage.File }

func (f loneFile) Alone() bool { return true }

func (l loneFS) Create(name string) (storage.File, error) {
	f, err := l.FS.Create(name)
	return loneFile{f}, err
}

func (l loneFS) OpenRW(name string) (storage.File, error) {
	f, err := l.FS.OpenRW(name)
	return loneFile{f}, err
}

// reuseSoon makes a frame store chunks of any size where others were, as soon as possible.
func reuseSoon(f *Frame) {
	if w, ok := f.edit.writer.(*contiguousWriter); ok && w.space != nil {
		w.space.Least = 1
		w.space.Wait = 1
		w.space.Grain = 8
	}
}

// overDead counts the writes into the frame that was committed last, besides those of headers.
func overDead(ops []storagetest.Op, points []point) int {
	n := 0
	length := map[int]int64{}
	committed := map[int]int64{}
	next := 0
	for k, op := range ops {
		for next < len(points) && k >= points[next].to {
			next++
			for file, end := range length {
				committed[file] = end
			}
		}
		switch op.Kind {
		case storagetest.OpTruncate:
			length[op.File] = min(length[op.File], op.Offset)
		case storagetest.OpWrite:
			if op.Offset >= atomicWrite && op.Offset < committed[op.File] {
				n++
			}
			length[op.File] = max(length[op.File], op.Offset+int64(len(op.Data)))
		}
	}
	return n
}

// recordReuse replaces chunks of a frame again and again. early is called after every commit.
func recordReuse(t *testing.T, c Commits, seed uint64, steps int, early func(f *Frame)) ([]storagetest.Op, []point) {
	r := storagetest.NewRecorder()
	f, err := Create("f", &Options{TypeSize: 4, ChunkSize: modelChunk, FS: loneFS{r}, Commits: c})
	if err != nil {
		t.Fatal(err)
	}
	reuseSoon(f)
	s := &script{t: t, rng: rand.New(rand.NewPCG(seed, 3)), f: f, sameSize: true}
	s.m = model{vl: map[string]string{}, meta: map[string]string{}}

	var points []point
	var before *model
	for range steps {
		for range 1 + s.rng.IntN(3) {
			n := len(s.m.chunks)
			d := s.data()
			if n < 6 {
				_, err := f.Append(noContext, d)
				s.must(err)
				s.m.chunks = append(s.m.chunks, d)
				continue
			}
			i := s.rng.IntN(n)
			s.must(f.Update(noContext, i, d))
			s.m.chunks[i] = d
			if s.rng.IntN(12) == 0 {
				s.must(f.Rollback())
				s.m = before.clone()
			}
		}

		p := point{from: len(r.Ops()), before: before}
		s.must(f.Commit(noContext))
		early(f)
		after := s.m.clone()
		p.to, p.after = len(r.Ops()), &after
		if p.to > p.from {
			points = append(points, p)
			before = &after
		}
	}
	s.must(f.Abort())
	return r.Ops(), points
}

// allowedLate returns the states that may be found after k operations if the header of the last
// commit may be missing until the next one syncs.
func allowedLate(points []point, k int) []*model {
	allowed := allowedAt(points, k)
	for i, p := range points {
		if k <= p.from {
			break
		}
		allowed = []*model{p.before, p.after}
		if i > 0 && k < p.to {
			allowed = append(allowed, points[i-1].before)
		}
	}
	return allowed
}

// crashesOfReuse returns how many states crashes may leave, and how many of them are not allowed.
func crashesOfReuse(ops []storagetest.Op, points []point, c Commits, seed uint64, samples int) (states int, lost error) {
	rng := rand.New(rand.NewPCG(seed, 9))
	allowed := allowedAt
	if c.Durability == Ordered {
		allowed = allowedLate
	}
	for k := range len(ops) + 1 {
		for n := range samples {
			share := float64(n) / float64(samples-1)
			image := storagetest.Image(ops[:k], func(int) bool { return rng.Float64() < share })
			if err := oneOf(image, allowed(points, k)); err != nil {
				lost = fmt.Errorf("crash after operation %d of %v, sample %d: %w", k, ops[max(0, k-12):k], n, err)
			}
			states++
		}
	}
	return states, lost
}

// TestEveryCrashOfReuse is TestEveryCrashLeavesTheStateBeforeOrAfterACommit for commits that store
// chunks where replaced ones were.
func TestEveryCrashOfReuse(t *testing.T) {
	seeds, samples := 6, 6
	if testing.Short() {
		seeds, samples = 2, 3
	}
	for _, durability := range []Durability{Full, Ordered} {
		states := 0
		again := 0
		for seed := range uint64(seeds) {
			c := Commits{Durability: durability, Deterministic: seed%4 == 1, NoCompact: seed%2 == 1}
			ops, points := recordReuse(t, c, seed, 40, func(*Frame) {})
			again += overDead(ops, points)
			n, err := crashesOfReuse(ops, points, c, seed, samples)
			if err != nil {
				t.Fatal(err)
			}
			states += n
		}
		t.Logf("durability %d: %d crash states, %d writes over dead bytes", durability, states, again)
		if again < 10*seeds {
			t.Fatalf("only %d writes over dead bytes", again)
		}
	}
}

// TestReuseTooEarlyIsCaught frees bytes that the header on the disk may still need. The crash test
// must find a loss.
func TestReuseTooEarlyIsCaught(t *testing.T) {
	c := Commits{Durability: Ordered}
	for seed := range uint64(8) {
		ops, points := recordReuse(t, c, seed, 40, func(f *Frame) {
			w := f.edit.writer.(*contiguousWriter)
			w.space.Least = math.MaxInt64
			w.space.Store(0, 1<<20) // makes a sweep due, and nothing else
			w.space.Least = 1
			w.sweep(f.edit.committed, afterCommit, func() bool { return true })
		})
		if _, err := crashesOfReuse(ops, points, c, seed, 6); err != nil {
			return
		}
	}
	t.Fatal("the crash test does not notice that bytes are overwritten too early")
}

// TestSnapshotsOutliveReuse holds snapshots, also of states that are rolled back, while chunks are
// stored where others were.
func TestSnapshotsOutliveReuse(t *testing.T) {
	for seed := range uint64(9) {
		var fsys storage.FS = loneFS{storagetest.NewRecorder()}
		if seed >= 6 {
			fsys = storage.NewMemory()
		}
		f, err := Create("f", &Options{TypeSize: 4, ChunkSize: modelChunk, FS: fsys})
		if err != nil {
			t.Fatal(err)
		}
		reuseSoon(f)
		s := &script{t: t, rng: rand.New(rand.NewPCG(seed, 7)), f: f, sameSize: seed%2 == 0}
		s.m = model{vl: map[string]string{}, meta: map[string]string{}}
		s.committed = s.m.clone()

		type held struct {
			*Snapshot
			want model
		}
		var snapshots []held
		for range 60 {
			s.change()
			if s.rng.IntN(8) == 0 {
				snapshots = append(snapshots, held{f.Snapshot(), s.m.clone()})
			}
			switch s.rng.IntN(5) {
			case 0:
				s.must(f.Rollback())
				s.m = s.committed.clone()
			case 1, 2, 3:
				s.must(f.Commit(noContext))
				s.committed = s.m.clone()
			}
			if len(snapshots) > 3 {
				snapshots = nil
				runtime.GC()
			}
			for _, h := range append(snapshots, held{f.Snapshot(), s.m}) {
				s.must(h.want.differs(h.Snapshot))
				if _, err := h.Verify(noContext); err != nil {
					t.Fatal(err)
				}
			}
			if s.rng.IntN(3) == 0 {
				runtime.GC() // so that the snapshots that nobody holds do not keep everything
			}
		}
		s.must(f.Abort())
	}
}

// stamped returns a chunk of noise in which every item tells the commit.
func stamped(i, commit int) []byte { return stampedOf(64<<10, i, commit) }

func stampedOf(size, i, commit int) []byte {
	b := make([]byte, size)
	rng := rand.New(rand.NewPCG(uint64(i), uint64(commit)))
	for k := 0; k < len(b); k += 8 {
		binary.LittleEndian.PutUint64(b[k:], rng.Uint64()&^0xffff|uint64(commit))
	}
	return b
}

// rewriteAll replaces some chunks of a frame in each of several commits.
func rewriteAll(t *testing.T, f *Frame, from, to int) {
	t.Helper()
	for k := from; k < to; k++ {
		for i := range f.NumChunks() {
			if err := f.Update(noContext, i, stamped(i, k)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Commit(noContext); err != nil {
			t.Fatal(err)
		}
	}
}

func newStamped(t *testing.T, path string, c Commits) *Frame {
	t.Helper()
	f, err := Create(path, &Options{TypeSize: 8, Level: chunk.Stored, ChunkSize: 64 << 10, Commits: c})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		if _, err := f.Append(noContext, stamped(i, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReuseOfAFile checks that a file stops to grow unless another handle has it open, and that
// such a handle keeps its state.
func TestReuseOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.b2frame")
	none := Commits{Durability: None, NoCompact: true}
	f := newStamped(t, path, none)
	defer f.Abort()
	length := func() int64 { return f.Info().FrameLen }

	if f.edit.liveStates == nil {
		t.Fatal("files cannot tell who has them open")
	}
	other, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := length()
	rewriteAll(t, f, 1, 8)
	if grown := length() - before; grown < 7*32*64<<10 {
		t.Fatalf("the file has grown by %d bytes while another handle reads it", grown)
	}
	b := make([]byte, 64<<10)
	for i := range other.NumChunks() {
		if _, err := other.ReadChunk(noContext, b, i); err != nil || !bytes.Equal(b, stamped(i, 0)) {
			t.Fatalf("chunk %d of the other handle has changed: %v", i, err)
		}
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}

	file, err := storage.OS().OpenRW(path)
	if err != nil {
		t.Fatal(err)
	}
	w := f.edit.writer.(*contiguousWriter)
	if w.file.(loner).Alone() {
		t.Fatal("two handles are open")
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if alone := w.file.(loner).Alone(); alone != (runtime.GOOS == "linux") {
		t.Fatalf("the only handle is alone: %v", alone)
	} else if !alone {
		return // this system does not tell
	}

	before = length()
	rewriteAll(t, f, 8, 20)
	if grown := length() - before; grown > 3*32*64<<10 {
		t.Fatalf("the file has grown by %d bytes in 12 commits, though nobody else reads it", grown)
	}
	again, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for i := range again.NumChunks() {
		if _, err := again.ReadChunk(noContext, b, i); err != nil || !bytes.Equal(b, stamped(i, 19)) {
			t.Fatalf("chunk %d: %v", i, err)
		}
	}
	report, err := again.Verify(noContext)
	if err != nil || len(report.Overlap) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
}

// TestNoReuse checks the option.
func TestNoReuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.b2frame")
	f := newStamped(t, path, Commits{Durability: None, NoCompact: true, NoReuse: true})
	defer f.Abort()
	before := f.Info().FrameLen
	rewriteAll(t, f, 1, 8)
	if grown := f.Info().FrameLen - before; grown < 7*32*64<<10 {
		t.Fatalf("the file has grown by %d bytes only", grown)
	}
}
