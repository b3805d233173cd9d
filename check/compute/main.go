// Command compute compares compute.Calc and the verb stats with NumPy: random expressions,
// reductions and statistics of random arrays, through a Python interpreter.
//
//	go run ./check/compute -python PYTHON -cases 2000 -seed 1
//
// Python draws the arrays and the expressions, and judges the results: they must have NumPy's dtype
// and shape, and its items. Where the documentation of package compute states a rounding, an item
// lies within it, computed with long doubles; everything else is equal, signs of zeros included.
// What NumPy refuses, cairn must refuse too. Every second case is about one operator, function or
// reduction, so that 2000 cases have all of them, all pairs of dtypes, and all kinds of
// broadcasting; -v prints what occurred. The first difference ends the run with status 1 and the
// command that repeats it.
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

// The parts of the program in Python, in their order.
var (
	//go:embed draw.py
	drawing string
	//go:embed bounds.py
	bounds string
	//go:embed reductions.py
	reductions string
	//go:embed evaluate.py
	evaluating string
	//go:embed peer.py
	serving string
)

// fullRun is the number of cases in which everything occurs.
const fullRun = 2000

func main() {
	r := runner{}
	flag.StringVar(&r.python, "python", "python3", "interpreter that has blosc2 and numpy")
	flag.StringVar(&r.command, "command", "", "the command cairn; built from ./cmd/cairn if empty")
	flag.IntVar(&r.cases, "cases", fullRun, "how many expressions to compute")
	flag.IntVar(&r.first, "first", 0, "number of the first case")
	flag.BoolVar(&r.verbose, "v", false, "print which operators, functions and dtypes occurred")
	seed := flag.Uint64("seed", 0, "seed of the cases; 0 takes one from the clock")
	flag.Parse()
	r.seed = harness.Seed(*seed)
	harness.Exit(r.run())
}

type runner struct {
	python, command, dir string
	seed                 uint64
	first, cases         int
	verbose              bool
	peer                 *harness.Peer
}

func (r *runner) run() (err error) {
	p, versions, err := harness.Python(r.python, drawing+bounds+reductions+evaluating+serving)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()

	r.peer = p
	fmt.Printf("seed %d, %s\n", r.seed, versions)
	if r.dir, err = os.MkdirTemp("", "cairn-compute-*"); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)

	kinds := map[string]int{}
	for k := r.first; k < r.first+r.cases; k++ {
		kind, err := r.oneCase(k)
		if err != nil {
			return fmt.Errorf("case %d: %w\nrepeat with: go run ./check/compute -python %s -seed %d -first %d -cases 1",
				k, err, r.python, r.seed, k)
		}
		kinds[kind]++
	}

	fmt.Printf("%d cases, 0 differences: %v\n", r.cases, kinds)

	// A full run must have had everything.
	var c struct {
		Table   string   `json:"table"`
		Missing []string `json:"missing"`
	}
	if err := r.peer.Call(command{Op: "coverage"}, &c); err != nil {
		return err
	}
	if r.verbose {
		fmt.Println(c.Table)
	}
	if len(c.Missing) > 0 && r.cases >= fullRun {
		return fmt.Errorf("no case has: %q", c.Missing)
	}
	return nil
}

type command struct {
	Op     string `json:"op"`
	Seed   uint64 `json:"seed"`
	Case   int    `json:"case"`
	Dir    string `json:"dir"`
	Answer string `json:"answer"` // of the verb stats
}

// A drawn expression has its arrays in files NAME.npy.
type drawn struct {
	Text    string   `json:"text"`
	Args    []string `json:"args"` // of the command, if that is to be run
	Names   []string `json:"names"`
	Kind    string   `json:"kind"`    // what it is about
	Refuse  string   `json:"refuse"`  // what NumPy said if it must be refused
	Complex bool     `json:"complex"` // there are complex numbers
}

// oneCase computes one expression, and returns what it is about.
func (r *runner) oneCase(k int) (string, error) {
	c := command{Op: "draw", Seed: r.seed, Case: k, Dir: r.dir}
	var d drawn
	if err := r.peer.Call(c, &d); err != nil {
		return "", err
	}

	rng := rand.New(rand.NewPCG(r.seed, uint64(k)))
	c.Op = "compare"
	var err error
	if d.Args != nil {
		c.Op = "stats"
		c.Answer, err = r.statistics(rng, d.Args)
	} else {
		err = d.compute(rng, r.dir)
	}

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

	if err := r.peer.Call(c, &struct{}{}); err != nil {
		return "", fmt.Errorf("%s: %w", d.Text, err)
	}
	return d.Kind, nil
}

// compute writes the result of the expression to out.npy.
func (d *drawn) compute(rng *rand.Rand, dir string) error {
	ctx := context.Background()
	sources := map[string]ndarray.Source{}
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
