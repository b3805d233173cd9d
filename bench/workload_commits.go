package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
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
			if err := s.commitsOf(set, j, count, sparse); err != nil {
				return fmt.Errorf("%d chunks: %w", count, err)
			}
		}
	}
	return nil
}

// rows and columns of a chunk, which has a single block.
const chunkRows, chunkColumns = 8, 16

// commitsOf compares the commits of one array, which has count chunks of 1 KiB.
func (s *contest) commitsOf(set *data.Set, j job, count int64, sparse bool) error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	u, err := s.openBoth(set, j, count, sparse, dir)
	if err != nil {
		return err
	}
	defer u.Abort()

	m := j.measure("commits", "write box and commit", set)
	m.Data = fmt.Sprintf("%d chunks", count)
	m.Place = "contiguous"
	m.Latency = true
	m.Count = u.NumChunks()
	if sparse {
		m.Place = "sparse"
	}

	middle := count * chunkRows / 2
	box := region{start: []int64{middle - 4, 3}, stop: []int64{middle + 12, 13}}
	m.Bytes = box.bytes(set.TypeSize)

	plain := &plainWrite{path: filepath.Join(dir, "plain")}
	err = s.compete(min(s.rounds, 5), []*result.Measure{m},
		contender{result.Cairn, func(reps int) (answer, error) {
			before := bytesWritten()
			reps = min(reps, mostPuts)
			a, err := box.write(u, set.Bytes, reps)
			plain.size = (bytesWritten() - before) / int64(reps)
			a.Size = plain.size
			return a, err
		}},
		contender{result.C, func(reps int) (answer, error) {
			return s.c.command("array-put", min(reps, mostPuts), list(box.start), list(box.stop))
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
	a, err := repeated(min(reps, mostPuts), func() error { _, err := f.Write(b); return err })
	a.Size = p.size
	return a, err
}

// openBoth writes the array into a directory, gives C a copy of it, and opens both. C writes the
// items of set later.
func (s *contest) openBoth(set *data.Set, j job, count int64, sparse bool, dir string) (*ndarray.Untyped, error) {
	if err := s.c.load(set.Bytes); err != nil {
		return nil, err
	}

	ours := filepath.Join(dir, "cairn")
	theirs := filepath.Join(dir, "c")
	path := filepath.Join(ours, "a.b2nd")
	if err := os.Mkdir(ours, 0o777); err != nil {
		return nil, err
	}
	if err := writeChunks(path, set, j, count, sparse); err != nil {
		return nil, err
	}

	if err := os.CopyFS(theirs, os.DirFS(ours)); err != nil {
		return nil, err
	}
	if _, err := s.c.command("array-open", filepath.Join(theirs, "a.b2nd"), set.TypeSize, 2); err != nil {
		return nil, err
	}
	return ndarray.Open(path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Workers: 1, FS: unsynced()})
}

// writeChunks creates an array, slab by slab.
func writeChunks(path string, set *data.Set, j job, count int64, sparse bool) error {
	shape := ndarray.Shape{count * chunkRows, chunkColumns}
	chunk := ndarray.Shape{chunkRows, chunkColumns}
	u, err := ndarray.CreateUntyped(path, set.DType, shape, &ndarray.Options{
		ChunkShape: chunk, BlockShape: chunk, Codec: j.codec, Level: j.optionLevel(), Filters: j.filters(),
		FS: unsynced(), Sparse: sparse})
	if err != nil {
		return err
	}
	defer u.Abort()

	row := int64(chunkColumns * set.TypeSize)
	slab := int64(len(set.Bytes)) / row
	for at := int64(0); at < shape[0]; at += slab {
		stop := min(at+slab, shape[0])
		err := u.WriteBox(context.Background(), set.Bytes[:(stop-at)*row], []int64{at, 0}, []int64{stop, chunkColumns})
		if err != nil {
			return err
		}
	}
	return u.Close()
}

// write writes the region and commits, again and again, and returns the shortest time.
func (r region) write(u *ndarray.Untyped, data []byte, reps int) (answer, error) {
	n := r.bytes(u.TypeSize())
	return repeated(reps, func() error {
		if err := u.WriteBox(context.Background(), data[:n], r.start, r.stop); err != nil {
			return err
		}
		return u.Commit(context.Background())
	})
}
