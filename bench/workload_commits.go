package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
)

// mostFiles is the largest number of chunks of a sparse frame, which has a file for each.
const mostFiles = 100_000

// commits measures a small box that is written and committed, in frames of more and more chunks. A
// commit writes the whole index, so the peer that only appends as many bytes to a file shows how
// fast a commit could be.
func (s *contest) commits() error {
	set := kind("walk.f8", 4<<20)
	j, err := newJob("lz4", "shuffle", 5, 1, set.TypeSize, s.chunkSize)
	if err != nil {
		return err
	}
	for _, sparse := range []bool{false, true} {
		for count := int64(1000); count <= int64(s.appended); count *= 10 {
			if sparse && count > mostFiles {
				break
			}
			e := byCount(count)
			e.sparse = sparse
			if err := s.commitsOf(set, j, e); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
		}
	}
	return nil
}

// commitsOf compares the commits of one array.
func (s *contest) commitsOf(set *data.Set, j job, e *extent) error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	u, err := s.openBoth(set, j, e, dir)
	if err != nil {
		return err
	}
	defer u.Abort()
	m := j.measure("commits", "write box and commit", set)
	m.Data, m.Place, m.Latency, m.Count = e.name, "contiguous", true, u.NumChunks()
	if e.sparse {
		m.Place = "sparse"
	}
	box := e.regions[len(e.regions)-1]
	m.Bytes = box.bytes(set.TypeSize)
	plain := &plainWrite{path: filepath.Join(dir, "plain")}
	err = s.compete(min(s.rounds, 5), []*result.Measure{m},
		contender{result.Cairn, func(reps int) (answer, error) {
			before, reps := bytesWritten(), box.reps(reps)
			a, err := box.times(u, set.Bytes, reps)
			plain.size = (bytesWritten() - before) / int64(reps)
			a.Size = plain.size
			return a, err
		}},
		contender{result.C, func(reps int) (answer, error) {
			return s.c.command("array-put", box.reps(reps), list(box.start), list(box.stop))
		}},
		contender{result.Write, plain.round})
	if err == nil {
		s.figure("written for a commit", fmt.Sprintf("%s, %s", m.Data, m.Place), float64(plain.size), "bytes")
	}
	return err
}

// A plainWrite appends size bytes to a file at each repetition.
type plainWrite struct {
	path string
	size int64
}

func (p *plainWrite) round(reps int) (answer, error) {
	f, err := os.Create(p.path)
	if err != nil {
		return answer{}, err
	}
	defer os.Remove(p.path)
	defer f.Close()
	b := make([]byte, p.size)
	times, err := fastest(min(reps, mostPuts), func() ([]float64, error) {
		t, err := since(func() error { _, err := f.Write(b); return err })
		return []float64{t}, err
	})
	return answer{times, p.size}, err
}
