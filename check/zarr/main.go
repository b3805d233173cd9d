// Command zarr exchanges random Zarr stores with zarr-python, in both directions: cairn reads what
// zarr-python wrote, and zarr-python and TensorStore read what cairn wrote of that.
//
//	go run ./check/zarr -python PYTHON -cases 500 -seed 1
//
// PYTHON has zarr, numcodecs and perhaps tensorstore. With -zarrita DIR, Node.js with the module
// zarrita in DIR reads some of the stores too. With -onefile N, all read Blosc2 files with
// references. It prints its counts as JSON, and exits with 1 if there was a difference.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/check/harness"
)

//go:embed peer.py
var peerSource string

type counts struct {
	Seed                         uint64
	Versions                     string
	Stores, Arrays, Boxes        int // read by cairn
	Written, Zipped, Version2    int // arrays written by cairn
	TensorStore, Zarrita, Failed int
	Failures                     harness.Failures[string]
}

func main() {
	python := flag.String("python", "python3", "`PROGRAM` with zarr and numcodecs")
	zarrita := flag.String("zarrita", "", "`DIR` in which npm has installed zarrita")
	cases := flag.Int("cases", 200, "exchange `N` stores")
	seed := flag.Uint64("seed", 0, "`SEED` of all choices; 0 takes one from the clock")
	files := flag.Int("onefile", 0, "instead, read `N` Blosc2 files as Zarr arrays; PYTHON has blosc2 and xarray too")
	one := flag.Int("case", -1, "run only case `K`, and keep its files")
	flag.Parse()
	c := counts{Seed: harness.Seed(*seed)}
	var err error
	if *files > 0 {
		err = oneFile(&c, *python, *files)
	} else {
		err = run(&c, *python, *zarrita, *cases, *one)
	}
	harness.Exit(cmp.Or(err, harness.Report("zarr", &c, c.Failed)))
}

func run(c *counts, python, zarrita string, cases, one int) error {
	peer, versions, err := harness.Python(python, peerSource)
	if err != nil {
		return err
	}
	defer peer.Close()
	c.Versions = versions

	root, err := os.MkdirTemp("", "cairn-zarr-")
	if err != nil {
		return err
	}
	if one < 0 {
		defer os.RemoveAll(root)
	} else {
		fmt.Fprintln(os.Stderr, "files are in", root)
	}

	js, err := harness.StartZarrita(zarrita)
	if err != nil {
		return err
	}
	if js.Peer != nil {
		defer js.Close()
	}

	for k := range cases {
		if one >= 0 && k != one {
			continue
		}
		x := exchange{counts: c, drawer: drawer{rand.New(rand.NewPCG(c.Seed, uint64(k)))}, peer: peer, js: js,
			dir: filepath.Join(root, fmt.Sprint(k))}
		if err := os.Mkdir(x.dir, 0o777); err != nil {
			return err
		}
		err := x.run()
		if errors.Is(err, harness.ErrEnded) {
			return err
		}
		if err != nil {
			c.Failed++
			c.Failures.Add(fmt.Sprintf("case %d: %v", k, err))
		}
		if one < 0 {
			if err := os.RemoveAll(x.dir); err != nil {
				return err
			}
		}
	}
	return nil
}
