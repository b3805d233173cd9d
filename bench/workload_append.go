package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/frame"
)

const (
	smallChunk  = 8 << 10
	window      = 100 // appends per reading, which is their mean
	cMostChunks = 20000
)

// appends measures the cost of an append, and of opening the frame, against the number of chunks. C
// appends only up to 20 000 chunks, because it writes the whole index each time. The chunks are a
// counter, so that compression takes hardly any time.
func (s *contest) appends() error {
	set := kind("arange.i8", 1<<20)
	if err := s.c.load(set.Bytes); err != nil {
		return err
	}

	j, err := newJob("lz4", "shuffle", 5, 1, set.TypeSize, smallChunk)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	rounds := min(s.rounds, 3)
	most := int64(s.appended)
	if s.quick {
		rounds = 1
	}

	for _, place := range []string{"memory", "disk"} {
		for range rounds {
			if err := s.appendRound(set, j, place, dir, most); err != nil {
				return fmt.Errorf("append %s: %w", place, err)
			}
		}
	}

	slices.SortStableFunc(s.pending, func(a, b *result.Measure) int {
		return cmp.Or(cmp.Compare(b.Place, a.Place), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Count, b.Count))
	})
	s.keep(s.pending...)
	s.pending = nil
	return s.opens(set, j, dir, most)
}

// appendRound grows one frame of each side and measures at all counts.
func (s *contest) appendRound(set *data.Set, j job, place, dir string, most int64) error {
	path := "-"
	if place == "disk" {
		path = filepath.Join(dir, "c.b2frame")
	}

	theirs, err := s.c.command(append(append([]any{"append", path}, j.numbers()...), j.chunkSize, window, 2, 1000, cMostChunks)...)
	if err != nil {
		return err
	}
	for i, count := range []int64{1000, cMostChunks} {
		for _, op := range []string{"append", "append and commit"} {
			s.pendingAt(set, j, op, place, count).Add(result.C, theirs.Seconds[i], 0)
		}
	}

	f, err := newFrame(j, place, dir)
	if err != nil {
		return err
	}
	defer f.Abort()
	for count := int64(1000); count <= most; count *= 10 {
		for _, n := range []int64{count, 2 * count} {
			if n > most || n != count && n != cMostChunks {
				continue
			}
			staged, committed, err := cairnAppends(f, set, j, n)
			if err != nil {
				return err
			}
			s.pendingAt(set, j, "append", place, n).Add(result.Cairn, staged, 0)
			s.pendingAt(set, j, "append and commit", place, n).Add(result.Cairn, committed, 0)
		}
	}
	return nil
}

func newFrame(j job, place, dir string) (*frame.Frame, error) {
	o := frameOptions(j)
	if place != "disk" {
		return frame.New(o)
	}
	o.FS = unsynced()
	o.Overwrite = true
	return frame.Create(filepath.Join(dir, "cairn.b2frame"), o)
}

// cairnAppends grows the frame to count chunks. It times the last ones, first without and then with
// a commit after each.
func cairnAppends(f *frame.Frame, set *data.Set, j job, count int64) (staged, committed float64, err error) {
	ctx := context.Background()
	grow := func(to int64, commit bool) error {
		for i := int64(f.NumChunks()); i < to; i++ {
			at := int(i%int64(len(set.Bytes)/j.chunkSize)) * j.chunkSize
			if _, err := f.Append(ctx, set.Bytes[at:at+j.chunkSize]); err != nil {
				return err
			}
			if !commit {
				continue
			}
			if err := f.Commit(ctx); err != nil {
				return err
			}
		}
		return nil
	}

	const commits = window / 10
	if err := grow(count-commits-window, false); err != nil {
		return 0, 0, err
	}
	if err := f.Commit(ctx); err != nil {
		return 0, 0, err
	}
	if staged, err = since(func() error { return grow(count-commits, false) }); err != nil {
		return 0, 0, err
	}

	if err := f.Commit(ctx); err != nil {
		return 0, 0, err
	}
	committed, err = since(func() error { return grow(count, true) })
	return staged / window, committed / commits, err
}

// pendingAt returns the measure for a count, to which all rounds add. It is complete after the last
// round.
func (s *contest) pendingAt(set *data.Set, j job, op, place string, count int64) *result.Measure {
	for _, m := range s.pending {
		if m.Op == op && m.Place == place && m.Count == count {
			return m
		}
	}
	m := j.measure("append", op, set)
	m.Place = place
	m.Count = count
	m.Bytes = int64(j.chunkSize)
	m.Latency = true
	s.pending = append(s.pending, m)
	return m
}
