package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// memory counts allocations per chunk in steady state, and the peak memory of copying a whole
// array.
func (s *contest) memory() error {
	set := data.Cube(128)
	for _, codec := range s.codecs {
		for _, threads := range s.threads {
			j, err := newJob(codec, "shuffle", 5, threads, set.TypeSize, 256<<10)
			if err != nil {
				return err
			}
			enc, dec, err := allocations(set, j)
			if err != nil {
				return err
			}
			s.figure("allocations encoding a chunk", j.String(), enc, "per chunk")
			s.figure("allocations decoding a chunk", j.String(), dec, "per chunk")
		}
	}
	for _, threads := range s.threads {
		if err := s.peaks(threads); err != nil {
			return err
		}
	}
	return nil
}

func (s *contest) figure(name, what string, value float64, unit string) {
	s.report.Figures = append(s.report.Figures, result.Figure{Name: name, What: what, Value: value, Unit: unit})
	fmt.Fprintf(os.Stderr, "%s, %s: %.2f %s\n", name, what, value, unit)
}

// allocations returns the allocations of one encoder and one decoder per chunk, after they have
// grown their buffers. It rounds down, like testing.AllocsPerRun, because the runtime also
// allocates.
func allocations(set *data.Set, j job) (encoding, decoding float64, err error) {
	side, err := newChunkSide(j, set.Bytes)
	if err != nil {
		return 0, 0, err
	}
	back := make([]byte, len(set.Bytes))
	count := func(work func() error) (float64, error) {
		const runs = 5
		if err := work(); err != nil {
			return 0, err
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			if err := work(); err != nil {
				return 0, err
			}
		}
		runtime.ReadMemStats(&after)
		return float64((after.Mallocs - before.Mallocs) / uint64(runs*len(side.out))), nil
	}
	pieces := func(data []byte, work func(i int, piece []byte) error) func() error {
		return func() error {
			for i := range side.out {
				if err := work(i, data[i*j.chunkSize:min((i+1)*j.chunkSize, len(data))]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	compress := func(i int, src []byte) error { _, err := side.compress(i, src); return err }
	if encoding, err = count(pieces(set.Bytes, compress)); err != nil {
		return 0, 0, err
	}
	decoding, err = count(pieces(back, side.decompress))
	return encoding, decoding, err
}

// peaks copies an array from disk to memory, and from memory to disk, and measures the growth of
// the process. It adds no figures if the system does not provide them.
func (s *contest) peaks(threads int) error {
	set := data.Cube(s.side)
	edge := max(int64(s.side)/4, 1) // 64 chunks
	chunks, blocks := ndarray.Shape{edge, edge, edge}, ndarray.Shape{max(edge/4, 1), max(edge/2, 1), max(edge/2, 1)}
	chunkBytes := float64(chunks[0] * chunks[1] * chunks[2] * int64(set.TypeSize))
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	j, err := newJob("lz4", "shuffle", 5, threads, set.TypeSize, int(chunkBytes))
	if err != nil {
		return err
	}
	a := &arraySide{set: set, job: j, chunks: chunks, blocks: blocks, path: dir + "/peak.b2nd"}
	defer a.drop()
	if err := a.create(); err != nil {
		return err
	}
	written, ok, err := growth(a.fill)
	if err != nil || !ok {
		return err
	}
	whole := regions(set.Shape)[0]
	a.buffer = make([]byte, len(set.Bytes))
	clear(a.buffer)
	read, _, err := growth(func() error {
		return a.array.ReadBytes(context.Background(), a.buffer, whole.start, whole.stop)
	})
	what := fmt.Sprintf("lz4, %d workers", threads)
	s.figure("peak memory writing a whole array", what, written/chunkBytes/float64(threads), "chunks per worker")
	s.figure("peak memory reading a whole array", what, read/chunkBytes/float64(threads), "chunks per worker")
	return err
}

// growth returns how far, in bytes, the memory of the process rises above its current size while
// work runs.
func growth(work func() error) (float64, bool, error) {
	runtime.GC()
	debug.FreeOSMemory()
	before, ok := resident("VmRSS")
	if !ok || os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil { // reset the peak
		return 0, false, work()
	}
	err := work()
	after, ok := resident("VmHWM")
	return max(after-before, 0), ok, err
}

// resident returns a field of /proc/self/status, in bytes.
func resident(name string) (float64, bool) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name+":"); ok {
			var kib float64
			_, err := fmt.Sscan(rest, &kib)
			return kib * 1024, err == nil
		}
	}
	return 0, false
}
