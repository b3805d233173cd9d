package frame

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-go/cairn/storage"
)

// The test below runs two committers and a reader of one frame in a bucket, in every order of their
// accesses to the root, with every fault of a put of the root at every place. Other objects are
// never replaced, so the order of their accesses does not matter. Some schedules are enough for
// every day; with CAIRN_EVERY_ORDER in the environment, the test runs all of them.

// A fault is what happens to a put of the root.
type fault int

const (
	sound   fault = iota
	lost          // the put happens, but its answer is lost
	dropped       // the put does not happen
	late          // the put fails for the caller, and happens at some later time
	faults
)

var errNetwork = errors.New("the network failed")

// A schedule chooses among alternatives: the next one that it has not chosen before, in the order
// of a depth-first search.
type schedule struct {
	chosen, of []int
	at         int
}

func (s *schedule) choose(n int) int {
	if s.at == len(s.chosen) {
		s.chosen, s.of = append(s.chosen, 0), append(s.of, n)
	}
	s.at++
	return s.chosen[s.at-1]
}

// next moves to the next schedule, and reports whether there is one.
func (s *schedule) next() bool {
	for s.at = 0; len(s.chosen) > 0; {
		last := len(s.chosen) - 1
		if s.chosen[last]++; s.chosen[last] < s.of[last] {
			return true
		}
		s.chosen, s.of = s.chosen[:last], s.of[:last]
	}
	return false
}

// An access is a call about the root that waits until it is its turn.
type access struct {
	who  int
	put  func() // of a late put; nil for a call
	turn chan fault
}

// A steppedBucket lets accesses to roots wait for their turn.
type steppedBucket struct {
	storage.Bucket
	who   int
	model *bucketModel
}

// A bucketModel collects the accesses that wait.
type bucketModel struct {
	mu      sync.Mutex
	waiting []*access
}

func (m *bucketModel) add(a *access) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = append(m.waiting, a)
	slices.SortFunc(m.waiting, func(a, b *access) int { return a.who - b.who })
}

func (m *bucketModel) take(i int) *access {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.waiting[i]
	m.waiting = slices.Delete(m.waiting, i, i+1)
	return a
}

func (m *bucketModel) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}

func (b *steppedBucket) wait(name string) fault {
	if !strings.HasSuffix(name, "/root") {
		return sound
	}
	a := &access{who: b.who, turn: make(chan fault)}
	b.model.add(a)
	return <-a.turn
}

func (b *steppedBucket) Stat(ctx context.Context, name string) (storage.Object, error) {
	b.wait(name)
	return b.Bucket.Stat(ctx, name)
}

func (b *steppedBucket) ReadStart(ctx context.Context, name string, p []byte) (int, storage.Object, error) {
	b.wait(name)
	return b.Bucket.ReadStart(ctx, name, p)
}

func (b *steppedBucket) Put(ctx context.Context, name string, data []byte, when storage.When) (storage.Object, error) {
	put := func() (storage.Object, error) { return b.Bucket.Put(ctx, name, data, when) }
	switch b.wait(name) {
	case lost:
		if at, err := put(); err != nil {
			return at, err // a refusal that arrives
		}
	case dropped:
	case late:
		ctx = context.WithoutCancel(ctx)
		b.model.add(&access{who: b.who + 10, put: func() { _, _ = put() }})
	default:
		return put()
	}
	return storage.Object{}, errNetwork
}

// A modelRun is one run of the programs.
type modelRun struct {
	t         *testing.T
	model     *bucketModel
	plain     storage.Bucket
	running   atomic.Int32
	committed [2][]int // what each committer was told to be committed
}

// runModel runs the programs in the order of s, with at most maxFaults faults.
func runModel(t *testing.T, s *schedule, maxFaults, commits int) {
	r := &modelRun{t: t, model: &bucketModel{}, plain: newBucket()}
	mustClose(t, createInBucket(t, r.plain, 1))
	for who := range 2 {
		r.start(who, func(f *Frame) { r.commit(f, who, commits) })
	}
	r.start(2, r.follow)
	for {
		synctest.Wait()
		n := r.model.count()
		switch {
		case n > 0:
			r.step(s, n, &maxFaults)
		case r.running.Load() == 0:
			r.check(commits)
			return
		default:
			time.Sleep(time.Millisecond) // for those that pause
		}
	}
}

// start opens the frame and runs a program on it, in a goroutine.
func (r *modelRun) start(who int, program func(f *Frame)) {
	r.running.Add(1)
	go func() {
		defer r.running.Add(-1)
		o := OpenOptions{FS: storage.BucketFS(r.t.Context(), &steppedBucket{r.plain, who, r.model})}
		if who < 2 {
			o.Mode, o.Retry = ReadWrite, true
		}
		f, err := Open("a/frame", &o)
		if err != nil {
			r.t.Error(err)
			return
		}
		program(f)
	}()
}

// step lets one of n accesses happen.
func (r *modelRun) step(s *schedule, n int, maxFaults *int) {
	a := r.model.take(s.choose(n))
	f := sound
	switch {
	case a.put != nil:
		a.put()
		return
	case a.who < 2 && *maxFaults > 0:
		if f = fault(s.choose(int(faults))); f != sound {
			*maxFaults--
		}
	}
	a.turn <- f
}

// commit is the program of a committer: it appends one chunk in each commit.
func (r *modelRun) commit(f *Frame, who, commits int) {
	for k := range commits {
		label := 100*(who+1) + k
		err := f.Atomically(r.t.Context(), func() error {
			_, err := f.Append(r.t.Context(), numbered(label))
			return err
		})
		if err != nil {
			r.t.Errorf("committer %d: %v", who, err)
			return
		}
		r.committed[who] = append(r.committed[who], label)
	}
}

// follow is the program of the reader.
func (r *modelRun) follow(f *Frame) {
	seen := wantSoundState(r.t, f, nil)
	for range 2 {
		if _, err := f.Refresh(r.t.Context()); err != nil {
			r.t.Error(err)
		}
		seen = wantSoundState(r.t, f, seen)
	}
}

// check compares the last state with what the committers were told, and looks at every version.
func (r *modelRun) check(commits int) {
	f := openInBucket(r.t, r.plain, OpenOptions{})
	all := wantSoundState(r.t, f, nil)
	for _, labels := range r.committed {
		for _, label := range labels {
			if n := count(all, label); n != 1 {
				r.t.Errorf("chunk %d, which was committed, is there %d times", label, n)
			}
		}
	}
	if len(all) != 2*commits {
		r.t.Errorf("%d chunks, of %d commits", len(all), 2*commits)
	}
	for seq := range int64(f.Info().Seq) {
		v := openInBucket(r.t, r.plain, OpenOptions{Version: seq + 1})
		if got := wantSoundState(r.t, v, nil); !slices.Equal(got, all[:seq]) {
			r.t.Errorf("version %d: %v of %v", seq+1, got, all)
		}
	}
}

func count(labels []int, label int) (n int) {
	for _, l := range labels {
		if l == label {
			n++
		}
	}
	return n
}

// wantSoundState checks that the frame is in a state with one chunk for each commit, and that seen
// is the beginning of it. It returns the labels of the chunks.
func wantSoundState(t *testing.T, f *Frame, seen []int) []int {
	t.Helper()
	if n := f.NumChunks(); n != int(f.Info().Seq) {
		t.Errorf("%d chunks at commit %d", n, f.Info().Seq)
	}
	var labels []int
	for i := 1; i < f.NumChunks(); i++ {
		got := make([]byte, 32)
		if _, err := f.ReadChunk(t.Context(), got, i); err != nil {
			t.Error(err)
			return labels
		}
		labels = append(labels, int(got[0])+int(got[1])<<8)
	}
	if len(seen) > len(labels) || !slices.Equal(seen, labels[:len(seen)]) {
		t.Errorf("%v, after %v", labels, seen)
	}
	return labels
}

func TestEveryOrderOfCommits(t *testing.T) {
	most := 500
	if testing.Short() { // as with the race detector, which sees what each order does again
		most = 100
	}
	if os.Getenv("CAIRN_EVERY_ORDER") != "" {
		most = math.MaxInt
	}
	for faults, commits := range []int{2, 1} {
		t.Run(fmt.Sprintf("%d faults", faults), func(t *testing.T) {
			s, n := &schedule{}, 0
			for more := true; more && !t.Failed(); more = s.next() {
				synctest.Test(t, func(t *testing.T) { runModel(t, s, faults, commits) })
				if t.Failed() {
					t.Fatalf("schedule %v", s.chosen)
				}
				if n++; n == most {
					break
				}
			}
			t.Logf("%d schedules", n)
		})
	}
}
