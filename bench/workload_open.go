package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/frame"
)

const mostOpens = 20 // per round

// opens measures opening a frame in a file and reading its last chunk, against the number of
// chunks. cairn writes the files.
func (s *contest) opens(set *data.Set, j job, dir string, most int64) error {
	for count := int64(1000); count <= most; count *= 10 {
		path := filepath.Join(dir, fmt.Sprintf("%d.b2frame", count))
		if err := writeFrame(path, set, j, count); err != nil {
			return err
		}

		m := j.measure("append", "open", set)
		m.Place = "disk"
		m.Count = count
		m.Bytes = int64(j.chunkSize)
		m.Latency = true

		buffer := make([]byte, j.chunkSize)
		err := s.compete(s.rounds, []*result.Measure{m},
			contender{result.C, func(reps int) (answer, error) {
				times, err := fastest(min(reps, mostOpens), func() ([]float64, error) {
					a, err := s.c.command("open", path, j.chunkSize)
					return a.Seconds, err
				})
				return answer{Seconds: times}, err
			}},
			contender{result.Cairn, func(reps int) (answer, error) {
				return repeated(min(reps, mostOpens), func() error { return openLast(path, buffer) })
			}})
		if err != nil {
			return fmt.Errorf("open: %w", err)
		}
	}
	return nil
}

func openLast(path string, buffer []byte) error {
	f, err := frame.Open(path, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.ReadChunk(context.Background(), buffer, f.NumChunks()-1)
	return err
}

// writeFrame writes a frame of count chunks, or of all data if count is 0.
func writeFrame(path string, set *data.Set, j job, count int64) error {
	o := frameOptions(j)
	o.FS = unsynced()
	o.Overwrite = true
	f, err := frame.Create(path, o)
	if err != nil {
		return err
	}
	defer f.Abort()
	pieces := slices.Collect(slices.Chunk(set.Bytes, j.chunkSize))
	if count == 0 {
		count = int64(len(pieces))
	}
	for i := range count {
		if _, err := f.Append(context.Background(), pieces[i%int64(len(pieces))]); err != nil {
			return err
		}
	}
	return f.Close()
}
