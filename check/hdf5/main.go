// Command hdf5 reads random HDF5 files with package hdf5 that h5py, PyTables, netCDF4-python and
// h5netcdf have written, and compares everything with what h5py reads: groups, links, attributes,
// and datasets as a whole and by boxes. With each file there are others that lead into one another,
// by links and as virtual datasets, of which folders are allowed or missing.
//
//	go run ./check/hdf5 -python PYTHON -cases 500 -seed 1
//	go run ./check/hdf5 -python PYTHON -files DIR
//
// PYTHON has h5py, hdf5plugin, tables, netCDF4, h5netcdf and numpy. With -files, it compares all
// HDF5 files below DIR instead, and prints a line for each. It prints its counts as JSON, and exits
// with 1 if there was a difference.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
)

//go:embed draw.py
var drawSource string

//go:embed links.py
var linksSource string

//go:embed peer.py
var peerSource string

type counts struct {
	Seed           uint64
	Versions       string
	Crashes        int // of the peer
	Files          int
	Objects        int // groups and datasets
	Datasets       int // of which everything was compared
	Attributes     int
	Paths          int // by links of all kinds
	Boxes          int
	Refused        map[string]int // datasets and attributes that cairn does not read, by reason
	UnreadByH5py   int            // files and datasets
	Undefined      int            // items of virtual datasets that h5py leaves as they were
	Covered        *coverage
	Failed         int
	Failures       harness.Failures[string]
	python, writer string
	peer           *harness.Peer
	cases, one     int
}

func main() {
	c := counts{Refused: map[string]int{}, Covered: newCoverage()}
	flag.StringVar(&c.python, "python", "python3", "`PROGRAM` with h5py and what else writes the files")
	flag.IntVar(&c.cases, "cases", 100, "read `N` files")
	seed := flag.Uint64("seed", 0, "`SEED` of all choices; 0 takes one from the clock")
	flag.StringVar(&c.writer, "writer", "", "let only `WRITER` write: h5py, PyTables, netCDF4 or h5netcdf")
	flag.IntVar(&c.one, "case", -1, "read only case `K`, and keep its files")
	files := flag.String("files", "", "instead, read the HDF5 files below `DIR`")
	flag.Parse()

	c.Seed = harness.Seed(*seed)
	err := c.start()
	if err == nil {
		if *files != "" {
			err = c.foreign(*files)
		} else {
			err = c.random()
		}
	}

	harness.Exit(cmp.Or(err, harness.Report("hdf5", &c, c.Failed)))
}

// start starts the peer, anew if it has ended.
func (c *counts) start() (err error) {
	c.peer, c.Versions, err = harness.Python(c.python, drawSource+linksSource+peerSource)
	return err
}

// random compares random files.
func (c *counts) random() error {
	root, err := os.MkdirTemp("", "cairn-hdf5-")
	if err != nil {
		return err
	}

	if c.one < 0 {
		defer os.RemoveAll(root)
	} else {
		fmt.Fprintln(os.Stderr, "files are in", root)
	}

	for k := range c.cases {
		if c.one >= 0 && k != c.one {
			continue
		}

		err := c.files(root, k)
		if errors.Is(err, harness.ErrEnded) {
			return err
		}
		if err != nil {
			c.Failed++
			c.Failures.Add(fmt.Sprintf("case %d: %v", k, err))
		}
	}
	return c.peer.Close()
}

// files compares the files of a case. Several copies of the HDF5 library in the peer's process make
// it crash now and then: the case is then done again, with a new peer.
func (c *counts) files(root string, k int) error {
	both := func() error { return errors.Join(c.file(root, k), c.links(root, k)) }
	err := both()
	if !errors.Is(err, harness.ErrEnded) {
		return err
	}

	c.Crashes++
	if err := c.start(); err != nil {
		return err
	}
	return both()
}

// file writes and compares one file.
func (c *counts) file(root string, k int) error {
	path := filepath.Join(root, fmt.Sprintf("%d.h5", k))
	var made struct{ Writer, Libver string }
	err := c.peer.Call(map[string]any{"op": "write", "seed": c.Seed, "case": k, "writer": c.writer, "path": path}, &made)
	if err != nil {
		return err
	}

	x := comparison{counts: c, Rand: rand.New(rand.NewPCG(c.Seed, uint64(k))), path: path, writer: made.Writer}
	c.Files++
	c.Covered.add("writer", made.Writer)
	c.Covered.add("libver", made.Libver)
	if !strings.HasPrefix(made.Libver, "NETCDF3") {
		err = x.run()
	}
	if strings.HasPrefix(made.Writer, "netCDF4") {
		err = errors.Join(err, x.netcdf(path+".items"))
	}

	if c.one < 0 {
		err = errors.Join(err, os.Remove(path), os.Remove(path+".items"))
	}
	return err
}

// A coverage counts what was compared: how often each feature, and each pair of features of a
// dataset, occurred.
type coverage struct {
	Features map[string]map[string]int
	Pairs    map[string]int // number of different pairs, by the kinds of features
	Chains   int            // number of different lists of filters
	seen     map[string]bool
}

func newCoverage() *coverage {
	return &coverage{map[string]map[string]int{}, map[string]int{}, 0, map[string]bool{}}
}

func (c *coverage) add(kind, feature string) {
	if c.Features[kind] == nil {
		c.Features[kind] = map[string]int{}
	}
	c.Features[kind][feature]++
}

// first reports whether something is seen for the first time.
func (c *coverage) first(what string) bool {
	known := c.seen[what]
	c.seen[what] = true
	return !known
}

// dataset counts the features of a dataset, of each kind any number.
func (c *coverage) dataset(features map[string][]string) {
	for kind, list := range features {
		for _, f := range list {
			c.add(kind, f)
		}
	}

	if c.first(fmt.Sprint("chain ", features["filter"])) {
		c.Chains++
	}

	for one, list := range maps.All(features) {
		for other, others := range features {
			if one >= other {
				continue
			}
			for _, a := range list {
				for _, b := range others {
					if pair := one + " × " + other; c.first(pair + a + " × " + b) {
						c.Pairs[pair]++
					}
				}
			}
		}
	}
}
