package job

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// placed plans a case whose output is in a bucket.
func (s *site) placed(name string) (j *Job, b storage.Bucket, fsys storage.FS) {
	s.t.Helper()
	o := *s.cases()[name].o
	o.Output, o.TaskBytes, o.MaxReads = "arrays/out", 8000, 20
	j = s.job(&o)
	b = s.bucket(fmt.Sprintf("far-%p", j))
	fsys = storage.BucketFS(s.t.Context(), b)
	j.Place(fsys)
	return j, b, fsys
}

// chunksOf returns the objects of chunks in a bucket.
func (s *site) chunksOf(b storage.Bucket) (names []string) {
	s.t.Helper()
	for at, err := range b.List(s.t.Context(), "arrays/out/") {
		if err != nil {
			s.t.Fatal(err)
		}
		if at.Name[len(at.Name)-6:] == ".chunk" {
			names = append(names, at.Name)
		}
	}
	return names
}

// TestSealRefersToChunks seals outputs in a bucket: workers put the chunks, and Seal none.
func TestSealRefersToChunks(t *testing.T) {
	for name, c := range newSite(t).cases() {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			j, b, fsys := s.placed(name)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if err := j.Work(t.Context(), Arrays(s.fs), nil); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			before := s.chunksOf(b)
			for range min(2, j.plan.Tasks) { // a part that is made again is the same
				parts, err := j.parts(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if err := j.bucket.Delete(t.Context(), j.partName(0, parts[0].hash)); err != nil {
					t.Fatal(err)
				}
				s.work(j, 0)
			}
			for range 2 {
				if err := j.Seal(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if err := j.bucket.Delete(t.Context(), j.name("sealed")); err != nil {
					t.Fatal(err)
				}
			}
			if after := s.chunksOf(b); len(after) != len(before) && j.plan.Kind != Reduce {
				t.Errorf("%d chunks after the seal, %d before", len(after), len(before))
			}
			s.sameAsSaved(c.o, c.save, fsys)
		})
	}
}

// sameAsSaved compares the output in a bucket with a copy in one process.
func (s *site) sameAsSaved(o *Options, save *ndarray.CopyOptions, fsys storage.FS) {
	s.t.Helper()
	made, err := ndarray.Open("arrays/out", &ndarray.OpenOptions{FS: fsys})
	if err != nil {
		s.t.Fatal(err)
	}
	defer made.Close()
	if err := ndarray.Save(s.t.Context(), "got.b2nd", made, &ndarray.CopyOptions{FS: s.fs}); err != nil {
		s.t.Fatal(err)
	}
	options := ndarray.CopyOptions{}
	if save != nil {
		options = *save
	}
	options.FS = s.fs
	if err := ndarray.Save(s.t.Context(), "want.b2nd", s.source(o), &options); err != nil {
		s.t.Fatal(err)
	}
	s.sameChunks("got.b2nd", "want.b2nd")
	if report, err := made.Frame().Verify(s.t.Context()); err != nil || len(report.Faults) > 0 {
		s.t.Errorf("%v %v", report, err)
	}
}

// TestSealNeedsItsChunks removes chunks, cuts one, and seals elsewhere.
func TestSealNeedsItsChunks(t *testing.T) {
	s := newSite(t)
	j, b, _ := s.placed("take over")
	s.work(j)
	if err := j.Seal(t.Context(), &SealOptions{Path: "arrays/other"}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("seal to another path: %v", err)
	}
	if err := j.Seal(t.Context(), &SealOptions{FS: s.fs, Path: "out.b2nd"}); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("seal to a file: %v", err)
	}
	parts, err := j.parts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first := s.firstDeposit(j, parts[0])
	name := fmt.Sprintf("arrays/out/%016x.chunk", first.Entry)
	whole, err := get(t.Context(), b, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{nil, whole[:len(whole)-1]} {
		if err := b.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if content != nil {
			if _, err := b.Put(t.Context(), name, content, storage.When{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Seal(t.Context(), nil); !errors.Is(err, cairn.ErrCorrupt) {
			t.Fatalf("seal without a chunk: %v", err)
		}
		if _, err := b.Stat(t.Context(), "arrays/out/root"); err == nil {
			t.Fatal("sealed without a chunk")
		}
		s.work(j)
	}
	if err := j.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c := s.cases()["take over"]
	s.sameAsSaved(c.o, c.save, j.output)
}

// firstDeposit returns the first deposit of the first task.
func (s *site) firstDeposit(j *Job, key partKey) inside.Deposit {
	s.t.Helper()
	chunks, err := j.fetch(s.t.Context(), 0, key.hash, 1<<20, nil)
	if err != nil || chunks[0].object == 0 {
		s.t.Fatalf("no deposit: %v", err)
	}
	return chunks[0].deposit()
}

func TestNamesOfObjects(t *testing.T) {
	j := &Job{plan: &Plan{ID: "id", Tasks: 1_234_568}, dir: "dir"}
	const task = 1_234_567
	part := j.partName(task, 0xabc)
	if got, hash, ok := j.taskOf(part, partPrefix); part != "dir/id/part/0001234/0001234567.0000000000000abc" ||
		got != task || hash != 0xabc || !ok {
		t.Errorf("%s: %d %x %v", part, got, hash, ok)
	}
	if got, _, ok := j.taskOf(j.claimName(task), claimPrefix); got != task || !ok {
		t.Errorf("%s: %d %v", j.claimName(task), got, ok)
	}
	for _, name := range []string{"", "dir/id/part/", "dir/id/part/0001234/0001234567", "dir/id/part/0001234/0001234567.",
		"dir/id/part/0001234/0001234567.0000000000000ABC", "dir/id/part/0001234/0001234567.00000000000000abc",
		"dir/id/part/0001235/0001234567.0000000000000abc", "dir/id/part/0001234/0001234568.0000000000000abc",
		"dir/id/part/0001234/+001234567.0000000000000abc", "dir/id/part/0001234-0001234567.0000000000000abc",
		"dir/id/claim/0001234/0001234567"} {
		if got, _, ok := j.taskOf(name, partPrefix); ok {
			t.Errorf("%q is of task %d", name, got)
		}
	}
}
