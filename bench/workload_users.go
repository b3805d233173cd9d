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
	sets, err := s.dataSets()
	if err != nil {
		return err
	}
	sets = slices.DeleteFunc(sets, func(d *data.Set) bool { return len(d.Shape) < 2 })
	for _, threads := range s.threads {
		python, err := s.startPython(threads)
		if err != nil {
			return err
		}
		work := &userWork{contest: s, python: python}
		for _, codec := range arrayCodecs {
			if !slices.Contains(s.codecs, codec) {
				continue
			}
			for _, set := range sets {
				if err := work.within(set, codec, threads, work.parts); err != nil {
					return err
				}
			}
			if err := work.within(rowsOf(s.quick), codec, threads, work.appends); err != nil {
				return err
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
	set.Name, set.Shape = "rows of 16 KiB", []int64{int64(rows), 4096}
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
func (s *userWork) within(set *data.Set, codec string, threads int, work func(*userArray) error) error {
	chunks, blocks, err := partition(set)
	if err != nil {
		return err
	}
	j, err := newJob(codec, "shuffle", s.levels[0], threads, set.TypeSize, s.chunkSize)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := s.c.load(set.Bytes); err != nil {
		return err
	}
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
	if err := work(&userArray{side, dir}); err != nil {
		return fmt.Errorf("%s %v: %w", set.Name, j, err)
	}
	return nil
}

// parts writes the array and reads and changes parts of it.
func (s *userWork) parts(a *userArray) error {
	write := a.measure("write whole", int64(len(a.set.Bytes)))
	contenders := append(s.writers(a.arraySide), s.libraries(a, map[string]any{"do": "array-write"})...)
	if err := s.compete(s.rounds, []*result.Measure{write}, append(contenders, s.memcpy(a.job))...); err != nil {
		return fmt.Errorf("write whole: %w", err)
	}
	for _, r := range regions(a.set.Shape) {
		if r.put && !r.commit {
			continue
		}
		var starts, stops [][]int64
		var each [][]contender
		for _, place := range r.spread(a.set.Shape) {
			starts, stops = append(starts, place.start), append(stops, place.stop)
			each = append(each, s.visitors(a.arraySide, place))
		}
		fields := map[string]any{"do": r.verb(), "starts": starts, "stops": stops}
		contenders := append(averaged(each), s.libraries(a, fields)...)
		m := a.measure(r.op, r.bytes(a.set.TypeSize))
		if err := s.compete(s.rounds, []*result.Measure{m}, contenders...); err != nil {
			return fmt.Errorf("%s: %w", r.op, err)
		}
	}
	return nil
}

// measure returns a measure of the array in its file.
func (a *userArray) measure(op string, bytes int64) *result.Measure {
	m := a.job.measure("users", op, a.set)
	m.Place, m.Bytes, m.Latency = "disk", bytes, bytes < int64(len(a.set.Bytes))
	return m
}

// libraries returns contenders that send a request to every library of the Python side.
func (s *userWork) libraries(a *userArray, fields map[string]any) []contender {
	var out []contender
	for _, p := range peers() {
		if !p.python || !s.has[p.flag] {
			continue
		}
		out = append(out, contender{p.name, func(reps int) (answer, error) {
			fields["library"], fields["path"] = p.name, filepath.Join(a.dir, p.flag)
			fields["chunks"], fields["blocks"] = a.chunks, a.blocks
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
		at.start, at.stop = slices.Clone(r.start), slices.Clone(r.stop)
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
func averaged(each [][]contender) []contender {
	if len(each) == 1 {
		return each[0]
	}
	var out []contender
	for i, c := range each[0] {
		out = append(out, contender{c.peer, func(reps int) (answer, error) {
			sum := 0.0
			for _, place := range each {
				a, err := place[i].round(reps)
				if err != nil {
					return a, err
				}
				sum += a.Seconds[0]
			}
			return answer{Seconds: []float64{sum / float64(len(each))}}, nil
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
