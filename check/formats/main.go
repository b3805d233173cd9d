// Command formats exchanges random arrays in other formats between cairn and the libraries that
// these formats come from, through a Python interpreter.
//
//	go run ./check/formats -python PYTHON -npy 500 -seed 1
//	go run ./check/formats -python PYTHON -toy
//
// NumPy draws and writes an array, or python-blosc2 packs it; cairn reads it, stores it as a Blosc2
// array, and writes it again in all ways; NumPy reads that, and compares items, dtypes, and the
// bytes of the files with its own. The first difference ends the run with status 1 and the command
// that repeats it.
//
// With -toy it builds the command with the format of docs/architecture.md, and runs the verbs and
// the server on files of that, next to NumPy and zarr-python.
package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	python := flag.String("python", "python3", "interpreter that has blosc2 and numpy")
	files := flag.Int("npy", 500, "how many arrays to exchange with NumPy")
	first := flag.Int("first", 0, "number of the first case")
	seed := flag.Uint64("seed", 0, "seed of the cases; 0 takes one from the clock")
	more := flag.Bool("toy", false, "check a format that is laid over the source instead; needs zarr")
	flag.Parse()
	if *more {
		harness.Exit(toy(*python))
	}
	harness.Exit(run(*python, harness.Seed(*seed), *first, *files))
}

func run(python string, seed uint64, first, files int) (err error) {
	p, versions, err := harness.Python(python, npySource)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	fmt.Printf("seed %d, %s\n", seed, versions)
	kinds := map[string]int{}
	for k := first; k < first+files; k++ {
		kind, err := npyCase(p, seed, k)
		if err != nil {
			return fmt.Errorf("case %d: %w\nrepeat with: go run ./check/formats -python %s -seed %d -first %d -npy 1",
				k, err, python, seed, k)
		}
		kinds[kind]++
	}
	fmt.Printf("%d arrays exchanged with NumPy, 0 differences: %v\n", files, kinds)
	return nil
}
