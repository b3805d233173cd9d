package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// RunBucketFaults has several writers and a reader use a bucket while its requests fail in every
// way. disturb begins the faults of a seed, and calm ends them. direct is the same bucket without
// faults. What has been put without error must be there, a conflict must have changed nothing, and
// what is read must be right.
func RunBucketFaults(t *testing.T, schedules int, faulty, direct storage.Bucket, disturb func(seed uint64), calm func()) {
	var sum outcomes
	for seed := range uint64(schedules) {
		s := &faultSchedule{t: t, faulty: faulty, direct: direct, folder: fmt.Sprintf("schedule-%d/", seed)}
		s.fixed = make([]byte, 100_000)
		_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(s.fixed)
		s.at = putObject(t, direct, s.folder+"fixed", s.fixed, storage.When{})
		disturb(seed)
		var wg sync.WaitGroup
		for w := range 3 {
			wg.Go(func() { s.write(rand.New(rand.NewPCG(seed, uint64(w))), w) })
		}

		wg.Go(func() { s.read(rand.New(rand.NewPCG(seed, 99))) })
		wg.Wait()

		calm()
		s.check()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}

		sum.won += s.won
		sum.conflicts += s.conflicts
		sum.unknown += s.unknown
		sum.failed += s.failed
	}

	t.Logf("%d puts won, %d in conflict, %d of unknown outcome; %d other requests failed", sum.won, sum.conflicts,
		sum.unknown, sum.failed)
	if sum.won == 0 || sum.conflicts == 0 || sum.unknown*2 > sum.won {
		t.Error("these schedules show little")
	}
}

type outcomes struct{ won, conflicts, unknown, failed int }

type faultSchedule struct {
	t              *testing.T
	faulty, direct storage.Bucket
	folder         string
	fixed          []byte         // content of an object that does not change
	at             storage.Object // that object

	mu sync.Mutex
	outcomes
	entries map[string]error // of puts of the log, by the line that each added
	objects map[string]error // of puts of objects of their own
}

func (s *faultSchedule) did(kind *map[string]error, what string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if *kind == nil {
		*kind = map[string]error{}
	}

	(*kind)[what] = err
	switch {
	case err == nil:
		s.won++
	case errors.Is(err, cairn.ErrConflict):
		s.conflicts++
	default:
		s.unknown++
	}
}

// write puts objects, and adds a line for each to a log by conditional puts.
func (s *faultSchedule) write(rnd *rand.Rand, writer int) {
	for i := range 4 {
		name := fmt.Sprintf("%s%d-%d", s.folder, writer, i)
		data := bytes.Repeat([]byte(name), 1+rnd.IntN(100))
		_, err := s.faulty.Put(s.t.Context(), name, data, storage.When{Absent: true})
		s.did(&s.objects, name, err)
		for attempt := 0; ; attempt++ {
			line := fmt.Sprintf("%d-%d-%d\n", writer, i, attempt)
			err := s.add(line)
			if errors.Is(err, errNotRead) {
				break
			}
			s.did(&s.entries, line, err)
			if !errors.Is(err, cairn.ErrConflict) {
				break
			}
		}
	}
}

var errNotRead = errors.New("not read")

func (s *faultSchedule) add(line string) error {
	old := ""
	when := storage.When{}
	at, err := s.faulty.Stat(s.t.Context(), s.folder+"log")
	if err == nil {
		old, err = getObject(s.t, s.faulty, at)
		when.Version = at.Version
	} else if errors.Is(err, fs.ErrNotExist) {
		when.Absent = true
		err = nil
	}

	if err != nil {
		s.mu.Lock()
		s.failed++
		s.mu.Unlock()
		return errNotRead
	}

	_, err = s.faulty.Put(s.t.Context(), s.folder+"log", []byte(old+line), when)
	return err
}

// read reads ranges of an object that does not change.
func (s *faultSchedule) read(rnd *rand.Rand) {
	for range 6 {
		var ranges []storage.Range
		for range 1 + rnd.IntN(5) {
			off := rnd.IntN(len(s.fixed))
			data := make([]byte, min(len(s.fixed)-off, rnd.IntN(5000)))
			ranges = append(ranges, storage.Range{Off: int64(off), Data: data})
		}

		if err := s.faulty.ReadRanges(s.t.Context(), s.at, ranges); err != nil {
			s.mu.Lock()
			s.failed++
			s.mu.Unlock()
			continue
		}

		for _, r := range ranges {
			if !bytes.Equal(r.Data, s.fixed[r.Off:][:len(r.Data)]) {
				s.t.Errorf("%d bytes at %d are others", len(r.Data), r.Off)
			}
		}
	}
}

// check compares what is there with what each put reported.
func (s *faultSchedule) check() {
	log := ""
	if at, err := s.direct.Stat(s.t.Context(), s.folder+"log"); err == nil {
		if log, err = getObject(s.t, s.direct, at); err != nil {
			s.t.Error(err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.t.Error(err)
	}

	for line, err := range s.entries {
		switch n := strings.Count("\n"+log, "\n"+line); {
		case n > 1:
			s.t.Errorf("%q is there %d times", line, n)
		case err == nil && n == 0:
			s.t.Errorf("%q was put, and is lost", line)
		case errors.Is(err, cairn.ErrConflict) && n > 0:
			s.t.Errorf("%q is there after a conflict", line)
		}
	}

	for name, err := range s.objects {
		if errors.Is(err, cairn.ErrConflict) {
			s.t.Errorf("%s is in conflict with itself: %v", name, err)
		}

		at, statErr := s.direct.Stat(s.t.Context(), name)
		if statErr != nil {
			if err == nil {
				s.t.Errorf("%s was put: %v", name, statErr)
			}
			continue
		}

		if got, err := getObject(s.t, s.direct, at); err != nil || strings.ReplaceAll(got, name, "") != "" {
			s.t.Errorf("%s has other bytes, %v", name, err)
		}
	}
}
