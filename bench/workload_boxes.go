package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// changedBoxes compares boxes that are written and committed one after the other, at several
// places, in a file and in the shards of Zarr 3 that TensorStore writes: inner chunks there are the
// blocks here. Both write everything that changes to files at once, and neither waits for the disk.
// The times are means over all boxes, compactions included.
func (s *contest) changedBoxes() error {
	p := s.onArrays()
	for _, threads := range s.threads {
		python, err := s.startPython(threads)
		if err != nil {
			return err
		}
		p.threads = []int{threads}
		err = s.each(p, func(set *data.Set, j job) error { return s.boxesOf(python, set, j) })
		if err != nil {
			return err
		}
		if python != nil {
			python.close()
		}
	}
	return nil
}

// mostBoxes is how often a round goes through all places.
const mostBoxes = 20

func (s *contest) boxesOf(python *snake, set *data.Set, j job) error {
	chunks, blocks, err := partition(set)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	side := &arraySide{set: set, job: j, chunks: chunks, blocks: blocks, path: filepath.Join(dir, "cairn.b2nd")}
	defer side.drop()
	if err := side.createKept(); err != nil {
		return err
	}

	box := region{op: "write box, commit"}
	for _, n := range set.Shape {
		extent := min(boxSide, n)
		box.start = append(box.start, (n-extent)/2)
		box.stop = append(box.stop, (n-extent)/2+extent)
	}
	places := box.spread(set.Shape)
	m := j.measure("boxes", box.op, set)
	m.Place = "disk"
	m.Bytes = box.bytes(set.TypeSize)
	m.Latency = true

	contenders := []contender{{result.Cairn, func(reps int) (answer, error) {
		return side.changeBoxes(min(reps, mostBoxes), places)
	}}}
	if python != nil && s.has["tensorstore"] {
		if err := python.load(set); err != nil {
			return err
		}
		fields := boxes(places)
		fields["library"] = result.TensorStore
		fields["path"] = filepath.Join(dir, "tensorstore")
		fields["chunks"] = wholeBlocks(chunks, blocks)
		fields["inner"] = blocks
		fields["do"] = "array-write"
		if _, err := python.timed(j, 1, fields); err != nil {
			return err
		}
		fields["do"] = "array-boxes"
		contenders = append(contenders, contender{result.TensorStore, func(reps int) (answer, error) {
			return python.timed(j, min(reps, mostBoxes), fields)
		}})
	}
	return s.compete(s.rounds, []*result.Measure{m}, contenders...)
}

// wholeBlocks returns chunks that are large enough for the blocks at their ends, as shards must be.
func wholeBlocks(chunks, blocks ndarray.Shape) ndarray.Shape {
	out := slices.Clone(chunks)
	for i, n := range blocks {
		out[i] = (out[i] + n - 1) / n * n
	}
	return out
}

// createKept creates the array from all of the data, in a file whose dead bytes commits use again.
func (a *arraySide) createKept() error {
	o := a.options()
	o.FS = nil
	o.Durability = frame.None
	var err error
	if a.array, err = ndarray.CreateUntyped(a.path, a.set.DType, a.set.Shape, o); err != nil {
		return err
	}
	return a.fill()
}

// changeBoxes writes and commits the boxes of some places, one after the other, reps times. Each
// gets the items of the others in turn. It returns the time of one box.
func (a *arraySide) changeBoxes(reps int, places []region) (answer, error) {
	var pieces [][]byte
	for _, place := range places {
		pieces = append(pieces, place.of(a.set))
	}

	ctx := context.Background()
	began := time.Now()
	for rep := range reps {
		for i, place := range places {
			piece := pieces[(i+rep)%len(pieces)]
			if err := a.array.WriteBox(ctx, piece, place.start, place.stop); err != nil {
				return answer{}, err
			}
			if err := a.array.Commit(ctx); err != nil {
				return answer{}, err
			}
		}
	}
	took := time.Since(began).Seconds() / float64(reps*len(places))

	back := make([]byte, len(pieces[0]))
	for i, place := range places {
		if err := a.array.ReadBytes(ctx, back, place.start, place.stop); err != nil {
			return answer{}, err
		}
		if !bytes.Equal(back, pieces[(i+reps-1)%len(pieces)]) {
			return answer{}, fmt.Errorf("%v: %w", place.start, errChanged)
		}
	}
	return answer{Seconds: []float64{took}}, nil
}
