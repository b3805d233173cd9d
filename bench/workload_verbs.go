package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/zarr"
)

// A verbCase is one piece of work, done by the command and by others.
type verbCase struct {
	op   string   // also its name in peer/compute.py
	args []string // of cairn, without -workers; out.npy and out.b2nd are results
	cdo  []string // of cdo, between its name and the files
	nco  []string // a program of NCO and its arguments before the files
}

// computations lists reductions, statistics and expressions of three dimensions of floats. DATA is
// as for conversions.
func computations() []verbCase {
	return []verbCase{
		{op: "mean over axis 0", args: []string{"reduce", "-op", "mean", "-axis", "0", "a.b2nd", "out.npy"},
			cdo: []string{"timmean"}, nco: []string{"ncra", "-O", "-y", "avg"}},
		{op: "mean over the other axes", args: []string{"reduce", "-op", "mean", "-axis", "1,2", "a.b2nd", "out.npy"},
			cdo: []string{"fldmean"}, nco: []string{"ncwa", "-O", "-y", "avg", "-a", "d1,d2"}},
		{op: "sum of all", args: []string{"reduce", "-op", "sum", "a.b2nd", "out.npy"},
			nco: []string{"ncwa", "-O", "-y", "ttl"}},
		{op: "maximum over axis 0", args: []string{"reduce", "-op", "max", "-axis", "0", "a.b2nd", "out.npy"},
			cdo: []string{"timmax"}, nco: []string{"ncra", "-O", "-y", "max"}},
		{op: "deviation over axis 0", args: []string{"reduce", "-op", "std", "-axis", "0", "a.b2nd", "out.npy"},
			cdo: []string{"timstd"}},
		{op: "four statistics", args: []string{"stats", "-json", "a.b2nd"}},
		{op: "sum of a selection",
			args: []string{"calc", "sum(where(a > b, a, b))", "a=a.b2nd", "b=b.b2nd", "-o", "out.npy"}},
		{op: "anomaly, stored", args: []string{"calc", "a - mean(a, axis=0)", "a=a.b2nd", "-o", "out.b2nd", "DATA"}},
		{op: "wind speed, stored",
			args: []string{"calc", "sqrt(a*a + b*b)", "a=a.b2nd", "b=b.b2nd", "-o", "out.b2nd", "DATA"}},
	}
}

// verbs compares verbs of the command, started anew each time, with libraries in a Python process
// that is already running, and with cdo and NCO on uncompressed NetCDF files.
func (s *contest) verbs() error {
	if s.command == "" {
		s.report.Missing = append(s.report.Missing, "verbs: no command given")
		return nil
	}
	return s.each(s.onArrays(), func(set *data.Set, j job) error {
		python, err := s.startPython(j.threads)
		if err != nil {
			return err
		}
		if python != nil {
			defer python.close()
		}
		return s.verbsOn(set, j, python)
	})
}

// verbFiles are the files of one comparison.
type verbFiles struct {
	*contest
	python *snake
	job
	set            *data.Set
	dir            string
	chunks, blocks ndarray.Shape
}

func (s *contest) verbsOn(set *data.Set, j job, python *snake) error {
	dir, err := os.MkdirTemp(memoryDir(), "cairn-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f := &verbFiles{contest: s, python: python, job: j, set: set, dir: dir}
	if f.chunks, f.blocks, err = partition(set); err != nil {
		return err
	}
	if err := f.write(); err != nil {
		return err
	}
	if f.computes() {
		if err := f.contests(computations(), f.compare); err != nil {
			return err
		}
	}
	return f.contests(f.conversions(), f.compareFiles)
}

// memoryDir returns a directory in memory if the system has one, where no program waits for the
// disk: the command syncs what it writes, and the libraries do not. "" stands for the usual one.
func memoryDir() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return ""
}

// computes reports whether the computations are for this array.
func (f *verbFiles) computes() bool { return len(f.set.Shape) == 3 && f.set.DType == "<f4" }

// contests measures pieces of work, and compares the results of each.
func (f *verbFiles) contests(cases []verbCase, compare func(verbCase) error) error {
	for _, c := range cases {
		m := f.measure("verbs", c.op, f.set)
		m.Place = "disk"
		if err := f.compete(f.rounds, []*result.Measure{m}, f.contenders(c)...); err != nil {
			return fmt.Errorf("%s: %w", c.op, err)
		}
		if err := compare(c); err != nil {
			return fmt.Errorf("%s: %w", c.op, err)
		}
	}
	return nil
}

// compare compares the result of the command with those of the libraries. Float sums of float32
// differ: some libraries add them in float32.
func (f *verbFiles) compare(c verbCase) error {
	i := slices.IndexFunc(c.args, func(arg string) bool { return strings.HasPrefix(arg, "out.") })
	if i < 0 {
		return nil
	}

	path := filepath.Join(f.dir, c.args[i])
	got, err := floatsOf(path)
	if err != nil {
		return err
	}

	for _, library := range f.computing(c.op) {
		b, err := os.ReadFile(filepath.Join(f.dir, library+".result"))
		if err != nil {
			return err
		}
		if len(b) != 8*len(got) {
			return fmt.Errorf("%s has %d items, cairn %d", library, len(b)/8, len(got))
		}
		for k, v := range got {
			other := math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
			if math.Abs(v-other) > 1e-3*math.Max(1, math.Abs(v)) {
				return fmt.Errorf("item %d is %g with %s and %g with cairn", k, other, library, v)
			}
		}
	}
	return nil
}

// floatsOf returns the items of a .npy file or an array.
func floatsOf(path string) ([]float64, error) {
	ctx := context.Background()
	var src ndarray.Source
	if strings.HasSuffix(path, ".npy") {
		a, err := npy.Open(path, nil)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		src = a
	} else {
		u, err := ndarray.Open(path, nil)
		if err != nil {
			return nil, err
		}
		defer u.Close()
		src = u
	}

	floats, err := compute.Map(ctx, "", src, copyFloats, nil)
	if src.DType().String() == "<f8" {
		floats, err = compute.Map(ctx, "", src, func(dst, x []float64) { copy(dst, x) }, nil)
	}
	if err != nil {
		return nil, err
	}
	return floats.Read(ctx)
}

func copyFloats(dst []float64, x []float32) {
	for i, v := range x {
		dst[i] = float64(v)
	}
}

// write writes the array in all forms, and for computations another one: its rows in reverse.
func (f *verbFiles) write() error {
	w, err := zarr.Create(filepath.Join(f.dir, "ab.zarr"), &zarr.SaveOptions{Version: 2})
	if err != nil {
		return err
	}

	ctx := context.Background()
	arrays := [][]byte{f.set.Bytes}
	if f.computes() {
		arrays = append(arrays, reversedRows(f.set))
	}
	for i, items := range arrays {
		if err := f.writeArray(ctx, w, "ab"[i:i+1], items); err != nil {
			return err
		}
	}

	if err := w.Close(); err != nil || f.python == nil || !f.computes() {
		return err
	}
	var done struct{}
	return f.python.request(&done, map[string]any{"do": "netcdf", "dir": f.dir})
}

// reversedRows returns the rows of an array, the last one first.
func reversedRows(set *data.Set) []byte {
	rows := slices.Collect(slices.Chunk(set.Bytes, len(set.Bytes)/int(set.Shape[0])))
	slices.Reverse(rows)
	return slices.Concat(rows...)
}

// writeArray writes an array as a file and into a Zarr store, and "a" in other formats as well.
func (f *verbFiles) writeArray(ctx context.Context, w *zarr.Writer, name string, items []byte) error {
	u, err := ndarray.CreateUntyped(filepath.Join(f.dir, name+".b2nd"), f.set.DType, f.set.Shape,
		&ndarray.Options{ChunkShape: f.chunks, BlockShape: f.blocks, Codec: f.codec,
			Level: f.optionLevel(), Filters: f.filters()})
	if err != nil {
		return err
	}
	defer u.Close()
	if err := u.Write(ctx, items); err != nil {
		return err
	}

	var dims []string
	for d := range f.set.Shape {
		dims = append(dims, fmt.Sprintf("d%d", d))
	}
	if err := w.Put(ctx, name, u, &zarr.SaveOptions{Version: 2, Chunks: f.chunks, Codec: f.codec, Level: f.level,
		Labels: &ndarray.Labels{Dims: dims}}); err != nil {
		return err
	}

	if name == "a" {
		if err := f.writeForeign(ctx, u); err != nil {
			return err
		}
	}
	return u.Close()
}

// contenders returns the command and all others that can do the work.
func (f *verbFiles) contenders(c verbCase) []contender {
	threads := strconv.Itoa(f.threads)
	var args []string
	for _, arg := range c.args {
		switch arg {
		case "DATA":
			args = append(args, "-codec", f.codec.String(), "-level", strconv.Itoa(f.level), "-filters", f.filterName)
		case "GRID":
			args = append(args, "-chunks", shapeList(f.chunks), "-blocks", shapeList(f.blocks))
		default:
			args = append(args, arg)
		}
	}

	args = append(args, "-workers", threads)
	if c.args[0] != "stats" {
		args = append(args, "-force")
	}

	out := []contender{{result.Cairn, f.program(f.command, args...)}}
	for _, library := range f.computing(c.op) {
		out = append(out, contender{library, func(reps int) (answer, error) {
			request := f.fields()
			request["do"] = "compute"
			request["library"] = library
			request["op"] = c.op
			return f.python.timed(f.job, reps, request)
		}})
	}
	if path, err := exec.LookPath("cdo"); err == nil && c.cdo != nil && f.python != nil {
		args := append([]string{"-s", "-O", "-P", threads}, append(slices.Clone(c.cdo), "a.nc", "cdo.nc")...)
		out = append(out, contender{result.CDO, f.program(path, args...)})
	}
	if c.nco != nil && f.python != nil {
		if path, err := exec.LookPath(c.nco[0]); err == nil {
			args := append(slices.Clone(c.nco[1:]), "-t", threads, "a.nc", "nco.nc")
			out = append(out, contender{result.NCO, f.program(path, args...)})
		}
	}
	return out
}

// computing returns the Python libraries that can do an operation.
func (f *verbFiles) computing(op string) []string {
	if f.python == nil {
		return nil
	}
	var can struct {
		Libraries []string `json:"libraries"`
	}
	if err := f.python.request(&can, map[string]any{"do": "computes", "op": op}); err != nil {
		return nil
	}
	return can.Libraries
}

// program returns the rounds of a program, in which the fastest run counts.
func (f *verbFiles) program(path string, args ...string) func(reps int) (answer, error) {
	run := func() error {
		cmd := exec.Command(path, args...)
		cmd.Dir = f.dir
		cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", f.threads),
			fmt.Sprintf("OMP_NUM_THREADS=%d", f.threads))
		text, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s %s: %w: %s", filepath.Base(path), strings.Join(args, " "), err, text)
		}
		return err
	}
	return func(reps int) (answer, error) { return repeated(reps, run) }
}
