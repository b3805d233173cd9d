// Command interop exchanges random files between cairn and the real C-Blosc2, through the blosc2
// package of a Python interpreter.
//
// In each case one side writes an array or a frame, both read it, the other side changes it, and
// both read it again; all must agree with a plain copy in memory. Cases are drawn from a seed. The
// first difference ends the run with status 1 and the command that repeats it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	python := flag.String("python", "python3", "interpreter that has blosc2 and numpy")
	cases := flag.Int("cases", 500, "how many cases to run")
	first := flag.Int("first", 0, "number of the first case")
	seed := flag.Uint64("seed", 0, "seed of the cases; 0 takes one from the clock")
	full := flag.Bool("coverage", false, "fail if some part of the format had no case in a direction")
	streams := flag.Int("zfp", 0, "instead of cases, have both sides encode so many arrays per mode of zfp, and compare the bytes")
	indexes := flag.Int("indexes", 0,
		"instead of cases, run so many programs that change what the real library has indexed")
	verbs := flag.Int("verbs", 0,
		"instead of cases, run so many programs of verbs of the command on what the real library has indexed")
	control := flag.Bool("control", false,
		"with -indexes, take back what cairn marks as stale, and fail if no query tells")
	verbose := flag.Bool("v", false, "print each case")
	flag.Parse()

	*seed = harness.Seed(*seed)
	switch {
	case *streams > 0:
		harness.Exit(zfpStreams(*python, *seed, *streams))
	case *verbs > 0:
		harness.Exit(runVerbs(*python, *seed, *first, *verbs, *verbose))
	case *indexes > 0:
		harness.Exit(runIndexes(*python, *seed, *first, *indexes, *control, *verbose))
	}

	covered, err := suite(*python, *seed, *first, *cases, *verbose)
	if err != nil {
		harness.Exit(err)
	}

	covered.print(os.Stdout)
	if *full {
		err = covered.complete()
	}
	harness.Exit(err)
}

// suite runs the cases and stops at the first difference.
func suite(python string, seed uint64, first, cases int, verbose bool) (*coverage, error) {
	covered := &coverage{counts: map[string]*counts{}}
	p, versions, err := harness.Python(python, peerSource)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	fmt.Printf("seed %d, %s\n", seed, versions)
	if err := runRemedies(p); err != nil {
		return nil, err
	}

	for i := first; i < first+cases; i++ {
		s := newSpec(seed, i)
		if verbose {
			fmt.Printf("%d: %v\n", i, s)
		}
		if err := one(p, s); err != nil {
			return nil, fmt.Errorf("case %d: %v\n%w\n%s", i, s, err, repeat(python, seed, i))
		}
		covered.add(s)
	}

	trees := (cases + 19) / 20
	for i := first; i < first+trees; i++ {
		if err := runStore(p, seed, i); err != nil {
			return nil, fmt.Errorf("store %d: %w\n%s", i, err, repeat(python, seed, i))
		}
	}
	fmt.Printf("%d remedies, %d cases and %d trees of arrays, 0 differences\n", len(remedies), cases, trees)
	return covered, nil
}

// repeat returns the command that repeats one case.
func repeat(python string, seed uint64, i int) string {
	return fmt.Sprintf("repeat with: go run ./check/interop -python %s -seed %d -first %d -cases 1", python, seed, i)
}

// one runs a case in its own directory.
func one(p *peer, s *spec) error {
	dir, err := os.MkdirTemp("", "cairn-interop-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	if s.numbers {
		return runNumbers(p, dir, s)
	}
	if s.array {
		return runArray(p, dir, s)
	}
	if s.rare != "" {
		return runRare(p, dir, s)
	}

	if s.vl {
		c := &vlCase{spec: s, peer: p, path: filepath.Join(dir, "case.b2frame")}
		for range 1 + s.rng.IntN(4) {
			c.chunks = append(c.chunks, c.drawBlocks())
		}
		return takeTurns(c, s.ours)
	}
	return runFrame(p, dir, s)
}
