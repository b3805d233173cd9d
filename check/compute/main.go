// Command compute compares compute.Calc with NumPy: random expressions and reductions over random
// arrays, through a Python interpreter.
//
//	go run ./check/compute -python PYTHON -cases 2000 -seed 1
//
// Python draws the arrays and the expressions, and judges the results: they must have NumPy's dtype
// and shape, and its items, to the bit where no rounding is stated. What NumPy refuses, cairn must
// refuse too. The first difference ends the run with status 1 and the command that repeats it.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

//go:embed peer.py
var source string

func main() {
	python := flag.String("python", "python3", "interpreter that has blosc2 and numpy")
	cases := flag.Int("cases", 2000, "how many expressions to compute")
	first := flag.Int("first", 0, "number of the first case")
	seed := flag.Uint64("seed", 0, "seed of the cases; 0 takes one from the clock")
	flag.Parse()
	harness.Exit(run(*python, harness.Seed(*seed), *first, *cases))
}

func run(python string, seed uint64, first, cases int) (err error) {
	p, versions, err := harness.Python(python, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	fmt.Printf("seed %d, %s\n", seed, versions)
	dir, err := os.MkdirTemp("", "cairn-compute-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kinds := map[string]int{}
	for k := first; k < first+cases; k++ {
		kind, err := oneCase(p, dir, seed, k)
		if err != nil {
			return fmt.Errorf("case %d: %w\nrepeat with: go run ./check/compute -python %s -seed %d -first %d -cases 1",
				k, err, python, seed, k)
		}
		kinds[kind]++
	}
	fmt.Printf("%d expressions computed, 0 differences: %v\n", cases, kinds)
	return nil
}

type command struct {
	Op   string `json:"op"`
	Seed uint64 `json:"seed"`
	Case int    `json:"case"`
	Dir  string `json:"dir"`
}

// A drawn expression has its arrays in files NAME.npy.
type drawn struct {
	Text    string   `json:"text"`
	Names   []string `json:"names"`
	Kind    string   `json:"kind"`    // what it is about
	Refuse  string   `json:"refuse"`  // what NumPy said if it must be refused
	Complex bool     `json:"complex"` // there are complex numbers
}

// oneCase computes one expression, and returns what it is about.
func oneCase(p *harness.Peer, dir string, seed uint64, k int) (string, error) {
	c := command{Op: "draw", Seed: seed, Case: k, Dir: dir}
	var d drawn
	if err := p.Call(c, &d); err != nil {
		return "", err
	}
	err := d.compute(rand.New(rand.NewPCG(seed, uint64(k))), dir)
	switch {
	case d.Refuse != "" && err == nil:
		return "", fmt.Errorf("%s: computed, but NumPy says: %s", d.Text, d.Refuse)
	case d.Refuse != "":
		return "refused", nil
	case errors.Is(err, cairn.ErrType) && d.Complex:
		return "unsupported", nil // complex numbers have fewer functions here
	case err != nil:
		return "", fmt.Errorf("%s: %w", d.Text, err)
	}
	c.Op = "compare"
	if err := p.Call(c, &struct{}{}); err != nil {
		return "", fmt.Errorf("%s: %w", d.Text, err)
	}
	return d.Kind, nil
}

// compute writes the result of the expression to out.npy.
func (d *drawn) compute(rng *rand.Rand, dir string) error {
	ctx, sources := context.Background(), map[string]ndarray.Source{}
	for _, name := range d.Names {
		a, err := npy.Open(filepath.Join(dir, name+".npy"), nil)
		if err != nil {
			return err
		}
		defer a.Close()
		if sources[name] = a; rng.IntN(4) > 0 { // as a Blosc2 array, in chunks
			u, err := ndarray.Copy(ctx, a, chunks(rng, a.Shape()))
			if err != nil {
				return err
			}
			defer u.Close()
			sources[name] = u
		}
	}
	o := &compute.CalcOptions{Workers: 1 + rng.IntN(3), Memory: 1 << (14 + rng.IntN(12))}
	e, err := compute.Calc(ctx, d.Text, sources, o)
	if err != nil {
		return err
	}
	return npy.Save(ctx, filepath.Join(dir, "out.npy"), e, &npy.SaveOptions{Overwrite: true})
}

func chunks(rng *rand.Rand, shape ndarray.Shape) *ndarray.CopyOptions {
	o := &ndarray.CopyOptions{}
	if rng.IntN(3) == 0 || len(shape) == 0 {
		return o
	}
	for _, n := range shape {
		o.ChunkShape = append(o.ChunkShape, 1+rng.Int64N(max(1, n)))
	}
	return o
}
