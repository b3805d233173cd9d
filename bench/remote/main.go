// Command remote counts the requests and bytes, and measures the time, of reads of a large array on
// a web server: by cairn, by python-blosc2 over fsspec, and by zarr-python over fsspec from a store
// of version 3 whose shards and inner chunks are the chunks and blocks of the Blosc2 file.
//
//	go run ./remote -python PYTHON -dir /tmp -latency 20ms -bandwidth 100
//
// All peers read from the same server, a part of this program, which delays every answer and limits
// the bandwidth of all connections together. The interpreter needs blosc2, zarr and fsspec[http].
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

// A division is how the array is divided.
type division struct {
	name         string
	chunk, block ndarray.Shape
}

// shape is that of the array: 1 GiB of int32.
var shape = ndarray.Shape{500, 512, 1050}

var divisions = []division{
	{"500 blocks", ndarray.Shape{5, 512, 1050}, ndarray.Shape{1, 512, 1050}},
	{"50,000 blocks", ndarray.Shape{20, 128, 210}, ndarray.Shape{4, 32, 42}},
}

// A reading is a part of the array.
type reading struct {
	Name  string  `json:"name"`
	Start []int64 `json:"start"`
	Stop  []int64 `json:"stop"`
}

var readings = []reading{
	{"open", nil, nil},
	{"point", []int64{270, 300, 600}, []int64{271, 301, 601}},
	{"plane", []int64{270, 0, 0}, []int64{271, 512, 1050}},
	{"box", []int64{130, 50, 60}, []int64{160, 120, 170}},
	{"series", []int64{0, 300, 600}, []int64{500, 301, 601}},
	{"whole", []int64{0, 0, 0}, shape},
}

func main() {
	dir := flag.String("dir", os.TempDir(), "where the files go; they are removed")
	python := flag.String("python", "", "interpreter with blosc2, zarr and fsspec[http]; none if empty")
	latency := flag.Duration("latency", 20*time.Millisecond, "added to each request")
	bandwidth := flag.Float64("bandwidth", 100, "of the server, in MB/s; 0 means no limit")
	requests := flag.Int("requests", 0, "in flight; 0 means the default of each library")
	rounds := flag.Int("rounds", 1, "how often each read is measured; the fastest counts")
	flag.Parse()
	o := options{python: *python, requests: *requests, rounds: *rounds, latency: *latency, rate: *bandwidth * 1e6}
	if err := run(context.Background(), *dir, o); err != nil {
		fmt.Fprintln(os.Stderr, "remote:", err)
		os.Exit(1)
	}
}

type options struct {
	python           string
	requests, rounds int
	latency          time.Duration
	rate             float64 // bytes per second
}

func run(ctx context.Context, dir string, o options) error {
	fmt.Printf("server: %v added to each request, %.0f MB/s for all connections together\n", o.latency, o.rate/1e6)
	for _, d := range divisions {
		within, err := os.MkdirTemp(dir, "remote-")
		if err != nil {
			return err
		}
		err = compare(ctx, within, d, o)
		if gone := os.RemoveAll(within); err == nil {
			err = gone
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}

// compare makes the files of a division, and lets all peers read them.
func compare(ctx context.Context, dir string, d division, o options) error {
	if err := produce(ctx, dir, d); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, "a.b2nd"))
	if err != nil {
		return err
	}

	fmt.Printf("\n%s: %d MiB of int32 in chunks of %v and blocks of %v, LZ4: %.1f MiB\n\n", d.name,
		4*d.items(shape)>>20, d.chunk, d.block, float64(info.Size())/(1<<20))

	s := serve(dir, o.latency, o.rate)
	defer s.Close()
	peers := []peer{{"cairn", cairnReader{s.URL, o.requests}.read}}
	if o.python != "" {
		p, err := startPython(o.python, s.URL, o.requests)
		if err != nil {
			return err
		}
		defer p.close()
		peers = append(peers, peer{"python-blosc2", p.reader("blosc2")}, peer{"zarr-python", p.reader("zarr")})
	}
	return table(ctx, s, peers, o.rounds)
}

func (division) items(shape ndarray.Shape) int64 {
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// produce writes the array to dir as a Blosc2 file and as a Zarr store.
func produce(ctx context.Context, dir string, d division) error {
	a, err := ndarray.Create[int32](filepath.Join(dir, "a.b2nd"), shape, &ndarray.Options{
		ChunkShape: d.chunk, BlockShape: d.block, Codec: codecs.LZ4, Level: 5})
	if err != nil {
		return err
	}
	rows := d.chunk[0]
	slab := make([]int32, d.items(ndarray.Shape{rows, shape[1], shape[2]}))
	for from := int64(0); from < shape[0]; from += rows {
		fill(slab, from)
		if err := a.Write(ctx, slab, ndarray.Range(from, from+rows)); err != nil {
			return err
		}
	}
	if err := zarr.Save(ctx, filepath.Join(dir, "a.zarr"), a, &zarr.SaveOptions{Chunks: d.block, Shards: d.chunk,
		Codec: codecs.LZ4, Level: 5}); err != nil {
		return err
	}
	return a.Close()
}

// fill fills layers of the array from one on: waves with a little noise, as of a rounded
// measurement.
func fill(items []int32, from int64) {
	state := uint64(from)*0x9e37_79b9_7f4a_7c15 + 1
	waves := make([]float64, shape[2])
	for x := range waves {
		waves[x] = 3000 * math.Sin(float64(x)/50)
	}
	for i := range items {
		x := int64(i) % shape[2]
		y := int64(i) / shape[2] % shape[1]
		z := from + int64(i)/(shape[1]*shape[2])
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		items[i] = int32(waves[x]) + int32(20*y+7*z) + int32(state>>60)
	}
}
