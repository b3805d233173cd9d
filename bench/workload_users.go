package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// spots is how many places a part is read at, so that no library finds it in a cache of chunks.
const spots = 4

// users compares the libraries that a user may choose from: arrays in files with the same chunks
// and codec, written, read and changed. Blosc2 has blocks within the chunks; the formats of the
// others have none.
func (s *contest) users() error {
	p := s.onArrays()
	for _, threads := range s.threads {
		python, err := s.startPython(threads)
		if err != nil {
			return err
		}
		work := &userWork{contest: s, python: python}
		p.threads = []int{threads}
		if err := s.each(p, work.parts); err != nil {
			return err
		}

		jobs, err := s.jobs(p, rowsOf(s.quick).TypeSize)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			if err := work.appends(rowsOf(s.quick), j); err != nil {
				return fmt.Errorf("rows %v: %w", j, err)
			}
		}

		if python != nil {
			python.close()
		}
	}
	return nil
}

// startPython starts a Python side with a number of threads, if any of its libraries takes part.
func (s *contest) startPython(threads int) (*snake, error) {
	if s.python == nil {
		return nil, nil
	}
	p, err := startProcess("python", s.config.python, s.peer, strconv.Itoa(threads))
	return &snake{p}, err
}

// rowsOf returns rows of 16 KiB to append.
func rowsOf(quick bool) *data.Set {
	rows := 128
	if quick {
		rows = 32
	}
	set := kind("smooth.f4", rows*16<<10)
	set.Name = "rows of 16 KiB"
	set.Shape = []int64{int64(rows), 4096}
	return set
}

// userWork is the state of the workload users for a number of threads.
type userWork struct {
	*contest
	python *snake
}

// userArray is one array to write, read and change.
type userArray struct {
	*arraySide
	dir string
}

// within makes one array ready in all peers and calls work.
func (s *userWork) within(set *data.Set, j job, work func(*userArray) error) error {
	chunks, blocks, err := partition(set)
	if err != nil {
		return err
	}

	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	if err := s.describe(set, j, filepath.Join(dir, "c.b2nd"), chunks, blocks); err != nil {
		return err
	}
	if s.python != nil {
		if err := s.python.load(set); err != nil {
			return err
		}
	}

	side := &arraySide{set: set, job: j, chunks: chunks, blocks: blocks, path: filepath.Join(dir, "cairn.b2nd")}
	defer side.drop()
	return work(&userArray{side, dir})
}

// parts writes the array and reads and changes parts of it.
func (s *userWork) parts(set *data.Set, j job) error {
	return s.within(set, j, func(a *userArray) error {
		write := a.measure("write whole", int64(len(set.Bytes)))
		contenders := append(s.writers(a.arraySide), s.libraries(a, map[string]any{"do": "array-write"})...)
		if err := s.compete(s.rounds, []*result.Measure{write}, append(contenders, s.memcpy(j))...); err != nil {
			return fmt.Errorf("write whole: %w", err)
		}

		for _, r := range regions(set.Shape) {
			if r.put && !r.commit {
				continue
			}
			places := r.spread(set.Shape)
			fields := boxes(places)
			fields["do"] = r.verb()
			contenders := averaged(places, func(place region) []contender { return s.visitors(a.arraySide, place) })
			contenders = append(contenders, s.libraries(a, fields)...)
			m := a.measure(r.op, r.bytes(set.TypeSize))
			if err := s.compete(s.rounds, []*result.Measure{m}, contenders...); err != nil {
				return fmt.Errorf("%s: %w", r.op, err)
			}
		}
		return nil
	})
}

// boxes returns the places of a part as a request has them.
func boxes(places []region) map[string]any {
	var starts, stops [][]int64
	for _, place := range places {
		starts = append(starts, place.start)
		stops = append(stops, place.stop)
	}
	return map[string]any{"starts": starts, "stops": stops}
}

// measure returns a measure of the array in its file.
func (a *userArray) measure(op string, bytes int64) *result.Measure {
	m := a.job.measure("users", op, a.set)
	m.Place = "disk"
	m.Bytes = bytes
	m.Latency = bytes < int64(len(a.set.Bytes))
	return m
}

// libraries returns contenders that send a request to every library of the Python side.
func (s *userWork) libraries(a *userArray, fields map[string]any) []contender {
	var out []contender
	for _, p := range peers() {
		if !p.in("users") || !s.has[p.flag] {
			continue
		}
		out = append(out, contender{p.name, func(reps int) (answer, error) {
			fields["library"] = p.name
			fields["path"] = filepath.Join(a.dir, p.flag)
			fields["chunks"] = a.chunks
			fields["blocks"] = a.blocks
			if fields["do"] == "array-put" {
				reps = min(reps, mostPuts)
			}
			return s.python.timed(a.job, reps, fields)
		}})
	}
	return out
}

// spread returns the part at several places of an array, from one corner to the opposite one. What
// is whole along an axis stays so, and a write stays in the middle.
func (r region) spread(shape []int64) []region {
	if r.put || r.op == "read whole" {
		return []region{r}
	}
	var out []region
	for spot := range int64(spots) {
		at := r
		at.start = slices.Clone(r.start)
		at.stop = slices.Clone(r.stop)
		for axis, n := range shape {
			extent := r.stop[axis] - r.start[axis]
			at.start[axis] = (n - extent) * (2*spot + 1) / (2 * spots)
			at.stop[axis] = at.start[axis] + extent
		}
		out = append(out, at)
	}
	return out
}

// averaged joins the contenders for several places: their times become means.
func averaged(places []region, at func(region) []contender) []contender {
	if len(places) == 1 {
		return at(places[0])
	}
	var out []contender
	for i, c := range at(places[0]) {
		out = append(out, contender{c.peer, func(reps int) (answer, error) {
			sum := 0.0
			for _, place := range places {
				a, err := at(place)[i].round(reps)
				if err != nil {
					return a, err
				}
				sum += a.Seconds[0]
			}
			return answer{Seconds: []float64{sum / float64(len(places))}}, nil
		}})
	}
	return out
}

// describe tells the C side what array is meant.
func (s *contest) describe(set *data.Set, j job, path string, chunks, blocks ndarray.Shape) error {
	words := append([]any{"array", path}, append(j.numbers(), set.DType, len(set.Shape))...)
	for _, numbers := range [][]int64{set.Shape, chunks, blocks} {
		words = append(words, list(numbers))
	}
	_, err := s.c.command(words...)
	return err
}
