package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/check/objects"
	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// counts are the result of a run.
type counts struct {
	Schedules int
	Commits   int // that succeeded
	Refused   int // attempts that failed
	Unknown   int // attempts of unknown outcome
	Reads     int
	Kills     int // jobs that were killed
	Collected int // objects
	Segments  int // schedules that have put a segment of the index
	Faults    map[string]int
	Failed    int
	Failures  harness.Failures[failure]
}

type failure struct {
	Schedule uint64
	What     string
}

// mostWriters is the number of processes of writers; one more has the readers.
const mostWriters = 8

// run runs schedules in several lanes, which share the processes.
func run(c *config) (*counts, error) {
	processes := make([]*process, mostWriters+1)
	for i := range processes {
		processes[i] = &process{}
		if err := processes[i].start(); err != nil {
			return nil, err
		}
	}

	total := &counts{Faults: map[string]int{}}
	var mu sync.Mutex // of what follows
	var failed error
	c.Run(func(claim func() (uint64, bool)) {
		l := &lane{processes: processes, door: &objects.Door{}}
		l.network = storagetest.NewFaulty(l.door)
		l.server = httptest.NewServer(l.network)
		defer l.server.Close()
		for seed, ok := claim(); ok; seed, ok = claim() {
			s := &schedule{lane: l, seed: seed, rnd: rand.New(rand.NewPCG(seed, 0)), store: objects.NewMemory()}
			s.store.Blind = c.blind
			err := s.run()
			mu.Lock()

			// Add the counts of a schedule.
			total.Schedules++
			total.Commits += s.Commits
			total.Refused += s.Refused
			total.Unknown += s.Unknown
			total.Reads += s.Reads
			total.Kills += s.Kills
			total.Collected += s.Collected
			total.Segments += s.Segments
			total.Failed += s.Failed
			total.Failures.Add(s.Failures...)

			failed = errors.Join(failed, err)
			enough := failed != nil || total.Failures.Full()
			mu.Unlock()
			if enough {
				break
			}
		}

		mu.Lock()
		defer mu.Unlock()
		for fault, n := range l.network.Faults() {
			total.Faults[fault] += n
		}
	})

	for _, p := range processes {
		failed = errors.Join(failed, p.stop())
	}
	return total, failed
}

// A lane runs one schedule after another, with a server of its own.
type lane struct {
	processes []*process
	door      *objects.Door
	network   *storagetest.Faulty
	server    *httptest.Server
}

// A schedule is what the processes do to one array, and what happens to them.
type schedule struct {
	*lane
	counts
	seed  uint64
	rnd   *rand.Rand
	store *objects.Memory
	large bool // the index is so long that segments are put
}

// name returns the name of the store.
func (s *schedule) name() string { return strconv.FormatUint(s.seed, 10) }

func (s *schedule) fail(format string, args ...any) {
	s.Failed++
	s.Failures.Add(failure{s.seed, fmt.Sprintf(format, args...)})
}

// base is the commit that a large schedule begins with.
var base = commitID{Writer: mostWriters}

// baseRows make so many chunks that a few more commits put a segment of the index.
const baseRows = 2*4096 - 12

func (s *schedule) run() error {
	if s.large = s.rnd.IntN(100) == 0; s.large {
		// Create the array of a large schedule.
		ctx := context.Background()
		o := &ndarray.Options{FS: s.direct(), ChunkShape: rowChunks, BlockShape: rowChunks}
		a, err := ndarray.Create[int64](arrayPath, noRows, o)
		if err != nil {
			return err
		}
		if err := errors.Join(a.Append(ctx, 0, base.rows(s.seed, baseRows)), a.Close()); err != nil {
			return err
		}
	}

	s.door.Open(s.name(), s.store)
	s.network.Disturb(s.seed)
	jobs, err := s.start()
	if err != nil {
		return err
	}

	if s.rnd.IntN(8) == 0 {
		victim := s.rnd.IntN(len(jobs))
		if jobs[victim].Writer < 0 {
			victim = 0
		}
		time.Sleep(time.Duration(s.rnd.IntN(20_000)) * time.Microsecond)
		if err := s.processes[victim].kill(); err != nil {
			return err
		}
	}

	for _, r := range jobs {
		<-r.over
	}
	s.network.Calm()
	s.door.Close(s.name())
	s.check(jobs)
	return nil
}

// direct returns the store without faults.
func (s *schedule) direct() storage.FS {
	return storage.BucketFS(context.Background(), objectstore.New(s.store, ""))
}

// start starts jobs, that of writer w in process w.
func (s *schedule) start() (jobs []*running, err error) {
	address := s.server.Listener.Addr().String()
	writers := 1 + s.rnd.IntN(mostWriters)
	for w := range writers {
		j := job{Address: address, Schedule: s.seed, Writer: int64(w), Commits: 1 + s.rnd.IntN(1+10/writers)}
		r, err := s.processes[w].run(j)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, r)
	}
	if s.large {
		return jobs, nil // reading it would take as long as a hundred other schedules
	}
	r, err := s.processes[mostWriters].run(job{Address: address, Schedule: s.seed, Writer: -1, Commits: 4})
	return append(jobs, r), err
}

// check compares what is there with what was reported, looks at earlier versions, and removes the
// garbage.
func (s *schedule) check(jobs []*running) {
	outcomes := s.outcomes(jobs)
	o := &ndarray.OpenOptions{FS: s.direct()}
	a, err := ndarray.OpenAs[int64](arrayPath, o)
	if errors.Is(err, fs.ErrNotExist) && s.Commits == 0 {
		return // all were killed early
	}
	if err != nil {
		s.fail("open: %v", err)
		return
	}
	defer a.Close()

	items, err := a.Read(context.Background())
	if err != nil {
		s.fail("read: %v", err)
		return
	}
	commits, err := commitsIn(s.seed, items)
	if err != nil {
		s.fail("%v", err)
		return
	}

	for _, id := range commits {
		if outcomes[id] == refused {
			s.fail("%+v was refused, and is there", id)
		}
		delete(outcomes, id)
	}
	for _, id := range slices.SortedFunc(maps.Keys(outcomes), compareCommits) {
		if outcomes[id] == committed {
			s.fail("%+v was committed, and is lost", id)
		}
	}

	s.checkVersions(items, commits)
	s.collect(items)
}

func compareCommits(a, b commitID) int {
	return slices.Compare([]int64{a.Writer, a.Commit, a.Attempt}, []int64{b.Writer, b.Commit, b.Attempt})
}

// outcomes returns what was reported of each attempt.
func (s *schedule) outcomes(jobs []*running) map[commitID]eventKind {
	outcomes := map[commitID]eventKind{}
	for _, r := range jobs {
		if r.killed {
			s.Kills++
		}

		for _, e := range r.events {
			switch e.Kind {
			case committed:
				s.Commits++
			case refused:
				s.Refused++
			case unknown:
				s.Unknown++
			case wasRead:
				s.Reads++
			case wrong:
				s.fail("writer %d, %+v: %s", r.Writer, e.Commit, e.Message)
			}

			if e.Kind == committed || e.Kind == refused || e.Kind == unknown {
				outcomes[e.Commit] = e.Kind
			}
		}
	}
	return outcomes
}
