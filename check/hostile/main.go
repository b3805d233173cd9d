// Command hostile damages files with knowledge of their structure, reads them through everything that reads files, and counts what that costs: no
// damage may cause a panic, take more memory than the budget, take long, or leave a goroutine behind (docs/testing.md).
//
//	go run ./check/hostile -n 1000000 -seed 1
//	go run ./check/hostile -seed 1 -case 4711 -keep DIR    repeats one case, and writes the damaged file
//	go run ./check/hostile -every                          cuts each file at every length, and changes every byte of it
//
// It prints its counts as JSON, and exits with 1 if there was a failure.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
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
	flag.StringVar(&c.child, "child", "", "for the program itself")
	flag.Parse()
	ok, err := run(&c, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(c *config, out io.Writer) (bool, error) {
	var total *counts
	var err error
	switch {
	case c.child != "":
		return true, runChild(c, out)
	case c.one >= 0 || c.procs <= 1:
		var seeds []*specimen
		if seeds, err = loadSeeds(c); err != nil {
			return false, err
		}
		debug.SetGCPercent(400)
		l, err := newLab(c.seed, seeds)
		if err != nil {
			return false, err
		}
		one, n := l.plan(c)
		if c.one >= 0 {
			l.keep = c.keep
			one(c.one)
		} else {
			for k := range n {
				one(k)
			}
		}
		total = &l.counts
	default:
		if total, err = runChildren(c); err != nil {
			return false, err
		}
	}
	total.Seed = c.seed
	text, err := json.MarshalIndent(total, "", "  ")
	if err != nil {
		return false, err
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return total.good(), err
}
