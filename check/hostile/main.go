// Command hostile damages files with knowledge of their structure, calls every entry point that
// reads files, and measures the calls: no damage may cause a panic, exceed the memory budget or the
// time limit, or leave a goroutine behind (docs/testing.md).
//
//	go run ./check/hostile -n 1000000 -seed 1
//	go run ./check/hostile -seed 1 -case 4711 -keep DIR
//	go run ./check/hostile -every
//
// The second form repeats one case, and writes the damaged file; the last one cuts each file at
// every length, and changes every byte of it.
//
// It prints its counts as JSON, and exits with 1 if there was a failure.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/cairn-go/cairn/check/harness"
)

type config struct {
	n       int
	seed    uint64
	one     int
	keep    string
	hostile string
	procs   int
	child   string // "first/step" of a child process
	every   bool
	stride  int
	only    string // a class of files, or "" for all
}

func main() {
	var c config
	flag.IntVar(&c.n, "n", 100_000, "damage files `N` times")
	flag.Uint64Var(&c.seed, "seed", 1, "`SEED` of all choices")
	flag.IntVar(&c.one, "case", -1, "run only case `K`")
	flag.StringVar(&c.keep, "keep", "", "with -case: write the damaged file to this `DIR`")
	flag.StringVar(&c.hostile, "hostile", "", "damage the files in `DIR` too")
	flag.IntVar(&c.procs, "procs", runtime.GOMAXPROCS(0), "work in `N` processes")
	flag.BoolVar(&c.every, "every", false, "cut at every length and change every byte, instead of -n")
	flag.IntVar(&c.stride, "stride", 1, "with -every: do only every N-th of that")
	flag.StringVar(&c.only, "only", "", "damage only `FILES`: frames, chunks, stores, numpy, zarr, hdf5, netcdf or buckets")
	flag.StringVar(&c.child, "child", "", "for the program itself")
	flag.Parse()
	ok, err := run(&c, os.Stdout)
	if err == nil && !ok {
		err = errors.New("hostile: there were failures")
	}
	harness.Exit(err)
}

func run(c *config, out io.Writer) (bool, error) {
	if c.child == "" && c.one < 0 && c.procs > 1 {
		total, err := runChildren(c)
		if err != nil {
			return false, err
		}
		total.Seed = c.seed
		return total.good(), harness.Print(out, total)
	}

	seeds, err := loadSeeds(c)
	if err != nil {
		return false, err
	}

	debug.SetGCPercent(400)
	l, err := newTester(c.seed, seeds)
	if err != nil {
		return false, err
	}
	if err := l.share(c); err != nil {
		return false, err
	}

	l.Seed = c.seed
	return l.good() || c.child != "", harness.Print(out, &l.counts)
}

// share runs the cases of this process: one, all, or every procs-th for a child.
func (l *tester) share(c *config) error {
	one, n := l.plan(c)
	if c.one >= 0 {
		l.keep = c.keep
		one(c.one)
		return nil
	}

	first := 0
	step := 1
	if c.child != "" {
		if _, err := fmt.Sscanf(c.child, "%d/%d", &first, &step); err != nil || step < 1 {
			return fmt.Errorf("-child %q", c.child)
		}
	}

	for k := first; k < n; k += step {
		if c.child != "" && (k-first)/step%announceEvery == 0 {
			fmt.Fprintln(os.Stderr, "case", k)
		}
		one(k)
	}
	return nil
}
