package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// manyCommits is the number of commits, in cases with more than one at the end.
const manyCommits = 20

// rowByRow appends rows to an array one by one, and counts the bytes that each peer writes to
// files. h5py has its chunks in one file, and C-Blosc2 writes each row at once, with or without
// commits.
func (s *contest) rowByRow() error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, size := range []struct{ rowBytes, rows int }{{256, 10_000}, {64 << 10, 400}} {
		if s.quick {
			size.rows /= 10
		}
		set := kind("smooth.f4", size.rowBytes*size.rows)
		set.Shape = []int64{int64(size.rows), int64(size.rowBytes / set.TypeSize)}
		if s.python != nil {
			if err := s.python.load(set); err != nil {
				return err
			}
		}
		for _, sparse := range []bool{false, true} {
			for _, commits := range []int{1, manyCommits} {
				side := &rowSide{set: set, dir: dir, sparse: sparse, commits: commits}
				if err := s.appendRows(side); err != nil {
					return fmt.Errorf("rows of %d bytes: %w", size.rowBytes, err)
				}
			}
		}
	}
	return nil
}

// appendRows compares one way to append.
func (s *contest) appendRows(side *rowSide) error {
	set, rows := side.set, side.set.Shape[0]
	row := int64(len(set.Bytes)) / rows
	chunks, blocks, err := chosen(ndarray.Shape{0, set.Shape[1]}, set.TypeSize)
	if err != nil {
		return err
	}
	side.chunks, side.blocks = chunks, blocks
	if side.job, err = newJob("lz4", "shuffle", 5, 1, set.TypeSize, int(row*chunks[0])); err != nil {
		return err
	}
	op := "append, 1 commit"
	if side.commits > 1 {
		op = fmt.Sprintf("append, %d commits", side.commits)
	}
	measures := []*result.Measure{
		side.job.measure("rows", op, set), side.job.measure("rows", op+", processor time", set)}
	for _, m := range measures {
		m.Data, m.Place, m.Bytes, m.Latency = fmt.Sprintf("rows of %d bytes", row), "contiguous", row, true
		if side.sparse {
			m.Place = "sparse"
		}
	}
	all := []contender{{result.Cairn, side.round}}
	if s.has["python"] {
		all = append(all, side.asking(s.python, result.Python))
	}
	if s.has["h5py"] && !side.sparse {
		all = append(all, side.asking(s.python, result.HDF5))
	}
	if err := s.compete(min(s.rounds, 3), measures, all...); err != nil {
		return err
	}
	m := measures[0]
	for _, peer := range m.Sides {
		what := fmt.Sprintf("%s, %s, %s, %s", m.Data, m.Place, m.Op, peer.Peer)
		s.figure("written for a row", what, float64(peer.Size)/float64(rows), "bytes")
	}
	return nil
}

// A rowSide appends rows to an array in a file. The size in its answers is the number of bytes
// written.
type rowSide struct {
	set            *data.Set
	job            job
	chunks, blocks ndarray.Shape
	dir            string
	sparse         bool
	commits        int
}

// round appends the rows with cairn.
func (r *rowSide) round(int) (answer, error) {
	path := filepath.Join(r.dir, "cairn.b2nd")
	defer os.RemoveAll(path)
	runtime.GC() // do not measure the collection of earlier garbage
	wroteBefore, usedBefore := bytesWritten(), processorTime()
	took, err := since(func() error { return r.append(path) })
	if err != nil {
		return answer{}, err
	}
	wrote, used := bytesWritten()-wroteBefore, processorTime()-usedBefore
	u, err := ndarray.Open(path, nil)
	if err != nil {
		return answer{}, err
	}
	defer u.Close()
	got, err := u.Read(context.Background())
	if err == nil && !bytes.Equal(got, r.set.Bytes) {
		err = errChanged
	}
	rows := float64(r.set.Shape[0])
	return answer{[]float64{took / rows, used / rows}, wrote}, err
}

func (r *rowSide) append(path string) error {
	j := r.job
	u, err := ndarray.CreateUntyped(path, r.set.DType, ndarray.Shape{0, r.set.Shape[1]}, &ndarray.Options{
		ChunkShape: r.chunks, BlockShape: r.blocks, Codec: j.codec, Level: j.optionLevel(),
		Filters: j.filters(), Workers: j.threads, Sparse: r.sparse, FS: unsynced()})
	if err != nil {
		return err
	}
	rows := int(r.set.Shape[0])
	size := len(r.set.Bytes) / rows
	for i := range rows {
		if err := u.Append(context.Background(), 0, r.set.Bytes[i*size:][:size]); err != nil {
			return err
		}
		if done := i + 1; done < rows && done%(rows/r.commits) == 0 {
			if err := u.Commit(context.Background()); err != nil {
				return err
			}
		}
	}
	return u.Close()
}

// asking returns a contender that does the same with a library of the Python side.
func (r *rowSide) asking(python *snake, library string) contender {
	path := filepath.Join(r.dir, "python")
	return contender{library, func(int) (answer, error) {
		defer os.RemoveAll(path)
		return python.timed(r.job, 1, map[string]any{"do": "rows", "library": library, "path": path,
			"sparse": r.sparse, "commits": r.commits, "chunks": r.chunks, "blocks": r.blocks})
	}}
}

// processorTime returns the processor time of all threads of this process, in seconds.
func processorTime() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// bytesWritten returns how many bytes this process has written to files, or 0 if the system does
// not count them.
func bytesWritten() int64 {
	f, err := os.Open("/proc/self/io")
	if err != nil {
		return 0
	}
	defer f.Close()
	var n int64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "wchar: "); ok {
			fmt.Sscan(text, &n)
		}
	}
	return n
}
