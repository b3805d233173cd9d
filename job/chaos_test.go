package job

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// errStorage is what a faulty bucket fails with.
var errStorage = errors.New("the storage failed")

// A faulty bucket is that of one process: some requests fail, before or after they have happened,
// and from some request on all do, as if the process had been killed.
type faulty struct {
	storage.Bucket
	mu    sync.Mutex
	rand  *rand.Rand
	left  int           // requests until the process is killed
	pause chan struct{} // a request that was chosen waits for it to be closed; nil for none
	at    int           // that request counts down to 0
}

// meet decides what happens to a request.
func (f *faulty) meet(ctx context.Context) (before, after bool) {
	f.mu.Lock()
	f.left--
	f.at--
	waits, dead := f.pause != nil && f.at == 0, f.left < 0
	before, after = dead || f.rand.IntN(40) == 0, f.rand.IntN(40) == 0
	f.mu.Unlock()
	if waits {
		select {
		case <-f.pause:
		case <-ctx.Done():
		}
	}
	return before, after
}

func (f *faulty) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	before, after := f.meet(ctx)
	if before {
		return storage.Object{}, errStorage
	}
	at, err := f.Bucket.Put(ctx, name, data, when)
	if after && err == nil {
		err = errStorage
	}
	return at, err
}

func (f *faulty) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	if before, _ := f.meet(ctx); before {
		return 0, storage.Object{}, errStorage
	}
	return f.Bucket.ReadStart(ctx, name, p)
}

func (f *faulty) Delete(ctx context.Context, name string) error {
	if before, _ := f.meet(ctx); before {
		return errStorage
	}
	return f.Bucket.Delete(ctx, name)
}

func (f *faulty) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	if before, _ := f.meet(ctx); before {
		return func(yield func(storage.Object, error) bool) { yield(storage.Object{}, errStorage) }
	}
	return f.Bucket.List(ctx, prefix)
}

// TestChaos runs workers and sealers that are killed, paused, doubled and cancelled, over storage
// that fails. Whatever happens, there is either no output or the right one, and a cancelled job has
// none.
func TestChaos(t *testing.T) {
	runs := uint64(150)
	if testing.Short() {
		runs = 20
	}
	s := newSite(t)
	o := Options{Inputs: []Input{{Path: "b.b2nd"}}, ChunkShape: []int64{20, 60}, Output: "right.b2nd", TaskBytes: 4000,
		Workers: 1}
	right := s.job(&o)
	s.work(right)
	s.seal(right, "")
	want := s.read("right.b2nd")
	sealed := 0
	for seed := range runs {
		o.Output = fmt.Sprintf("out%d.b2nd", seed)
		c := &chaos{site: s, job: s.job(&o), rand: rand.New(rand.NewPCG(seed, 1)), out: o.Output}
		c.run()
		got := ""
		if _, err := s.fs.Stat(c.out); err == nil {
			got = s.read(c.out)
			sealed++
		}
		switch {
		case got != "" && got != want:
			t.Fatalf("seed %d: sealed another output", seed)
		case (got != "") == c.cancelled:
			t.Fatalf("seed %d: the job is cancelled: %v, and has an output: %v", seed, c.cancelled, got != "")
		}
	}
	if sealed < int(runs)/2 || sealed == int(runs) {
		t.Errorf("%d of %d jobs were sealed", sealed, runs)
	}
}

// TestChaosInABucket is TestChaos for an output in a bucket that fails as well.
func TestChaosInABucket(t *testing.T) {
	runs := uint64(60)
	if testing.Short() {
		runs = 10
	}
	s := newSite(t)
	o := Options{Inputs: []Input{{Path: "b.b2nd"}}, ChunkShape: []int64{20, 60}, Output: "right.b2nd", TaskBytes: 4000,
		Workers: 1}
	right := s.job(&o)
	s.work(right)
	s.seal(right, "")
	sealed := 0
	for seed := range runs {
		o.Output = "out"
		c := &chaos{site: s, job: s.job(&o), rand: rand.New(rand.NewPCG(seed, 3)), far: s.bucket(fmt.Sprint("far", seed))}
		c.job.Place(storage.BucketFS(t.Context(), c.far))
		c.run()
		made, err := ndarray.Open("out", &ndarray.OpenOptions{FS: c.job.output})
		if (err == nil) == c.cancelled {
			t.Fatalf("seed %d: the job is cancelled: %v, and its output: %v", seed, c.cancelled, err)
		}
		if err != nil {
			continue
		}
		sealed++
		got := fmt.Sprintf("got%d.b2nd", seed)
		if err := errors.Join(ndarray.Save(t.Context(), got, made, &ndarray.CopyOptions{FS: s.fs}), made.Close()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s.sameChunks(got, "right.b2nd")
	}
	if sealed < int(runs)/2 {
		t.Errorf("%d of %d jobs were sealed", sealed, runs)
	}
}

type chaos struct {
	*site
	job       *Job
	far       storage.Bucket // of the output; nil if it is a file
	rand      *rand.Rand
	out       string
	cancelled bool
}

// process returns the job as a process sees it that lives for some requests.
func (c *chaos) process(pause chan struct{}) *Job {
	f := &faulty{Bucket: c.job.bucket, rand: rand.New(rand.NewPCG(c.rand.Uint64(), 2)), left: 5 + c.rand.IntN(120),
		pause: pause, at: 1 + c.rand.IntN(60)}
	j := &Job{plan: c.job.plan, bucket: f, dir: c.job.dir}
	if c.far != nil { // a commit waits ten seconds for a store that is gone, so this one is not
		j.Place(storage.BucketFS(c.t.Context(), &faulty{Bucket: c.far, rand: rand.New(rand.NewPCG(c.rand.Uint64(), 4)),
			left: math.MaxInt}))
	}
	return j
}

// run lets processes work on the job until it is sealed or cancelled.
func (c *chaos) run() {
	pause := make(chan struct{})
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	var late sync.WaitGroup
	for range 3 { // these may sleep until after the seal
		c.start(ctx, &late, pause)
	}
	seal := func(j *Job) error {
		if c.far != nil {
			return j.Seal(ctx, nil)
		}
		return j.Seal(ctx, &SealOptions{FS: c.fs})
	}
	for round := 0; ; round++ {
		var soon sync.WaitGroup
		for range 1 + c.rand.IntN(3) {
			c.start(ctx, &soon, nil)
		}
		if c.rand.IntN(20) == 0 {
			j := c.process(nil)
			soon.Go(func() { _ = j.Cancel(ctx) })
		}
		for range 2 {
			j := c.process(nil)
			soon.Go(func() { _ = seal(j) })
		}
		soon.Wait()
		if round < 3 {
			continue
		}
		if c.rand.IntN(4) == 0 {
			c.cancelled = c.job.Cancel(ctx) == nil
		}
		err := seal(c.job)
		if errors.Is(err, errCancelled) {
			c.cancelled = true
		} else if err != nil && !errors.Is(err, cairn.ErrNotFound) {
			c.t.Fatalf("seal without faults: %v", err)
		}
		if err == nil || c.cancelled {
			break
		}
	}
	close(pause)
	late.Wait()
	if err := seal(c.job); (err == nil) == c.cancelled {
		c.t.Fatalf("seal again: %v", err)
	}
}

// start starts a process that works.
func (c *chaos) start(ctx context.Context, group *sync.WaitGroup, pause chan struct{}) {
	j, o := c.process(pause), &WorkOptions{Lease: 5e6}
	if c.rand.IntN(3) == 0 {
		for range 3 {
			o.Tasks = append(o.Tasks, c.rand.Int64N(j.plan.Tasks))
		}
	}
	group.Go(func() { _ = j.Work(ctx, Arrays(c.fs), o) })
}
