// Command joins compares what cairn makes of times, and of arrays that it joins, with xarray and
// cftime, through a Python interpreter.
//
//	go run ./check/joins -python PYTHON -times 500 -seed 1
//	go run ./check/joins -python PYTHON -sets 40 -seed 1
//
// Python draws numbers in units with calendars, and says which times cftime and xarray make of
// them; or it writes sets of files that differ in how they store the same, which the command joins,
// and compares the result with that of xarray. The same seed draws the same.
package main

import (
	"flag"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	python := flag.String("python", "python3", "interpreter that has xarray, netCDF4 and cftime")
	count := flag.Int("times", 500, "how many times to compare")
	files := flag.Int("sets", 0, "how many sets of files to join instead")
	first := flag.Int("first", 0, "number of the first set")
	seed := flag.Uint64("seed", 0, "seed of the cases; 0 takes one from the clock")
	flag.Parse()
	if *files > 0 {
		harness.Exit(sets(*python, harness.Seed(*seed), *first, *files))
	}
	harness.Exit(times(*python, harness.Seed(*seed), *count))
}
