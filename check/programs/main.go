// Command programs runs random programs on arrays: each creates an array, reads and writes it by
// selections of all kinds, changes its shape, commits, rolls back and opens it again, and compares
// each step with a dense model in memory. With a Python interpreter that has blosc2, the programs
// are replayed there too. The first difference ends the run with status 1. It is minimised and
// printed as JSON, which -program runs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	n := flag.Int("n", 1000, "how many programs to run")
	first := flag.Int("first", 0, "number of the first program")
	seed := flag.Uint64("seed", 0, "seed of the programs; 0 takes one from the clock")
	python := flag.String("python", "", "interpreter that has blosc2 and numpy, to replay the programs with")
	file := flag.String("program", "", "file with a program in JSON, to run instead")
	flag.Parse()
	if *file != "" {
		harness.Exit(runFile(*file))
	}
	*seed = harness.Seed(*seed)
	if *python == "" {
		harness.Exit(compareAllWithModel(*seed, *first, *n))
	}
	harness.Exit(compareAllWithPython(*python, *seed, *first, *n))
}

func compareAllWithModel(seed uint64, first, n int) error {
	steps := 0
	for i := first; i < first+n; i++ {
		p := draw(seed, i, verbs)
		steps += len(p.Steps)
		if d := scratch(p); d != nil {
			return failure(seed, i, p, d, scratch)
		}
	}
	fmt.Printf("seed %d: %d programs of %d steps, 0 differences\n", seed, n, steps)
	return nil
}

// failure describes a difference by the smallest program found that shows one.
func failure(seed uint64, i int, p *program, d *difference, fails func(*program) *difference) error {
	p, d = shrink(p, d, fails)
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return fmt.Errorf("program %d of seed %d, step %d of what is below: %s\n\n%s", i, seed, d.step, d.text, text)
}

// runFile compares the program in a file with the model.
func runFile(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var p program
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if d := scratch(&p); d != nil {
		return fmt.Errorf("step %d: %s", d.step, d.text)
	}
	return nil
}

func compareAllWithPython(python string, seed uint64, first, n int) error {
	peer, versions, err := harness.Python(python, peerSource)
	if err != nil {
		return err
	}
	defer peer.Close()
	var native, whole int
	for i := first; i < first+n; i++ {
		p := draw(seed, i, verbs)
		answer, d := replay(peer, p)
		if d != nil {
			return failure(seed, i, p, d, func(p *program) *difference { _, d := replay(peer, p); return d })
		}
		native = native + answer.Native
		whole = whole + answer.Whole
	}
	fmt.Printf("seed %d, %s: %d programs, 0 differences; of %d changes python-blosc2 did %d, "+
		"and took over the result of %d\n", seed, versions, n, native+whole, native, whole)
	return nil
}

// verbs are the verbs to draw from. A verb that is listed several times is drawn more often.
var verbs = []verb{
	doRead, doRead, doRead, doWrite, doWrite, doWrite, doFill,
	doPoints, doScatter, doMask, doPaint, doView, doView, doThrough,
	doConcat, doResize, doAppend, doInsert, doDelete,
	doCopy, doCommit, doRollback, doCompact, doAtomically, doReopen, doKill, doSnapshot,
}
