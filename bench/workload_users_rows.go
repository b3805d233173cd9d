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

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/ndarray"
)

// rowsAtOnce is the number of rows of a batch.
const rowsAtOnce = 32

// appends appends rows to an array, and counts the bytes that each library writes to files. With
// visible, all rows of a call are in the file when it returns: cairn commits and h5py flushes each
// time. The others always write at once.
func (s *userWork) appends(set *data.Set, j job) error {
	if err := s.c.load(set.Bytes); err != nil {
		return err
	}
	return s.within(set, j, s.appendsTo)
}

func (s *userWork) appendsTo(a *userArray) error {
	row := int64(len(a.set.Bytes)) / a.set.Shape[0]
	a.chunks = ndarray.Shape{64, a.set.Shape[1]}
	a.blocks = ndarray.Shape{8, a.set.Shape[1]}
	if err := s.describe(a.set, a.job, filepath.Join(a.dir, "c.b2nd"), a.chunks, a.blocks); err != nil {
		return err
	}

	for _, way := range []struct {
		op      string
		batch   int
		visible bool
	}{
		{"append rows", 1, false}, {"append rows, each visible", 1, true},
		{fmt.Sprintf("append %d rows, visible", rowsAtOnce), rowsAtOnce, true},
	} {
		m := a.measure(way.op, row)
		contenders := []contender{
			{result.C, func(int) (answer, error) { return s.c.command("array-append", way.batch) }},
			{result.Cairn, func(int) (answer, error) { return a.appendRows(way.batch, way.visible) }},
		}
		fields := map[string]any{"do": "array-append", "batch": way.batch, "visible": way.visible}
		contenders = append(contenders, s.libraries(a, fields)...)
		if err := s.compete(min(s.rounds, 3), []*result.Measure{m}, contenders...); err != nil {
			return fmt.Errorf("%s: %w", way.op, err)
		}

		for _, peer := range m.Sides {
			if a.job.threads > 1 { // as with one thread
				break
			}
			what := fmt.Sprintf("%s, %v, %s", m.Op, a.job, peer.Peer)
			s.figure("written for a row", what, float64(peer.Size)/float64(a.set.Shape[0]), "bytes")
		}
	}
	return nil
}

// appendRows appends the rows with cairn. The size in the answer is the number of bytes written.
func (a *userArray) appendRows(batch int, visible bool) (answer, error) {
	defer os.RemoveAll(a.path)
	runtime.GC() // do not measure the collection of earlier garbage
	before := bytesWritten()
	took, err := since(func() error { return a.appendAll(batch, visible) })
	if err != nil {
		return answer{}, err
	}
	wrote := bytesWritten() - before
	u, err := ndarray.Open(a.path, nil)
	if err != nil {
		return answer{}, err
	}
	defer u.Close()
	got, err := u.Read(context.Background())
	if err == nil && !bytes.Equal(got, a.set.Bytes) {
		err = errChanged
	}
	return answer{[]float64{took / float64(a.set.Shape[0])}, wrote}, err
}

func (a *userArray) appendAll(batch int, visible bool) error {
	ctx := context.Background()
	u, err := ndarray.CreateUntyped(a.path, a.set.DType, ndarray.Shape{0, a.set.Shape[1]}, a.options())
	if err != nil {
		return err
	}
	defer u.Abort()

	row := len(a.set.Bytes) / int(a.set.Shape[0])
	for rest := a.set.Bytes; len(rest) > 0; {
		n := min(batch*row, len(rest))
		if err := u.Append(ctx, 0, rest[:n]); err != nil {
			return err
		}
		if rest = rest[n:]; visible {
			if err := u.Commit(ctx); err != nil {
				return err
			}
		}
	}
	return u.Close()
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
