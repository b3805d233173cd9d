// Command meaning converts datasets as netCDF4, xarray, h5py and h5netcdf leave them with the
// cairn command, to Zarr 2 and 3, NetCDF-4 and NetCDF-3, through Blosc2 stores and back, to
// references and by the server, and compares what xarray decodes from the results with what it
// decodes from the originals. TensorStore opens each array, and a strict parser reads each
// document. Of HDF5 files, h5py compares items, names of dimensions and of attributes.
//
//	go run ./check/meaning -python PYTHON -cases 1000 -seed 1
//	go run ./check/meaning -python PYTHON -files DIR
//	go run ./check/meaning -python PYTHON -whole 100 -seed 1
//	go run ./check/meaning -python PYTHON -groups 100 -seed 1
//	go run ./check/meaning -python PYTHON -page docs/climate.md
//	go run ./check/meaning -python PYTHON -stats 100 -seed 1
//	go run ./check/meaning -python PYTHON -windows 100 -seed 1
//	go run ./check/meaning -python PYTHON -regrid 100 -seed 1
//	go run ./check/meaning -python PYTHON -names 100 -seed 1
//	go run ./check/meaning -python PYTHON -kinds 100 -seed 1
//	go run ./check/meaning -python PYTHON -space 100 -seed 1
//
// PYTHON has xarray, zarr, TensorStore, kerchunk, netCDF4, h5py, h5netcdf, cftime and dask. With
// -files, it converts all files below DIR instead, each in a process of its own, and prints a line
// for each: "reference crashed" where the netCDF library ends that process. With -whole, it has
// copy, reduce, concat and split work on whole files with many variables, and compares with what
// xarray, CDO and NCO make of them; with -groups, reduce -by and -every, which it compares with
// xarray and CDO; with -stats, weights, trends and correlations; with -regrid, other grids, which
// it compares with CDO; with -names, calc with coordinates, times, texts and -s, which it compares
// with xarray; with -space, selections by latitudes and longitudes of cells, which it compares with
// xarray and CDO; with -kinds, groups, blocks, weights and interpolation of axes in any order and
// items of any kind; with -page, the commands of a cookbook, whose results it compares with what
// the same page has for CDO, NCO and xarray. It prints its counts as JSON, and exits with 1 if
// there was a difference.
//
// JSON has no float32, no NaN and no infinity, so originals are compared with float32 attributes as
// float64, as xarray's own conversion makes them, and without attributes that are not finite.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/cairn-go/cairn/check/harness"
)

//go:embed draw.py
var drawSource string

//go:embed judge.py
var judgeSource string

//go:embed whole.py
var wholeSource string

//go:embed cases.py
var casesSource string

//go:embed groups.py
var groupsSource string

//go:embed climate.py
var climateSource string

//go:embed stats.py
var statsSource string

//go:embed windows.py
var windowsSource string

//go:embed regrid.py
var regridSource string

//go:embed names.py
var namesSource string

//go:embed kinds.py
var kindsSource string

//go:embed space.py
var spaceSource string

func main() {
	python := flag.String("python", "python3", "`PROGRAM` with xarray and what else reads and writes")
	cases := flag.Int("cases", 100, "convert `N` datasets")
	one := flag.Int("case", -1, "convert only dataset `K`, and keep the files")
	seed := flag.Uint64("seed", 0, "`SEED` of all choices; 0 takes one from the clock")
	files := flag.String("files", "", "instead, convert the files below `DIR`")
	only := flag.String("only", "", "comma-separated `LIST` of zarr3, zarr2, zip, nc, nc3, h5, tree, refs, serve; all by default")
	whole := flag.Int("whole", 0, "instead, have the verbs work on `N` files as a whole")
	groups := flag.Int("groups", 0, "instead, reduce groups of `N` files")
	stats := flag.Int("stats", 0, "instead, weigh, relate and find trends of the items of `N` files")
	windows := flag.Int("windows", 0, "instead, compute with windows along axes of `N` files")
	regrid := flag.Int("regrid", 0, "instead, bring `N` files to other grids")
	names := flag.Int("names", 0, "instead, compute with names of coordinates of `N` files")
	kinds := flag.Int("kinds", 0, "instead, reduce and interpolate arrays of `N` files, of all kinds of items and axes")
	space := flag.Int("space", 0, "instead, select by latitudes and longitudes of cells of `N` files")
	page := flag.String("page", "", "instead, run the commands of `PAGE`, docs/climate.md, and what it says that others type")
	flag.Parse()

	if *page != "" {
		harness.Exit(run(*python, climateSource, []string{"--page", *page}))
	}
	for source, n := range map[string]int{wholeSource: *whole, casesSource + groupsSource: *groups,
		casesSource + statsSource: *stats, casesSource + windowsSource: *windows, casesSource + regridSource: *regrid,
		casesSource + namesSource: *names, casesSource + kindsSource: *kinds,
		casesSource + spaceSource: *space} {
		if n > 0 {
			harness.Exit(run(*python, source, []string{"--cases", fmt.Sprint(n), "--case", fmt.Sprint(*one),
				"--seed", fmt.Sprint(harness.Seed(*seed))}))
		}
	}
	harness.Exit(run(*python, drawSource+judgeSource, []string{"--cases", fmt.Sprint(*cases), "--case", fmt.Sprint(*one), "--seed",
		fmt.Sprint(harness.Seed(*seed)), "--files", *files, "--only", *only}))
}

// run builds the command and judges it.
func run(python, text string, args []string) (err error) {
	dir, err := os.MkdirTemp("", "cairn-meaning-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	cairn, err := harness.Build(dir)
	if err != nil {
		return err
	}

	source := filepath.Join(dir, "meaning.py")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return err
	}
	judge := exec.Command(python, append([]string{"-W", "ignore", source, "--cairn", cairn}, args...)...)
	judge.Stdout = os.Stdout
	judge.Stderr = os.Stderr
	return judge.Run()
}
