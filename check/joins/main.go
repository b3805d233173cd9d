// Command joins compares what cairn makes of times, and of arrays that it joins, with xarray and
// cftime, through a Python interpreter.
//
//	go run ./check/joins -python PYTHON -times 500 -seed 1
//	go run ./check/joins -python PYTHON -sets 40 -seed 1
//	go run ./check/joins -python PYTHON -sets 40 -seed 1 -cdo cdo
//	go run ./check/joins -python PYTHON -calcs 40 -seed 1
//
// Python draws numbers in units with calendars, and says which times cftime and xarray make of
// them; or it writes sets of files that differ in how they store the same, which the command
// joins, and compares the result with that of xarray. With -cdo, sets that are joined along time
// are joined by `cdo mergetime` or `cdo cat` too: values, missing values, units and times must be
// the same, except for what CDO is known to get wrong, which cdo.py lists and looks for in each
// file. With -calcs, the command calculates with such files, in its own process or as a job, or
// stacks them, and must have what xarray calculates with their decoded values; or refuse, where
// their coordinates contradict each other. The same seed draws the same.
package main

import (
	"flag"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	python := flag.String("python", "python3", "interpreter that has xarray, netCDF4 and cftime")
	count := flag.Int("times", 500, "how many times to compare")
	files := flag.Int("sets", 0, "how many sets of files to join instead")
	cdo := flag.String("cdo", "", "path of CDO, to compare sets that it can join with it too")
	calculations := flag.Int("calcs", 0, "how many calculations and stacks to compare instead")
	first := flag.Int("first", 0, "number of the first set or calculation")
	seed := flag.Uint64("seed", 0, "seed of the cases; 0 takes one from the clock")
	flag.Parse()
	if *calculations > 0 {
		harness.Exit(calcs(*python, harness.Seed(*seed), *first, *calculations))
	}
	if *files > 0 {
		harness.Exit(sets(*python, *cdo, harness.Seed(*seed), *first, *files))
	}
	harness.Exit(times(*python, harness.Seed(*seed), *count))
}
