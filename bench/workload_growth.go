package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/frame"
)

// growth appends more and more data to a frame in a file and reads it back, to see whether a byte
// costs the same in a large frame. Each file is removed after it was read, because data that the
// system still has to write would slow down the next peer.
func (s *contest) growth() error {
	set := kind("smooth.f4", s.size)
	if err := s.c.load(set.Bytes); err != nil {
		return err
	}
	totals, rounds := []int64{int64(s.size), 16 * int64(s.size)}, min(s.rounds, 3)
	if s.large {
		totals = append(totals, 4<<30)
	}
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, total := range totals {
		for _, threads := range s.threads {
			j, err := newJob("lz4", "shuffle", 5, threads, set.TypeSize, s.chunkSize)
			if err != nil {
				return err
			}
			measures := make([]*result.Measure, 2)
			for i, op := range []string{"write", "read"} {
				measures[i] = j.measure("growth", op, set)
				measures[i].Data = fmt.Sprintf("%s %d MiB", set.Name, total>>20)
				measures[i].Place, measures[i].Bytes = "disk", total/int64(j.chunkSize)*int64(j.chunkSize)
			}
			c := append(append([]any{"stream", filepath.Join(dir, "c.b2frame")}, j.numbers()...), j.chunkSize, total)
			if total > 1<<30 {
				rounds = 1 // a round takes seconds
			}
			err = s.compete(rounds, measures,
				contender{result.C, func(int) (answer, error) {
					defer os.Remove(filepath.Join(dir, "c.b2frame"))
					return s.c.command(c...)
				}},
				contender{result.Cairn, func(int) (answer, error) {
					defer os.Remove(filepath.Join(dir, "cairn.b2frame"))
					return stream(set, j, dir, total)
				}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// stream appends total bytes and reads them all.
func stream(set *data.Set, j job, dir string, total int64) (answer, error) {
	f, err := newFrame(j, "disk", dir)
	if err != nil {
		return answer{}, err
	}
	defer f.Abort()
	ctx, count, pieces := context.Background(), int(total/int64(j.chunkSize)), len(set.Bytes)/j.chunkSize
	write, err := since(func() error {
		for i := range count {
			at := i % pieces * j.chunkSize
			if _, err := f.Append(ctx, set.Bytes[at:at+j.chunkSize]); err != nil {
				return err
			}
		}
		return f.Commit(ctx)
	})
	if err != nil {
		return answer{}, err
	}
	buffer := make([]byte, j.chunkSize)
	read, err := since(func() error {
		r, err := frame.Open(filepath.Join(dir, "cairn.b2frame"), &frame.OpenOptions{Workers: j.threads})
		if err != nil {
			return err
		}
		defer r.Close()
		for i := range count {
			if _, err := r.ReadChunk(ctx, buffer, i); err != nil {
				return err
			}
		}
		return nil
	})
	return answer{[]float64{write, read}, f.CBytes()}, err
}
