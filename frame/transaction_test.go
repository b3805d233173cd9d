package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

var errInside = errors.New("inside")

func TestAtomicallyIsAllOrNothing(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for _, fresh := range []bool{false, true} {
			m := storage.NewMemory()
			f := must(Create("f", &Options{TypeSize: 4, FS: m, Sparse: sparse}))
			must(f.Append(noContext, ramp(100, 0)))
			if !fresh {
				must(0, f.Commit(noContext))
			}
			must(f.Append(noContext, ramp(100, 1))) // staged before
			held := f.Snapshot()
			err := f.Atomically(noContext, func() error {
				must(f.Append(noContext, ramp(100, 2)))
				must(0, f.Delete(noContext, 0))
				must(0, f.SetVL("v", []byte("x")))
				_, compacted := f.Compact(noContext)
				for _, err := range []error{f.Commit(noContext), f.Rollback(), f.Close(), f.Adopt(noContext), compacted} {
					if !errors.Is(err, cairn.ErrConflict) {
						t.Errorf("inside: %v", err)
					}
				}
				return errInside
			})
			want := model{chunks: [][]byte{ramp(100, 0), ramp(100, 1)}, vl: map[string]string{}, meta: map[string]string{}}
			if !errors.Is(err, errInside) {
				t.Fatal(err)
			}
			for _, v := range []*Snapshot{f.Snapshot(), held} {
				if err := want.differs(v); err != nil {
					t.Fatalf("sparse=%v, fresh=%v: %v", sparse, fresh, err)
				}
			}
			must(0, f.Atomically(noContext, func() error {
				must(f.Append(noContext, ramp(100, 3)))
				return f.SetVL("v", []byte("y"))
			}))
			want.chunks, want.vl = append(want.chunks, ramp(100, 3)), map[string]string{"v": "y"}
			must(0, f.Abort()) // Atomically has committed
			g := must(Open("f", &OpenOptions{FS: m}))
			if err := want.differs(g.Snapshot()); err != nil {
				t.Fatalf("sparse=%v, fresh=%v: %v", sparse, fresh, err)
			}
			must(g.Snapshot().Verify(noContext))
			mustClose(t, g)
		}
	}
}

func TestAtomicallyGivesUpWithItsContextAndAPanic(t *testing.T) {
	f := must(New(&Options{TypeSize: 4}))
	must(f.Append(noContext, ramp(10, 0)))
	ctx, cancel := context.WithCancel(noContext)
	err := f.Atomically(ctx, func() error {
		must(f.Append(noContext, ramp(10, 1)))
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || f.NumChunks() != 1 {
		t.Fatalf("%v, %d chunks", err, f.NumChunks())
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_ = f.Atomically(noContext, func() error {
			must(f.Append(noContext, ramp(10, 1)))
			panic("inside")
		})
	}()
	if f.NumChunks() != 1 {
		t.Fatalf("%d chunks after a panic", f.NumChunks())
	}
	must(0, f.Commit(noContext))
	mustClose(t, f)
}

// TestCommitsCompactMostlyDeadFrames replaces one chunk repeatedly.
func TestCommitsCompactMostlyDeadFrames(t *testing.T) {
	for _, off := range []bool{false, true} {
		m := storage.NewMemory()
		f := must(Create("f", &Options{FS: m, Level: chunk.Stored, Commits: Commits{NoCompact: off}}))
		data := make([]byte, 1<<20)
		must(f.Append(noContext, data))
		must(f.Append(noContext, bytes.Repeat([]byte{7}, 1<<20)))
		must(0, f.Commit(noContext))
		first := f.Snapshot()
		most := int64(0)
		for i := range 24 {
			data[0], data[1] = byte(i+1), 9
			must(0, f.Update(noContext, 0, data))
			must(0, f.Commit(noContext))
			most = max(most, f.Info().FrameLen)
		}
		if limit := int64(13 << 20); (most > limit) != off {
			t.Fatalf("NoCompact=%v: the frame had up to %d bytes", off, most)
		}
		old := make([]byte, 1<<20)
		must(first.ReadChunk(noContext, old, 1))
		if must(first.ReadChunk(noContext, old, 0)); old[0] != 0 {
			t.Fatal("a snapshot changed")
		}
		c := must(f.Compact(noContext))
		if c.After >= 3<<20 || c.Before < c.After || c.After != f.Info().FrameLen || off && c.Before < 24<<20 {
			t.Fatalf("compaction: %+v", c)
		}
		mustClose(t, f)
		r, err := Verify(noContext, "f", &OpenOptions{FS: m})
		if err != nil || r.Dead != 0 || r.Info.Verdict != Verified {
			t.Fatalf("%v, %+v", err, r)
		}
	}
}

// TestDamagedChunksStopCompactionButNotCommits damages a chunk that is not replaced.
func TestDamagedChunksStopCompactionButNotCommits(t *testing.T) {
	good, second := trusted(t)
	good[second+40] ^= 1
	f := must(FromBytes(good, &OpenOptions{Mode: ReadWrite}))
	var ce *cairn.CorruptError
	if _, err := f.Compact(noContext); !errors.Is(err, cairn.ErrChecksum) || !errors.As(err, &ce) || ce.Chunk != 1 {
		t.Fatalf("compaction: %v", err)
	}
	must(f.Append(noContext, ramp(100, 9)))
	must(0, f.Commit(noContext))
	if _, err := f.ReadChunk(noContext, make([]byte, 400), 1); !errors.Is(err, cairn.ErrChecksum) {
		t.Fatalf("after a commit: %v", err)
	}
	must(0, f.Update(noContext, 1, ramp(100, 5)))
	must(f.Compact(noContext))
	must(f.Snapshot().Verify(noContext))
	mustClose(t, f)
}

// TestLeftoversAreSwept opens frames beside files that killed writers left.
func TestLeftoversAreSwept(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		m := storage.NewMemory()
		f := must(Create("f", &Options{TypeSize: 4, FS: m, Sparse: sparse}))
		must(f.Append(noContext, ramp(100, 0)))
		mustClose(t, f)
		files := []string{"f.tmp-0", "f.tmp-x", "other.tmp-0"}
		if sparse {
			files = append(files, "f/00000007.chunk", "f/chunks.b2frame.tmp", "f/readme")
		} else {
			file := must(m.OpenRW("f"))
			must(file.WriteAt([]byte("tail"), must(file.Size())))
			must(0, file.Close())
		}
		must(0, m.Mkdir("f.tmp-12"))
		for _, name := range files {
			put(t, m, name, []byte("x"))
		}
		mustClose(t, must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite})))
		if _, err := m.Stat("f.tmp-0"); err != nil {
			t.Fatal("swept without being asked to")
		}
		mustClose(t, must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite, Sweep: true})))
		var left []string
		for _, dir := range []string{".", "f"} {
			entries, err := m.ReadDir(dir)
			if err != nil && dir == "." {
				t.Fatal(err)
			}
			for _, e := range entries {
				left = append(left, e.Name)
			}
		}
		want := "[f f.tmp-x other.tmp-0]"
		if sparse {
			want = "[f f.tmp-x other.tmp-0 00000000.chunk chunks.b2frame readme]"
		} else if f := must(m.Open("f")); must(f.Size()) != must(format.ParseHeader(content(t, m, "f"),
			1<<20)).FrameLen {
			t.Fatal("bytes are left behind the frame")
		}
		if fmt.Sprint(left) != want {
			t.Fatalf("left: %v", left)
		}
		must(Verify(noContext, "f", &OpenOptions{FS: m}))
	}
}

// TestDurabilities crashes frames whose commits do not wait for everything.
func TestDurabilities(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for _, d := range []Durability{Full, Ordered, None} {
			r := storagetest.NewRecorder()
			f := must(Create("f", &Options{TypeSize: 4, FS: r, Sparse: sparse, Commits: Commits{Durability: d}}))
			w := model{vl: map[string]string{}, meta: map[string]string{}}
			states, ends := []*model{nil}, []int{0}
			for i := range 5 {
				must(f.Append(noContext, ramp(60, i)))
				w.chunks = append(w.chunks, ramp(60, i))
				if i > 0 {
					must(0, f.Update(noContext, 0, ramp(60, 100*i)))
					w.chunks[0] = ramp(60, 100*i)
				}
				must(0, f.Commit(noContext))
				state := w.clone()
				states, ends = append(states, &state), append(ends, len(r.Ops()))
			}
			must(0, f.Abort())
			log, tried := storagetest.NewLog(r.Ops()), 0
			for c := range log.Crashes(storagetest.FullSweep(uint64(d), 3), 0, len(r.Ops())) {
				if d == None && c.Model == storagetest.PowerLoss {
					continue
				}
				if tried++; testing.Short() && tried%4 != 0 {
					continue
				}
				last, done := 0, c.At // number of the last committed state at the crash
				if c.Model == storagetest.Torn {
					done-- // its last operation was not done
				}
				for last+1 < len(ends) && ends[last+1] <= done {
					last++
				}
				allowed := states[:min(last+2, len(states))]
				if d == Full || c.Model != storagetest.PowerLoss {
					allowed = allowed[last:]
				}
				if err := oneOf(log.Image(c), allowed); err != nil {
					t.Fatalf("sparse=%v, durability %d, crash %v: %v", sparse, d, c, err)
				}
			}
			if tried < 50 {
				t.Fatalf("%d crashes", tried)
			}
		}
	}
}
