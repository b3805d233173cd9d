package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

const boxSide = 50

// A region is a part of an array that a round reads or writes.
type region struct {
	op          string
	put, commit bool
	start, stop []int64
}

// arrays compares whole arrays, planes, points and boxes.
func (s *contest) arrays() error {
	// mapped is a file that cairn reads through a mapping
	places := []string{"memory", "disk", "mapped"}
	if s.quick {
		places = places[:1]
	}
	return s.each(s.onArrays(), func(set *data.Set, j job) error {
		chunks, blocks, err := partition(set)
		if err != nil {
			return err
		}
		for _, place := range places {
			if err := s.array(set, j, place, chunks, blocks); err != nil {
				return fmt.Errorf("%s: %w", place, err)
			}
		}
		return nil
	})
}

// chosen returns cairn's default shapes of chunks and blocks.
func chosen(shape ndarray.Shape, typeSize int) (chunks, blocks ndarray.Shape, err error) {
	u, err := ndarray.NewUntyped(fmt.Sprintf("|V%d", typeSize), shape, nil)
	if err != nil {
		return nil, nil, err
	}
	defer u.Abort()
	chunks, blocks = u.Grid()
	return chunks, blocks, nil
}

// partition returns the shapes of chunks and blocks: those of the published C figures for arrays of
// three long axes, clipped where an axis is shorter, else cairn's default.
func partition(set *data.Set) (chunks, blocks ndarray.Shape, err error) {
	if len(set.Shape) != 3 || slices.Min(set.Shape) < 16 {
		return chosen(set.Shape, set.TypeSize)
	}
	chunks = ndarray.Shape{64, 128, 128}
	blocks = ndarray.Shape{16, 32, 32}
	for i, n := range set.Shape {
		chunks[i] = min(chunks[i], n)
		blocks[i] = min(blocks[i], n)
	}
	return chunks, blocks, nil
}

// array runs every operation on one array with one job in one place.
func (s *contest) array(set *data.Set, j job, place string, chunks, blocks ndarray.Shape) error {
	path := "-"
	if place != "memory" {
		dir, err := os.MkdirTemp("", "cairn-bench-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "c.b2nd")
	}

	if err := s.describe(set, j, path, chunks, blocks); err != nil {
		return err
	}

	ours := &arraySide{set: set, job: j, chunks: chunks, blocks: blocks, mapped: place == "mapped"}
	if path != "-" {
		ours.path = filepath.Join(filepath.Dir(path), "cairn.b2nd")
	}
	defer ours.drop()

	write := j.measure("arrays", "write whole", set)
	write.Place = place
	if err := s.compete(s.rounds, []*result.Measure{write}, s.writers(ours)...); err != nil {
		return fmt.Errorf("write whole: %w", err)
	}

	for _, r := range regions(set.Shape) {
		if r.put && ours.mapped { // the same as a write without a mapping
			continue
		}
		m := j.measure("arrays", r.op, set)
		m.Place = place
		m.Bytes = r.bytes(set.TypeSize)
		m.Latency = m.Bytes < int64(len(set.Bytes))
		if err := s.compete(s.rounds, []*result.Measure{m}, s.visitors(ours, r)...); err != nil {
			return fmt.Errorf("%s: %w", r.op, err)
		}
	}
	return nil
}

// writers returns contenders that create the array.
func (s *contest) writers(ours *arraySide) []contender {
	return []contender{
		{result.C, func(reps int) (answer, error) { return s.c.command("array-write", reps) }},
		{result.Cairn, ours.write},
	}
}

// visitors returns contenders that read or write a region of the array.
func (s *contest) visitors(ours *arraySide, r region) []contender {
	out := []contender{
		{result.C, func(reps int) (answer, error) { return s.c.command(r.verb(), reps, list(r.start), list(r.stop)) }},
		{result.Cairn, func(reps int) (answer, error) { return ours.visit(reps, r) }},
	}
	if r.op == "read whole" {
		out = append(out, s.memcpy(ours.job))
	}
	return out
}

// memcpy returns a contender that copies all items in memory, with the threads of a job.
func (s *contest) memcpy(j job) contender {
	return contender{result.Memcpy, func(reps int) (answer, error) {
		a, err := s.c.command("memcpy", j.threads, reps)
		if err != nil {
			return a, err
		}
		return answer{Seconds: a.Seconds[:1]}, nil
	}}
}

// regions returns the whole array, a plane along each of the first three axes, a point, and a box
// in the middle. The write comes last.
func regions(shape []int64) []region {
	middle := func(side int64) (start, stop []int64) {
		for _, n := range shape {
			extent := min(side, n)
			start = append(start, (n-extent)/2)
			stop = append(stop, (n-extent)/2+extent)
		}
		return start, stop
	}

	whole := region{op: "read whole"}
	whole.start, whole.stop = middle(math.MaxInt64)
	out := []region{whole}
	for axis := range min(len(shape), 3) {
		r := region{op: fmt.Sprintf("plane along axis %d", axis), start: slices.Clone(whole.start), stop: slices.Clone(whole.stop)}
		r.start[axis] = shape[axis] / 2
		r.stop[axis] = shape[axis]/2 + 1
		out = append(out, r)
	}

	point := region{op: "point"}
	point.start, point.stop = middle(1)
	box := region{op: "read box"}
	box.start, box.stop = middle(boxSide)

	put := region{op: "write box", put: true, start: box.start, stop: box.stop}
	commit := put
	commit.op = "write box, commit"
	commit.commit = true
	return append(out, point, box, put, commit)
}

func (r region) bytes(typeSize int) int64 {
	n := int64(typeSize)
	for i := range r.start {
		n *= r.stop[i] - r.start[i]
	}
	return n
}

// of returns the items of the part.
func (r region) of(set *data.Set) []byte {
	var out []byte
	last := len(set.Shape) - 1
	at := slices.Clone(r.start)

	for {
		from := int64(0)
		for axis, n := range set.Shape {
			from = from*n + at[axis]
		}
		from *= int64(set.TypeSize)
		out = append(out, set.Bytes[from:from+(r.stop[last]-r.start[last])*int64(set.TypeSize)]...)

		axis := last - 1
		for ; axis >= 0; axis-- {
			if at[axis]++; at[axis] < r.stop[axis] {
				break
			}
			at[axis] = r.start[axis]
		}
		if axis < 0 {
			return out
		}
	}
}

// list formats numbers for the C side.
func list(numbers []int64) string {
	text := fmt.Sprint(numbers)
	return text[1 : len(text)-1]
}

// verb returns the command of the C side for the region.
func (r region) verb() string {
	if r.put {
		return "array-put"
	}
	return "array-read"
}
