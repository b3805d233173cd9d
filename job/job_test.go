package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

func TestTasksMayRunAgain(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd", TaskBytes: 4000})
	if err := j.Seal(t.Context(), &SealOptions{FS: s.fs}); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("seal before work: %v", err)
	}
	last := j.plan.Tasks - 1
	s.work(j, last, 0, last)
	status, err := j.Status(t.Context())
	if err != nil || status.Done != 2 || status.Missing[0] != 1 || status.Sealing {
		t.Errorf("%+v %v", status, err)
	}
	if err := j.Work(t.Context(), Arrays(s.fs), &WorkOptions{Tasks: []int64{last + 1}}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a task too many: %v", err)
	}
	s.work(j)
	s.seal(j, "")
	s.seal(j, "")
	s.work(j) // changes nothing
	if status, err = j.Status(t.Context()); err != nil || !status.Sealed || status.Done != j.plan.Tasks {
		t.Errorf("%+v %v", status, err)
	}
	s.sameChunks("out.b2nd", "a.b2nd")
}

// TestSealFindsItsOutput seals again after a crash between the commit and the note of it.
func TestSealFindsItsOutput(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "b.b2nd"}}, Output: "out.b2nd", TaskBytes: 4000})
	s.work(j)
	s.seal(j, "")
	for _, path := range []string{"a.b2nd", "cube.b2nd", "out.b2nd"} {
		if err := j.bucket.Delete(t.Context(), j.name("sealed")); err != nil {
			t.Fatal(err)
		}
		err := j.Seal(t.Context(), &SealOptions{FS: s.fs, Path: path})
		if (err == nil) != (path == "out.b2nd") || err != nil && !errors.Is(err, cairn.ErrConflict) {
			t.Errorf("seal onto %s: %v", path, err)
		}
	}
}

func TestCancel(t *testing.T) {
	s := newSite(t)
	o := &Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd"}
	j := s.job(o)
	s.work(j)
	for range 2 {
		if err := j.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Work(t.Context(), Arrays(s.fs), nil); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("work: %v", err)
	}
	if err := j.Seal(t.Context(), &SealOptions{FS: s.fs}); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("seal: %v", err)
	}
	if _, err := s.fs.Stat("out.b2nd"); err == nil {
		t.Error("there is an output")
	}
	j = s.job(o)
	s.work(j)
	s.seal(j, "")
	if err := j.Cancel(t.Context()); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("cancel after the seal: %v", err)
	}
}

// unreadableFence is the bucket of a sealer that comes second, and whose storage fails when it
// reads the fence that the first one has put.
type unreadableFence struct {
	storage.Bucket
	first *Job
	put   bool
}

func (b *unreadableFence) Put(ctx context.Context, name string, data []byte, w storage.When) (storage.Object, error) {
	if strings.HasSuffix(name, "/fence") {
		b.put = true
		if _, err := b.first.raise(ctx, false); err != nil {
			return storage.Object{}, err
		}
	}
	return b.Bucket.Put(ctx, name, data, w)
}

func (b *unreadableFence) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	if strings.HasSuffix(name, "/fence") && b.put {
		return 0, storage.Object{}, errStorage
	}
	return b.Bucket.ReadStart(ctx, name, p)
}

// TestSealSaysThatStorageFails has storage fail between the fence of one sealer and the commit of
// another. There is no output yet, and nothing else at its path.
func TestSealSaysThatStorageFails(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd"})
	s.work(j)
	b := &unreadableFence{Bucket: j.bucket, first: j}
	second, err := Open(t.Context(), b, j.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = second.Seal(t.Context(), &SealOptions{FS: s.fs})
	if !errors.Is(err, errStorage) || errors.Is(err, cairn.ErrConflict) {
		t.Errorf("seal: %v", err)
	}
	s.seal(j, "")
}

func TestInputsArePinned(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd"})
	u, err := ndarray.Open("a.b2nd", &ndarray.OpenOptions{FS: s.fs, Mode: ndarray.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	err = u.Fill(t.Context(), 5, ndarray.Index(7), ndarray.Index(3))
	if err = errors.Join(err, u.Close()); err != nil {
		t.Fatal(err)
	}
	if err := j.Work(t.Context(), Arrays(s.fs), nil); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("work on a changed input: %v", err)
	}
}

// TestDamagedPartsAreMadeAgain flips every byte of a part in turn, and cuts it.
func TestDamagedPartsAreMadeAgain(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd", TaskBytes: 4000})
	s.work(j)
	keys, err := j.parts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := j.partName(1, keys[1].hash)
	whole, err := get(t.Context(), j.bucket, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 40 {
		bad := append([]byte(nil), whole...)
		if at := rand.IntN(len(bad)); k%4 == 0 {
			bad = bad[:at]
		} else if bad[at] ^= 1 << rand.IntN(8); k < 20 {
			bad[at], bad[k*3] = whole[at], whole[k*3]^1
		}
		if _, err := j.bucket.Put(t.Context(), name, bad, storage.When{}); err != nil {
			t.Fatal(err)
		}
		err := j.Seal(t.Context(), &SealOptions{FS: s.fs})
		if !errors.Is(err, cairn.ErrCorrupt) || !strings.Contains(err.Error(), "task 1") {
			t.Fatalf("seal with a damaged part: %v", err)
		}
		if _, err := j.bucket.Stat(t.Context(), name); err == nil {
			t.Fatal("the damaged part is still there")
		}
		s.work(j)
	}
	s.seal(j, "")
	s.sameChunks("out.b2nd", "a.b2nd")
}

func TestMemoryBoundsReads(t *testing.T) {
	s := newSite(t)
	s.put("big.b2nd", ndarray.Shape{2000, 2000}, ndarray.Shape{1, 2000}, ndarray.Shape{1, 2000},
		func(i int) float32 { return float32(i) })
	o := &Options{Inputs: []Input{{Path: "big.b2nd"}}, Output: "out.b2nd", ChunkShape: ndarray.Shape{2000, 1}, Workers: 1,
		Memory: 8 << 20}
	_, err := New(t.Context(), Arrays(s.fs), o)
	if !errors.Is(err, cairn.ErrLimit) || !strings.Contains(err.Error(), "would do") {
		t.Fatalf("too little memory: %v", err)
	}
	text := err.Error()
	if _, err := fmt.Sscanf(text[strings.LastIndex(text, ";")+1:], "%d would do", &o.Memory); err != nil {
		t.Fatal(text, err)
	}
	p, err := New(t.Context(), Arrays(s.fs), o)
	if err != nil || p.Reads > 1.5 || p.Memory > o.Memory {
		t.Errorf("%v: reads %g, memory %d", err, p.Reads, p.Memory)
	}
}

// TestChunksOfOthersNeedNoMemory plans a copy of ten million chunks: a worker makes some of them.
func TestChunksOfOthersNeedNoMemory(t *testing.T) {
	s := newSite(t)
	u, err := ndarray.CreateUntyped("many.b2nd", "<i4", ndarray.Shape{40e6}, &ndarray.Options{
		ChunkShape: ndarray.Shape{4}, BlockShape: ndarray.Shape{4}, FS: s.fs})
	if err == nil {
		err = u.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(t.Context(), Arrays(s.fs), &Options{Inputs: []Input{{Path: "many.b2nd"}}, Output: "out.b2nd",
		ChunkShape: ndarray.Shape{8}, Workers: 1, Memory: 250 << 20})
	if err != nil || p.Memory > 250<<20 || len(p.JSON()) > 4000 {
		t.Fatalf("%v: %d bytes of memory, a plan of %d", err, p.Memory, len(p.JSON()))
	}
}

// TestStaleClaimsAreTakenOver leaves the claim of a worker that was killed.
func TestStaleClaimsAreTakenOver(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd", TaskBytes: 4000})
	if _, err := j.bucket.Put(t.Context(), j.claimName(1), []byte("somebody 1\n"), storage.When{}); err != nil {
		t.Fatal(err)
	}
	if status, err := j.Status(t.Context()); err != nil || status.Running != 1 {
		t.Errorf("%+v %v", status, err)
	}
	var order []int64
	err := j.Work(t.Context(), Arrays(s.fs), &WorkOptions{Lease: 1e6, Progress: func(task int64) { order = append(order, task) }})
	if err != nil || int64(len(order)) != j.plan.Tasks || order[len(order)-1] != 1 {
		t.Errorf("%v: tasks %v", err, order)
	}
}

func TestPartialWorkEnds(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd", TaskBytes: 4000})
	ctx, cancel := context.WithCancel(t.Context())
	err := j.Work(ctx, Arrays(s.fs), &WorkOptions{Progress: func(int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled work: %v", err)
	}
	s.work(j)
	s.seal(j, "")
}

// TestRemove removes jobs that have ended, and no other.
func TestRemove(t *testing.T) {
	s := newSite(t)
	o := &Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd", TaskBytes: 4000}
	j := s.job(o)
	for range 2 {
		if err := j.Remove(t.Context()); !errors.Is(err, cairn.ErrConflict) {
			t.Errorf("remove before the end: %v", err)
		}
		s.work(j)
	}
	for _, end := range []func(){func() { s.seal(j, "") }, func() {
		if err := j.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	}} {
		end()
		if err := j.Remove(t.Context()); err != nil {
			t.Error(err)
		}
		for at := range j.bucket.List(t.Context(), under(j.dir, "")) {
			t.Errorf("%s is left", at.Name)
		}
		if _, err := Open(t.Context(), j.bucket, j.dir, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open after remove: %v", err)
		}
		o.Output = "other.b2nd"
		j = s.job(o)
		s.work(j, 0)
	}
}

func TestMistakesOfCallersAreInvalid(t *testing.T) {
	s := newSite(t)
	good := Options{Inputs: []Input{{Path: "a.b2nd"}}, Output: "out.b2nd"}
	for name, change := range map[string]func(o *Options){
		"workers": func(o *Options) { o.Workers = -1 }, "memory": func(o *Options) { o.Memory = -1 },
		"bytes of a task": func(o *Options) { o.TaskBytes = -1 }, "reads": func(o *Options) { o.MaxReads = -1 },
		"kind": func(o *Options) { o.Kind = "move" }, "no inputs": func(o *Options) { o.Inputs = nil },
		"no output": func(o *Options) { o.Output = "" }, "level": func(o *Options) { o.Level = 10 },
		"chunks":         func(o *Options) { o.ChunkShape = ndarray.Shape{-1} },
		"a syntax error": func(o *Options) { o.Kind, o.Expression, o.Inputs[0].Name = Calc, "a +", "a" },
	} {
		o := good
		o.Inputs = slices.Clone(good.Inputs)
		change(&o)
		if _, err := New(t.Context(), Arrays(s.fs), &o); !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
