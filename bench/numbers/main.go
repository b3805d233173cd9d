// The command numbers is the Go side of compare.py: it prints what arrays take in the codec numeric
// and others of cairn, and how fast whole arrays in memory are written and read, as CSV. With
// -chart it draws what compare.py collected.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/shuffle"
)

var (
	least = flag.Duration("time", 100*time.Millisecond, "how long each array is read and written, at least")
	peers = flag.Bool("peers", false, "measure the speed of the other codecs too")
	drawn = flag.String("chart", "", "draw a `FILE` that compare.py wrote, as numbers.svg in -out")
	out   = flag.String("out", ".", "`DIR` for the chart")
)

// A coder is a codec with its filters. Blocks has the size in KiB of the blocks of the array as a
// sequence of items; 0 leaves shape and blocks as they are.
type coder struct {
	name    string
	options ndarray.Options
	blocks  int
	timed   bool
}

func coders() []coder {
	deltas := func(size uint8) []shuffle.Spec { return []shuffle.Spec{shuffle.Byte, shuffle.ByteDelta(size)} }
	all := []coder{
		{"numeric", ndarray.Options{Codec: codecs.Numeric, Filters: []shuffle.Spec{shuffle.None}}, 0, true},
		{"zstd", ndarray.Options{Codec: codecs.Zstd}, 0, true},
		{"lz4", ndarray.Options{Codec: codecs.LZ4}, 0, *peers},
		{"zlib", ndarray.Options{Codec: codecs.Zlib}, 0, *peers},
		{"zstd bitshuffle", ndarray.Options{Codec: codecs.Zstd, Filters: []shuffle.Spec{shuffle.Bit}}, 0, *peers},
	}
	for _, blocks := range []int{64, 128, 256} {
		for _, f := range []struct {
			name    string
			filters []shuffle.Spec
		}{
			{"shuffle", []shuffle.Spec{shuffle.Byte}}, {"bitshuffle", []shuffle.Spec{shuffle.Bit}},
			{"bytedelta", deltas(0)},
		} {
			name := fmt.Sprintf("zstd %s %d", f.name, blocks)
			all = append(all, coder{name, ndarray.Options{Codec: codecs.Zstd, Filters: f.filters}, blocks, false})
		}
	}
	return all
}

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: numbers [flags] ARRAY.npy…")
		flag.PrintDefaults()
	}
	flag.Parse()
	var err error
	if *drawn != "" {
		err = draw(*drawn, *out)
	} else {
		err = measureAll(flag.Args())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// measureAll prints a row for each array, codec and number of threads: the array, its bytes, the
// codec, threads, bytes stored, and GB/s of encoding and decoding, 0 where that was not measured.
func measureAll(paths []string) error {
	for _, path := range paths {
		a, err := load(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, c := range coders() {
			for threads := 1; threads <= 2; threads++ {
				if threads == 2 && !c.timed {
					continue
				}
				r, err := a.measure(c, threads)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", path, c.name, err)
				}
				fmt.Printf("%s,%d,%s,%d,%d,%.4f,%.4f\n", a.name, len(a.items), c.name, threads, r.stored, r.encode, r.decode)
			}
		}
	}
	return nil
}

// An array is in memory.
type array struct {
	name  string
	dtype string
	size  int // of an item
	shape ndarray.Shape
	items []byte
}

func load(path string) (*array, error) {
	src, err := npy.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	n := int64(1)
	for _, length := range src.Shape() {
		n *= length
	}

	a := &array{name: strings.TrimSuffix(filepath.Base(path), ".npy"), dtype: src.DType().String(),
		size: src.DType().Size(), shape: src.Shape()}
	a.items = make([]byte, n*int64(a.size))
	return a, src.ReadBytes(context.Background(), a.items, make([]int64, len(a.shape)), a.shape)
}

// A result is of one codec on one array.
type result struct {
	stored         int64
	encode, decode float64 // GB/s
}

// measure writes the array and reads it again.
func (a *array) measure(c coder, threads int) (r result, err error) {
	ctx := context.Background()
	o := c.options
	o.Level = 5
	o.Workers = threads
	o.NoCache = true
	o.WriteBehind = 1
	shape := a.shape
	if c.blocks > 0 {
		n := int64(len(a.items) / a.size)
		shape = ndarray.Shape{n}
		o.BlockShape = ndarray.Shape{min(n, int64(c.blocks<<10/a.size))}
		o.ChunkShape = ndarray.Shape{min(n, 4<<20/int64(a.size))}
	}

	u, err := ndarray.NewUntyped(a.dtype, shape, &o)
	if err != nil {
		return r, err
	}
	defer u.Close()
	write := func() error { return u.Write(ctx, a.items) }
	if err := write(); err != nil {
		return r, err
	}
	got := make([]byte, len(a.items))
	read := func() error { return u.ReadInto(ctx, got) }
	if err := read(); err != nil {
		return r, err
	}
	if !bytes.Equal(got, a.items) {
		return r, fmt.Errorf("other items")
	}
	for c, err := range u.Chunks(ctx) {
		if err != nil {
			return r, err
		}
		r.stored += c.Stored
	}

	if !c.timed {
		return r, nil
	}
	if r.encode, err = speed(len(a.items), write); err != nil {
		return r, err
	}
	r.decode, err = speed(len(a.items), read)
	return r, err
}

// speed returns how many GB/s the fastest of several calls handles.
func speed(size int, do func() error) (float64, error) {
	best := time.Duration(math.MaxInt64)
	for begin := time.Now(); time.Since(begin) < *least; {
		at := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		best = min(best, time.Since(at))
	}
	return float64(size) / float64(best.Nanoseconds()), nil
}

// read returns the file whose path is given, for the chart.
func read(path string) (string, error) {
	b, err := os.ReadFile(path)
	return string(b), err
}
