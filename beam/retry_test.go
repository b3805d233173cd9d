package cairnbeam

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

func init() {
	Register("faulty", func(ctx context.Context, path string) (ndarray.Source, func() error, error) {
		src, end, err := job.Arrays(nil)(ctx, path)
		return faultySource{src}, end, err
	})
	register.DoFn2x0[task, func(task)](&thriceFn{})
	register.DoFn1x1[string, bool](&processFn{})
}

// chance fails some requests while it is set, and the tenth in any case.
var chance struct {
	sync.Mutex
	*rand.Rand
	of, requests int
}

var errFault = errors.New("the storage failed")

// disturb makes one in so many requests fail until the test ends.
func disturb(t *testing.T, seed uint64, of int) {
	set := func(r *rand.Rand, s Site) {
		chance.Lock()
		chance.Rand, chance.of, chance.requests = r, of, 0
		chance.Unlock()
		Use(s)
	}
	set(rand.New(rand.NewPCG(seed, 1)), Site{Job: func(ctx context.Context, path string) (storage.Bucket, string, error) {
		b, dir, err := Site{}.orFiles().Job(ctx, path)
		return faultyBucket{b}, dir, err
	}})
	t.Cleanup(func() { set(nil, Site{}) })
}

func fault() error {
	chance.Lock()
	defer chance.Unlock()
	chance.requests++
	if chance.Rand != nil && (chance.IntN(chance.of) == 0 || chance.requests == 10) {
		return errFault
	}
	return nil
}

// A faultyBucket fails before a request, or loses its answer.
type faultyBucket struct{ storage.Bucket }

func (f faultyBucket) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	if err := fault(); err != nil {
		return storage.Object{}, err
	}
	at, err := f.Bucket.Put(ctx, name, data, when)
	return at, errors.Join(err, fault())
}

func (f faultyBucket) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	if err := fault(); err != nil {
		return 0, storage.Object{}, err
	}
	return f.Bucket.ReadStart(ctx, name, p)
}

func (f faultyBucket) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	if err := fault(); err != nil {
		return func(yield func(storage.Object, error) bool) { yield(storage.Object{}, err) }
	}
	return f.Bucket.List(ctx, prefix)
}

type faultySource struct{ ndarray.Source }

func (f faultySource) ReadBytes(ctx context.Context, dst []byte, start, stop []int64) error {
	if err := fault(); err != nil {
		return err
	}
	return f.Source.ReadBytes(ctx, dst, start, stop)
}

// TestBundlesMayFail runs pipelines over storage that fails, again and again until they succeed.
// Prism itself never runs a bundle again.
func TestBundlesMayFail(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 2
	}
	f := newFolder(t)
	o := f.order("out.b2nd", job.Options{Inputs: []job.Input{{Path: "faulty:" + f.at("b.b2nd")}}, ChunkShape: ndarray.Shape{35, 7}})
	want := f.alone(o)
	for seed := range seeds {
		failed := 0
		t.Run("", func(t *testing.T) {
			disturb(t, seed, 15)
			for {
				err := run(t, func(s beam.Scope) { Make(s, beam.Create(s, o)) })
				if err == nil {
					break
				}
				if failed++; !strings.Contains(err.Error(), errFault.Error()) {
					t.Fatal(err)
				}
			}
		})
		if got := f.read("out.b2nd"); got != want {
			t.Fatalf("seed %d: the output differs from that of one process", seed)
		}
		if failed == 0 {
			t.Errorf("seed %d: no run failed", seed)
		}
		f.ok(errors.Join(os.RemoveAll(o.Job), os.Remove(f.at("out.b2nd"))))
	}
}

// thriceFn yields tasks as if bundles were run three times.
type thriceFn struct{}

func (*thriceFn) ProcessElement(t task, emit func(task)) {
	for range 3 {
		emit(t)
	}
}

// TestBundlesMayRunAgain plans twice, runs each task six times, seals twice, and works again after
// the seal.
func TestBundlesMayRunAgain(t *testing.T) {
	f := newFolder(t)
	o := f.order("out.b2nd", job.Options{Inputs: []job.Input{{Path: f.at("b.b2nd")}}, ChunkShape: ndarray.Shape{35, 7}})
	want := f.alone(o)
	f.ok(run(t, func(s beam.Scope) {
		tasks := beam.ParDo(s, &planFn{}, beam.Create(s, o, o))
		done := beam.ParDo(s, &workFn{}, beam.Reshuffle(s, beam.ParDo(s, &thriceFn{}, tasks)))
		byJob := beam.GroupByKey(s, done)
		beam.ParDo(s, &sealFn{}, byJob)
		passert.Equals(s, beam.ParDo(s, &sealFn{}, byJob), f.at("out.b2nd"))
	}))
	for range 2 {
		if f.read("out.b2nd") != want {
			t.Error("the output differs from that of one process")
		}
		f.ok(run(t, func(s beam.Scope) {
			beam.ParDo(s, &workFn{}, beam.Reshuffle(s, beam.ParDo(s, &planFn{}, beam.Create(s, o))))
		}))
	}
}

// TestPipelinesAtTheSameTime runs one order in three pipelines.
func TestPipelinesAtTheSameTime(t *testing.T) {
	f := newFolder(t)
	o := f.order("out.b2nd", job.Options{Inputs: []job.Input{{Path: f.at("b.b2nd")}}, ChunkShape: ndarray.Shape{35, 7}})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := run(t, func(s beam.Scope) { Make(s, beam.Create(s, o)) }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if f.read("out.b2nd") != f.alone(o) {
		t.Error("the output differs from that of one process")
	}
}

// TestWorkersOfOtherProcesses runs the DoFns in a process of their own.
func TestWorkersOfOtherProcesses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]string{"command": self})
	if err != nil {
		t.Fatal(err)
	}
	f := newFolder(t)
	o := f.order("out.b2nd", job.Options{Inputs: []job.Input{{Path: "celsius:" + f.at("b.b2nd")}}, ChunkShape: ndarray.Shape{35, 7}})
	for flag, value := range map[*string]string{jobopts.EnvironmentType: "process",
		jobopts.EnvironmentConfig: string(config), jobopts.WorkerBinary: self} {
		was := *flag
		*flag = value
		defer func() { *flag = was }()
	}
	f.ok(run(t, func(s beam.Scope) {
		made := Make(s, beam.Create(s, o))
		passert.Equals(s, beam.ParDo(s, &processFn{os.Getpid()}, made), false)
	}))
	if f.read("out.b2nd") != f.alone(o) {
		t.Error("the output differs from that of one process")
	}
}

// processFn tells whether it runs in a process.
type processFn struct{ Process int }

func (f *processFn) ProcessElement(string) bool { return os.Getpid() == f.Process }
