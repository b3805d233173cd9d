// Command hdf5 measures reads of HDF5 files beside h5py and netCDF4-python, and conversions to
// Blosc2 files beside h5py with python-blosc2.
//
//	go run ./hdf5 -python PYTHON -dir DIR
//
// All read the same files, which netCDF4-python or, for Blosc2 and Zstandard with shuffle, h5py has
// written, and take turns within a round. Each read returns the items in new memory. Parts are read
// at four places in turn, so that no cache of chunks helps, small ones several times, of which the
// fastest counts. A ratio is the time of a library by that of cairn in the same round; medians are
// over rounds, means of ratios geometric. With two threads, cairn has two workers; h5py, which has
// a global lock, reads halves in two threads of Python, and netCDF4-python, which must not be used
// in several, the whole in one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
)

type config struct {
	python, dir string
	bytes       int
	rounds      int
	cairn       string // the command
	parts       []string
}

func main() {
	var c config
	gib := flag.Float64("gib", 1, "size of the arrays")
	kinds := flag.String("kinds", "temperature.f4", "comma-separated `LIST` of arrays of package data")
	files := flag.String("files", "gzip,zstd,blosc2,contiguous,zstd-alone", "comma-separated `LIST` of files to read")
	flag.StringVar(&c.python, "python", "python3", "`PROGRAM` with h5py, hdf5plugin, netCDF4 and blosc2")
	flag.StringVar(&c.dir, "dir", os.TempDir(), "where the files go; they stay, and are made unless they exist")
	flag.IntVar(&c.rounds, "rounds", 5, "number of rounds")
	some := flag.String("parts", "", "comma-separated `LIST` of parts to read, such as series,box; all by default")
	makeOnly := flag.Bool("make", false, "only make the files")
	convert := flag.String("cairn", "", "the command `cairn`, to measure conversions of the first file")
	flag.Parse()
	c.bytes, c.cairn = int(*gib*(1<<30)), *convert
	if *some != "" {
		c.parts = strings.Split(*some, ",")
	}
	if err := c.run(strings.Split(*kinds, ","), strings.Split(*files, ","), *makeOnly); err != nil {
		fmt.Fprintln(os.Stderr, "hdf5:", err)
		os.Exit(1)
	}
}

func (c *config) run(kinds, files []string, makeOnly bool) error {
	peer, err := startPeer(c.python)
	if err != nil {
		return err
	}
	defer peer.close()
	fmt.Printf("%s, %d processors; %s\n", runtime.Version(), runtime.NumCPU(), peer.versions)
	for _, kind := range kinds {
		made, chunks, err := c.makeFiles(peer, kind, files)
		if err != nil || makeOnly {
			if err != nil {
				return err
			}
			continue
		}
		if c.cairn != "" {
			if err := c.conversions(kind, made[0], chunks); err != nil {
				return err
			}
			continue
		}
		var all []row
		for i, path := range made {
			rows, err := c.reads(context.Background(), peer, kind, files[i], path, chunks)
			if err != nil {
				return err
			}
			all = append(all, rows...)
		}
		printMeans(all)
	}
	return nil
}

// makeFiles makes the files of an array, unless they exist, and returns their paths and the shape
// of their chunks.
func (c *config) makeFiles(p *peer, kind string, files []string) (paths []string, chunks []int64, err error) {
	i := slices.IndexFunc(data.Kinds(), func(k data.Kind) bool { return k.Make(1<<10).Name == kind })
	if i < 0 {
		return nil, nil, fmt.Errorf("no array %q", kind)
	}
	npy := filepath.Join(c.dir, kind+".npy")
	dims := len(data.Kinds()[i].Make(1 << 16).Shape)
	chunks = map[int][]int64{1: {1 << 18}, 2: {512, 512}, 3: {16, 128, 128}}[dims]
	for _, file := range files {
		path := filepath.Join(c.dir, kind+"-"+file+".nc")
		paths = append(paths, path)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if _, err := os.Stat(npy); errors.Is(err, os.ErrNotExist) {
			if err := data.Kinds()[i].Make(c.bytes).Write(c.dir); err != nil {
				return nil, nil, err
			}
		}
		if _, err := p.call(map[string]any{"op": "make", "kind": file, "npy": npy, "path": path, "chunks": chunks}); err != nil {
			return nil, nil, err
		}
	}
	if err := os.Remove(npy); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	return paths, chunks, nil
}
