package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// A cut is a partition to compare: chunks and blocks as fractions of the sides of a cube.
type cut struct {
	name           string
	chunks, blocks [3]int64 // divisors of the sides
}

// cuts are the partitions to compare. Each is a good choice for some use.
var cuts = []cut{
	{"one chunk, small blocks", [3]int64{1, 1, 1}, [3]int64{16, 16, 16}},
	{"planes", [3]int64{256, 1, 1}, [3]int64{256, 4, 1}},
	{"thick planes", [3]int64{16, 1, 1}, [3]int64{256, 4, 1}},
	{"cubes", [3]int64{4, 4, 4}, [3]int64{8, 8, 8}},
	{"cubes, small blocks", [3]int64{4, 4, 4}, [3]int64{16, 16, 16}},
	{"columns", [3]int64{1, 16, 16}, [3]int64{1, 32, 32}},
	{"small chunks", [3]int64{16, 16, 16}, [3]int64{16, 16, 16}},
}

// shapes measures one array in a file with several partitions: writing, reading the whole and
// parts, and the size. The guide has the figures.
func (s *contest) shapes() error {
	set := data.Cube(s.side)
	if err := s.c.load(set.Bytes); err != nil {
		return err
	}
	j, err := newJob("zstd", "shuffle", 5, 1, set.TypeSize, s.chunkSize)
	if err != nil {
		return err
	}
	chunks, blocks, err := chosen(set.Shape, set.TypeSize)
	if err != nil {
		return err
	}
	if err := s.shape(set, j, "chosen by cairn", chunks, blocks); err != nil {
		return err
	}
	for _, c := range cuts {
		if s.quick && c.name != "cubes" {
			continue
		}
		side := set.Shape[0]
		for i := range 3 {
			chunks[i] = max(1, side/c.chunks[i])
			blocks[i] = min(max(1, side/c.blocks[i]), chunks[i])
		}
		if err := s.shape(set, j, c.name, chunks, blocks); err != nil {
			return err
		}
	}
	return nil
}

// shape measures one partition.
func (s *contest) shape(set *data.Set, j job, name string, chunks, blocks ndarray.Shape) error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := s.describe(set, j, filepath.Join(dir, "c.b2nd"), chunks, blocks); err != nil {
		return err
	}
	ours := &arraySide{set: set, job: j, chunks: slices.Clone(chunks), blocks: slices.Clone(blocks), path: filepath.Join(dir, "cairn.b2nd")}
	defer ours.drop()
	what := fmt.Sprintf("%s: %s in %s", name, by(blocks), by(chunks))
	measure := func(op string, bytes int64) *result.Measure {
		m := j.measure("shapes", op, set)
		m.Data, m.Place, m.Bytes = what, "disk", bytes
		m.Latency = bytes < int64(len(set.Bytes))
		return m
	}
	write := measure("write whole", int64(len(set.Bytes)))
	err = s.compete(s.rounds, []*result.Measure{write}, s.writers(ours)...)
	if err != nil {
		return err
	}
	for _, r := range regions(set.Shape) {
		part := measure(r.op, r.bytes(set.TypeSize))
		if err := s.compete(s.rounds, []*result.Measure{part}, s.visitors(ours, r)...); err != nil {
			return fmt.Errorf("%s: %w", r.op, err)
		}
	}
	return nil
}

// by formats a shape as 64×128×128.
func by(shape []int64) string {
	return strings.ReplaceAll(list(shape), " ", "×")
}
