// Command values compares the values that cairn has for packed, unsigned and masked arrays with
// those of xarray, through a Python interpreter:
//
//	go run ./check/values -python PYTHON -cases 200 -seed 1
//
// Python draws arrays and writes them as NetCDF, classic and 4. The verbs stats, head and reduce,
// and the server, must have xarray's numbers; diff must find an export to Zarr equal; view must
// show what it shows of xarray's numbers, in the terminal and in pictures, each item in its colour.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/serve"
)

//go:embed values.py
var source string

func main() {
	python := flag.String("python", "python3", "interpreter that has xarray and netCDF4")
	cases := flag.Int("cases", 200, "how many arrays to compare")
	seed := flag.Uint64("seed", 0, "seed of the arrays; 0 takes one from the clock")
	flag.Parse()
	harness.Exit(run(*python, harness.Seed(*seed), *cases))
}

// A wanted is what xarray has for an array. A missing value is nil.
type wanted struct {
	DType  string     `json:"dtype"`
	Values []*float64 `json:"values"`
	Count  int64      `json:"count"`
	All    []*float64 `json:"all"` // minimum, maximum, mean, deviation
	Mean   []*float64 `json:"mean"`
	Counts []*float64 `json:"counts"`
}

func run(python string, seed uint64, cases int) (err error) {
	p, versions, err := harness.Python(python, source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	fmt.Printf("seed %d, %s\n", seed, versions)

	dir, err := os.MkdirTemp("", "meaning")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := &checker{dir: dir, plain: filepath.Join(dir, "plain")}
	if err := os.Mkdir(c.plain, 0o777); err != nil {
		return err
	}
	if c.cairn, err = harness.Build(dir); err != nil {
		return err
	}

	failed := 0
	for k := range cases {
		var want wanted
		c.path = filepath.Join(dir, fmt.Sprintf("case%d.nc", k))
		draw := map[string]any{"op": "draw", "seed": seed, "case": k, "path": c.path,
			"plain": filepath.Join(c.plain, fmt.Sprintf("case%d", k))}
		if err := p.Call(draw, &want); err != nil {
			return err
		}
		err := c.check(&want)
		if shown := c.view(&want, k); shown != nil {
			err = errors.Join(err, fmt.Errorf("view: %w", shown))
		}
		if err != nil {
			failed++
			fmt.Printf("case %d: %v\n", k, err)
		}
		if err := os.Remove(c.path); err != nil {
			return err
		}
	}
	fmt.Printf("%d arrays, %d numbers compared, %d arrays differ\n", cases, c.compared, failed)
	if failed > 0 {
		return fmt.Errorf("%d arrays differ", failed)
	}
	return nil
}

// A checker compares one array after the other.
type checker struct {
	dir, cairn, path string
	plain            string // the folder of xarray's values as plain numbers
	compared         int
}

func (c *checker) check(want *wanted) error {
	operand := c.path + "::v"
	var errs []error
	add := func(what string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	add("head", c.list(want.Values, "head", "-json", operand))
	add("reduce mean", c.list(want.Mean, "reduce", "-json", "-op", "mean", "-axis", "t", operand))
	add("reduce count", c.list(want.Counts, "reduce", "-json", "-op", "count", "-axis", "t", operand))

	var stats struct {
		DType string
		All   numbers
	}
	add("stats", c.ask(&stats, "stats", "-json", operand))
	add("stats", c.statistics(want, stats.DType, &stats.All))
	add("server", c.server(want))

	zarr := c.path + ".zarr"
	_, err := c.run("export", "-q", operand, zarr)
	add("export", err)
	_, err = c.run("diff", operand, zarr)
	add("diff", err)
	return errors.Join(append(errs, os.RemoveAll(zarr))...)
}

// numbers are the statistics of a verb or of the server.
type numbers struct {
	Count int64
	NaN   int64
	NaNs  int64 // of the server
	Min   any
	Max   any
	Mean  any
	Std   any
}

func (c *checker) statistics(want *wanted, dtype string, got *numbers) error {
	if dtype[1:] != want.DType {
		return fmt.Errorf("dtype %s, want %s", dtype, want.DType)
	}
	if n := got.Count - max(got.NaN, got.NaNs); n != want.Count {
		return fmt.Errorf("%d values, want %d", n, want.Count)
	}
	return c.same(want.All, []any{got.Min, got.Max, got.Mean, got.Std})
}

// server asks the server for values and statistics.
func (c *checker) server(want *wanted) error {
	h, err := serve.New([]serve.Root{{Name: "f.nc", Path: c.path}}, nil)
	if err != nil {
		return err
	}
	defer h.Close()

	get := func(address string, to any) error {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+address, nil))
		if w.Code != 200 {
			return fmt.Errorf("%s: status %d: %s", address, w.Code, w.Body)
		}
		return json.Unmarshal(w.Body.Bytes(), to)
	}

	var stats struct {
		DType string
		numbers
	}
	var slice struct{ Values any }

	if err = get("/api/v1/stats/f.nc/v", &stats); err != nil {
		return err
	}

	if err = c.statistics(want, stats.DType, &stats.numbers); err != nil {
		return err
	}

	if err = get("/api/v1/slice/f.nc/v?format=json", &slice); err != nil {
		return err
	}

	return c.same(want.Values, flat(slice.Values))
}

// list runs the command, whose JSON is a list of objects with a number and its place.
func (c *checker) list(want []*float64, args ...string) error {
	var got any
	if err := c.ask(&got, args...); err != nil {
		return err
	}
	return c.same(want, flat(got))
}

func (c *checker) ask(to any, args ...string) error {
	out, err := c.run(args...)
	if err != nil {
		return err
	}

	return json.Unmarshal(out, to)
}

func (c *checker) run(args ...string) ([]byte, error) { return c.runIn("", args...) }

// runIn runs the command in a folder.
func (c *checker) runIn(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command(c.cairn, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s%s", err, out, failed.Stderr)
	}
	return out, err
}
