// Command joins compares what cairn makes of times, and of arrays that it joins, with xarray,
// cftime and CDO, through a Python interpreter.
//
//	go run ./check/joins -python PYTHON -times 500 -seed 1
//
// Python draws numbers in units with calendars, and says which times cftime and xarray make of
// them. The same seed draws the same.
package main

import (
	"flag"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	python := flag.String("python", "python3", "interpreter that has xarray, netCDF4 and cftime")
	count := flag.Int("times", 500, "how many times to compare")
	seed := flag.Uint64("seed", 0, "seed of the cases; 0 takes one from the clock")
	flag.Parse()
	harness.Exit(times(*python, harness.Seed(*seed), *count))
}
