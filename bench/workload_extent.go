package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// An extent is an array in a file whose parts are measured: large, or of many chunks.
type extent struct {
	name                  string
	shape, chunks, blocks []int64
	regions               []region
	sparse                bool
}

// extents measures the cost of a part of fixed size against the size of the array, and against the
// number of its chunks. cairn writes the files; C gets a copy of each.
func (s *contest) extents() error {
	// Small chunks of the sparse set would be all zeros.
	walk, sparse := kind("walk.f8", 4<<20), kind("sparse.f8", 4<<20)
	j, err := newJob("lz4", "shuffle", 5, 1, sparse.TypeSize, s.chunkSize)
	if err != nil {
		return err
	}
	sizes := []int64{1 << 20, 16 << 20}
	if !s.quick {
		sizes = append(sizes, 256<<20)
	}
	if s.large {
		sizes = append(sizes, 4<<30)
	}
	for _, size := range sizes {
		if err := s.extent(sparse, j, bySize(size)); err != nil {
			return err
		}
	}
	for count := int64(1000); count <= int64(s.appended); count *= 10 {
		if err := s.extent(walk, j, byCount(count)); err != nil {
			return err
		}
	}
	return nil
}

// bySize returns an array of the given size in chunks of 1 MiB.
func bySize(bytes int64) *extent {
	rows := bytes / (64 << 10)
	e := &extent{name: fmt.Sprintf("%d MiB", bytes>>20), shape: []int64{rows, 128, 64}, chunks: []int64{16, 128, 64}, blocks: []int64{4, 32, 64}}
	middle := rows / 2
	e.regions = []region{
		{op: "slice", start: []int64{middle, 0, 0}, stop: []int64{middle + 1, 128, 64}},
		{op: "point", start: []int64{middle, 60, 30}, stop: []int64{middle + 1, 61, 31}},
		{op: "read box", start: []int64{middle - 6, 30, 7}, stop: []int64{middle + 6, 80, 57}},
		{op: "write box, commit", put: true, commit: true,
			start: []int64{middle - 6, 30, 7}, stop: []int64{middle + 6, 80, 57}},
	}
	return e
}

// byCount returns an array of the given number of chunks of 1 KiB.
func byCount(count int64) *extent {
	rows := count * 8
	e := &extent{name: fmt.Sprintf("%d chunks", count), shape: []int64{rows, 16}, chunks: []int64{8, 16}, blocks: []int64{8, 16}}
	middle := rows / 2
	e.regions = []region{
		{op: "slice", start: []int64{middle, 0}, stop: []int64{middle + 64, 16}},
		{op: "point", start: []int64{middle, 5}, stop: []int64{middle + 1, 6}},
		{op: "read box", start: []int64{middle - 4, 3}, stop: []int64{middle + 12, 13}},
		{op: "write box, commit", put: true, commit: true,
			start: []int64{middle - 4, 3}, stop: []int64{middle + 12, 13}},
	}
	return e
}

// extent writes the array and measures its parts.
func (s *contest) extent(set *data.Set, j job, e *extent) error {
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, err := s.openBoth(set, j, e, dir)
	if err != nil {
		return err
	}
	defer ours.Abort()
	for _, r := range e.regions {
		m := j.measure("extent", r.op, set)
		m.Data, m.Place, m.Latency = set.Name+" "+e.name, "disk", true
		m.Bytes, m.Count = r.bytes(set.TypeSize), ours.NumChunks()
		err := s.compete(s.rounds, []*result.Measure{m},
			contender{result.C, func(reps int) (answer, error) {
				return s.c.command(r.verb(), r.reps(reps), list(r.start), list(r.stop))
			}},
			contender{result.Cairn, func(reps int) (answer, error) { return r.times(ours, set.Bytes, r.reps(reps)) }})
		if err != nil {
			return fmt.Errorf("%s of %s: %w", r.op, e.name, err)
		}
	}
	return nil
}

// openBoth writes the array into a directory, gives C a copy of it, and opens both. C writes the
// items of set later.
func (s *contest) openBoth(set *data.Set, j job, e *extent, dir string) (*ndarray.Untyped, error) {
	if err := s.c.load(set.Bytes); err != nil {
		return nil, err
	}
	path, theirs := filepath.Join(dir, "cairn.b2nd"), filepath.Join(dir, "c.b2nd")
	if err := e.write(path, set, j); err != nil {
		return nil, err
	}
	if err := copyFrame(theirs, path, e.sparse); err != nil {
		return nil, err
	}
	if _, err := s.c.command("array-open", theirs, set.TypeSize, len(e.shape)); err != nil {
		return nil, err
	}
	return ndarray.Open(path, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Workers: 1, FS: unsynced()})
}

// write creates the array, slab by slab.
func (e *extent) write(path string, set *data.Set, j job) error {
	u, err := ndarray.CreateUntyped(path, set.DType, e.shape, &ndarray.Options{
		ChunkShape: e.chunks, BlockShape: e.blocks, Codec: j.codec, Level: j.optionLevel(), Filters: j.filters(),
		FS: unsynced(), Sparse: e.sparse})
	if err != nil {
		return err
	}
	defer u.Abort()
	row := u.Len() * int64(set.TypeSize) / e.shape[0]
	slab := int64(len(set.Bytes)) / row
	start, stop := make([]int64, len(e.shape)), append([]int64{}, e.shape...)
	for at := int64(0); at < e.shape[0]; at = stop[0] {
		start[0], stop[0] = at, min(at+slab, e.shape[0])
		if err := u.WriteBox(context.Background(), set.Bytes[:(stop[0]-at)*row], start, stop); err != nil {
			return err
		}
	}
	return u.Close()
}

// copyFrame copies a frame in a file or a directory.
func copyFrame(to, from string, directory bool) error {
	if directory {
		return os.CopyFS(to, os.DirFS(from))
	}
	return copyFile(to, from)
}

func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		dst.Close()
		return err
	}
	return dst.Close()
}

// verb returns the command of the C side for the region.
func (r region) verb() string {
	if r.put {
		return "array-put"
	}
	return "array-read"
}

// reps limits the repetitions of writes, which leave dead bytes behind.
func (r region) reps(n int) int {
	if r.put {
		return min(n, mostPuts)
	}
	return n
}

// times reads or writes the region, each write with a commit, and returns the shortest time.
func (r region) times(u *ndarray.Untyped, data []byte, reps int) (answer, error) {
	ctx, buffer := context.Background(), make([]byte, r.bytes(u.TypeSize()))
	work := func() error { return u.ReadBytes(ctx, buffer, r.start, r.stop) }
	if r.put {
		work = func() error {
			if err := u.WriteBox(ctx, data[:len(buffer)], r.start, r.stop); err != nil {
				return err
			}
			return u.Commit(ctx)
		}
	}
	times, err := fastest(reps, func() ([]float64, error) {
		t, err := since(work)
		return []float64{t}, err
	})
	return answer{Seconds: times}, err
}
