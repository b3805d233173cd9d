package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// sharing reads one array, opened once, from several goroutines. The time of one read is the total
// time divided by the number of reads. C does not take part, because its arrays cannot be shared
// between threads.
func (s *contest) sharing() error {
	set := data.Cube(s.side)
	chunks, blocks, err := partition(set)
	if err != nil {
		return err
	}
	for _, codec := range s.codecs {
		if !slices.Contains(arrayCodecs, codec) {
			continue
		}
		j, err := newJob(codec, "shuffle", s.levels[0], 1, set.TypeSize, s.chunkSize)
		if err != nil {
			return err
		}
		if err := s.share(set, j, chunks, blocks); err != nil {
			return fmt.Errorf("sharing %v: %w", j, err)
		}
	}
	return nil
}

func (s *contest) share(set *data.Set, j job, chunks, blocks ndarray.Shape) error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours := &arraySide{set: set, job: j, chunks: chunks, blocks: blocks, path: filepath.Join(dir, "cairn.b2nd")}
	defer ours.drop()
	if err := ours.create(); err != nil {
		return err
	}
	if err := ours.fill(); err != nil {
		return err
	}
	reader, err := ours.forReading()
	if err != nil {
		return err
	}
	for _, r := range regions(set.Shape) {
		if r.put || r.op == "read whole" {
			continue
		}
		alone := 0.0
		for _, readers := range s.threads {
			m := j.measure("sharing", r.op, set)
			m.Place, m.Bytes, m.Latency, m.Threads = "disk", r.bytes(set.TypeSize), true, readers
			err := s.compete(s.rounds, []*result.Measure{m},
				contender{result.Cairn, func(reps int) (answer, error) { return crowd(reader, r, readers, reps) }})
			if err != nil {
				return err
			}
			t, _ := m.Seconds(result.Cairn)
			if alone == 0 {
				alone = t
			}
			s.figure("reads of one array by several goroutines", fmt.Sprintf("%s, %s, %d goroutines", r.op, j.codec, readers), alone/t, "times as many")
		}
	}
	return nil
}

// crowd lets readers goroutines read parts of the size of r at different places, reps times each,
// and returns the time of one read.
func crowd(u *ndarray.Untyped, r region, readers, reps int) (answer, error) {
	var wait sync.WaitGroup
	errs := make([]error, readers)
	t, err := since(func() error {
		for i := range readers {
			wait.Go(func() { errs[i] = wander(u, r, uint64(i), reps) })
		}
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	})
	return answer{Seconds: []float64{t / float64(readers*reps)}}, err
}

// wander reads parts of the size of r at random places.
func wander(u *ndarray.Untyped, r region, seed uint64, reps int) error {
	rnd, shape := rand.New(rand.NewPCG(seed, 5)), u.Shape()
	buffer := make([]byte, r.bytes(u.TypeSize()))
	start, stop := make([]int64, len(shape)), make([]int64, len(shape))
	for range reps {
		for i, n := range shape {
			side := r.stop[i] - r.start[i]
			start[i] = rnd.Int64N(n - side + 1)
			stop[i] = start[i] + side
		}
		if err := u.ReadBytes(context.Background(), buffer, start, stop); err != nil {
			return err
		}
	}
	return nil
}
