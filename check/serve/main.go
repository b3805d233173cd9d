// Command serve checks the server of package serve with other people's readers, and with requests
// that mean it harm.
//
//	go run ./check/serve -python PYTHON -zarrita DIR -cases 200 -seed 1
//	go run ./check/serve -hostile 100000 -seed 1
//
// The first lets zarr-python, xarray, dask, TensorStore, zarrita, python-blosc2 and cairn itself
// read random arrays through the server, which were written by cairn, python-blosc2 and zarr-python
// as Blosc2 files and directories, trees of arrays, .npy files, archives and Zarr stores. PYTHON
// has zarr, tensorstore, xarray, dask, blosc2 and fsspec with aiohttp; in DIR npm has installed
// zarrita, and without it nothing is read by that. The second sends random requests. Both print
// their counts as JSON, and exit with 1 if something was wrong.
package main

import (
	_ "embed"
	"flag"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	python := flag.String("python", "python3", "`PROGRAM` with the readers")
	zarrita := flag.String("zarrita", "", "`DIR` in which npm has installed zarrita")
	cases := flag.Int("cases", 200, "read `N` arrays")
	hostile := flag.Int("hostile", 0, "instead, send `N` hostile requests")
	seed := flag.Uint64("seed", 0, "`SEED` of all choices; 0 takes one from the clock")
	one := flag.Int("case", -1, "read only case `K`, and keep its files")
	flag.Parse()
	var err error
	if *hostile > 0 {
		err = sendHostile(harness.Seed(*seed), *hostile)
	} else {
		err = readAll(harness.Seed(*seed), *python, *zarrita, *cases, *one)
	}
	harness.Exit(err)
}
