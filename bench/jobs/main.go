// Command jobs measures jobs of many processes: recode, rechunk, calc, reduce and import of a large
// array, by 1, 2 and 8 worker processes with one goroutine each, by cairn-beam on Prism, and the
// same by dask and zarr-python with two processes. The outputs of all numbers of processes and of
// Beam must have the same bytes, and the same items as those of dask.
//
//	go run ./jobs -cairn ../cairn -beam ../cairn-beam -gib 4 -dir /tmp -python PYTHON
//	go run ./jobs -cairn ../cairn-cloud -gib 4 -dir /tmp -target s3://bucket/prefix
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed dask_jobs.py
var script string

type options struct {
	cairn, beam, dir, target, python string
	gib                              float64
	processes                        []int
	cases                            []string
	memory                           string
	rounds                           int
	runs                             int // with a target
}

func main() {
	var o options
	flag.StringVar(&o.cairn, "cairn", "cairn", "the command, or cairn-cloud")
	flag.StringVar(&o.beam, "beam", "", "cairn-beam; none to leave it out")
	flag.StringVar(&o.dir, "dir", os.TempDir(), "directory of inputs, and of outputs by default")
	flag.StringVar(&o.target, "target", "", "URL of a folder of jobs and outputs; by default they are files")
	flag.StringVar(&o.python, "python", "", "interpreter with dask and zarr; none to leave them out")
	flag.Float64Var(&o.gib, "gib", 4, "size of the array in GiB")
	flag.StringVar(&o.memory, "memory", "512M", "memory of a worker")
	flag.IntVar(&o.rounds, "rounds", 1, "rounds; the table has the fastest")
	processes := flag.String("processes", "1,2,8", "numbers of worker processes")
	cases := flag.String("cases", "recode,rechunk,calc,reduce,import", "what to measure")
	flag.Parse()

	o.cases = strings.Split(*cases, ",")
	err := error(nil)
	for text := range strings.SplitSeq(*processes, ",") {
		n, wrong := strconv.Atoi(text)
		o.processes = append(o.processes, n)
		err = errors.Join(err, wrong)
	}

	if err == nil {
		err = o.run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

// run makes the inputs, and measures each case.
func (o *options) run(ctx context.Context) error {
	dir, err := os.MkdirTemp(o.dir, "jobs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	in := filepath.Join(dir, "in.b2nd")
	steps, err := produce(ctx, in, int64(o.gib*(1<<30)))
	if err != nil {
		return err
	}
	if err := zarrOf(ctx, in); err != nil {
		return err
	}

	fmt.Println("| job | processes | plan, s | work, s | seal, s | work against one process | processor time, s | " +
		"that of a worker against one | dask ÷ all | in processor time | memory of a worker, MiB | planned, MiB |")
	fmt.Println("|---|" + strings.Repeat("---:|", 11))
	for _, name := range o.cases {
		if err := o.measure(ctx, dir, in, name, steps); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// planned returns the arguments of cairn job plan for a case, without the job and the output.
func planned(name, in string, steps int64) (flags, inputs []string) {
	switch name {
	case "recode":
		return []string{"-codec", "lz4", "-level", "5"}, []string{in}
	case "rechunk":
		return []string{"-codec", "lz4", "-level", "1", "-chunks", fmt.Sprintf("%d,32,32", steps)}, []string{in}
	case "calc":
		return []string{"-codec", "lz4", "-level", "1", "-calc", "sqrt(abs(x)) * 2 + 1"}, []string{"x=" + in}
	case "reduce":
		return []string{"-codec", "lz4", "-level", "1", "-reduce", "mean", "-axis", "0"}, []string{in}
	}
	return []string{"-codec", "zstd", "-level", "5"}, []string{in + ".zarr"} // import
}

// A run is what a job took.
type run struct {
	plan, work, seal float64 // seconds
	cpu              float64 // processor seconds of all processes
	largest          float64 // of the worker with the most
	peak, planned    float64 // MiB
	sum              string
}

func (r *run) seconds() float64 { return r.plan + r.work + r.seal }

// keep keeps the faster one of two runs of a job, the lower processor times, and the larger memory.
// It fails if the outputs differ.
func (r *run) keep(other run) error {
	if r.sum != "" && r.sum != other.sum {
		return errors.New("the output differs from that of an earlier run")
	}
	if r.sum == "" {
		*r = other
		return nil
	}
	cpu := min(r.cpu, other.cpu)
	largest := min(r.largest, other.largest)
	peak := max(r.peak, other.peak)
	if other.seconds() < r.seconds() {
		*r = other
	}
	r.cpu = cpu
	r.largest = largest
	r.peak = peak
	return nil
}

// measure measures a case with all numbers of processes, with Beam, and with dask.
func (o *options) measure(ctx context.Context, dir, in, name string, steps int64) error {
	runs := make([]run, len(o.processes))
	var beam, dask run
	out := filepath.Join(dir, name+".b2nd")

	// Each round has all contenders, so that a slow time of the machine meets all of them.
	for range o.rounds {
		for i, n := range o.processes {
			if err := os.RemoveAll(out); err != nil {
				return err
			}
			r, err := o.job(ctx, out, name, in, steps, n)
			if err = cmp.Or(err, runs[i].keep(r)); err != nil {
				return fmt.Errorf("%d processes: %w", n, err)
			}
			if r.sum != runs[0].sum {
				return fmt.Errorf("the output of %d processes differs from that of %d", n, o.processes[0])
			}
		}

		if o.beam != "" {
			r, err := o.pipeline(ctx, dir, in, name, steps)
			if err == nil && r.sum != runs[0].sum {
				err = errors.New("the output differs from that of cairn job")
			}
			if err = cmp.Or(err, beam.keep(r)); err != nil {
				return fmt.Errorf("beam: %w", err)
			}
		}

		if o.python != "" {
			r, err := o.dask(ctx, dir, in, name, out)
			if err = cmp.Or(err, dask.keep(r)); err != nil {
				return fmt.Errorf("dask: %w", err)
			}
		}
	}

	for i, r := range runs {
		var time, cpu string
		if o.processes[i] == 2 && o.python != "" {
			time = fmt.Sprintf("%.2f", dask.seconds()/r.seconds())
			cpu = fmt.Sprintf("%.2f", dask.cpu/r.cpu)
		}
		fmt.Printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %s | %s | %.0f | %.0f |\n", name, o.processes[i],
			r.plan, r.work, r.seal, runs[0].work/r.work, r.cpu, runs[0].largest/r.largest, time, cpu, r.peak, r.planned)
	}

	if o.beam != "" {
		fmt.Printf("| %s, Beam on Prism | 1 | | %.2f | | | %.2f | | | | %.0f | |\n", name, beam.work, beam.cpu, beam.peak)
	}
	if o.python != "" {
		fmt.Printf("| %s, dask | 2 | | %.2f | %.2f | | %.2f | | | | %.0f | |\n", name, dask.work, dask.seal, dask.cpu, dask.peak)
	}

	return os.RemoveAll(out)
}

// job plans, works and seals. The output is brought to a file if it is in a bucket.
func (o *options) job(ctx context.Context, out, name, in string, steps int64, processes int) (r run, err error) {
	job, made := o.places(out)
	if _, _, err := output(ctx, "sync"); err != nil { // of what earlier runs left
		return r, err
	}

	flags, inputs := planned(name, in, steps)
	args := append([]string{"job", "plan", "-q", "-memory", o.memory, "-workers", "1"}, flags...)
	begin := time.Now()
	text, planning, err := o.command(ctx, append(append(append(args, job), inputs...), made)...)
	if err != nil {
		return r, err
	}
	r.plan = time.Since(begin).Seconds()
	r.planned = needed(text)

	begin = time.Now()
	working, err := o.work(ctx, job, processes)
	if err != nil {
		return r, err
	}
	r.work = time.Since(begin).Seconds()

	begin = time.Now()
	_, sealing, err := o.command(ctx, "job", "seal", "-q", job)
	if err != nil {
		return r, err
	}

	r.seal = time.Since(begin).Seconds()
	r.cpu = planning.cpu + working.cpu + sealing.cpu
	r.largest = working.largest
	r.peak = working.peak
	r.sum, err = o.finish(ctx, job, made, out)
	return r, err
}

// pipeline runs a job by Beam, with two goroutines.
func (o *options) pipeline(ctx context.Context, dir, in, name string, steps int64) (r run, err error) {
	out := filepath.Join(dir, name+"-beam.b2nd")
	job, made := o.places(out)
	flags, inputs := planned(name, in, steps)
	args := append(append([]string{"-memory", o.memory, "-workers", "2"}, flags...), job)
	begin := time.Now()
	_, used, err := output(ctx, o.beam, append(append(args, inputs...), made)...)
	if err != nil {
		return r, err
	}
	r.work = time.Since(begin).Seconds()
	r.cpu = used.cpu
	r.peak = used.peak
	if r.sum, err = o.finish(ctx, job, made, out); err != nil {
		return r, err
	}
	return r, os.RemoveAll(out)
}

// places returns where the job and the output of a case go that becomes the file out.
func (o *options) places(out string) (job, made string) {
	if o.target != "" {
		o.runs++
		made = fmt.Sprintf("%s/%d-%s", o.target, o.runs, filepath.Base(out))
		return made + ".job", made
	}
	return out + ".job", out
}

// finish brings an output in a bucket to the file out, removes the job, and returns a hash of out.
func (o *options) finish(ctx context.Context, job, made, out string) (sum string, err error) {
	if o.target == "" {
		err = os.RemoveAll(job)
	} else {
		_, _, err = o.command(ctx, "copy", "-q", made, out)
	}
	if err != nil {
		return "", err
	}
	return sumOf(out)
}

// needed returns how many MiB a process needs, as the plan says.
func needed(text string) (mib float64) {
	if _, rest, ok := strings.Cut(text, "needs at most "); ok {
		_, _ = fmt.Sscan(rest, &mib)
	}
	return mib
}

// dask makes the same with dask, and compares the items.
func (o *options) dask(ctx context.Context, dir, in, name, out string) (r run, err error) {
	path := filepath.Join(dir, "dask_jobs.py")
	if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
		return r, err
	}

	made := filepath.Join(dir, name+".zarr")
	if _, _, err := output(ctx, "sync"); err != nil { // of what earlier runs left
		return r, err
	}

	text, _, err := output(ctx, o.python, path, name, in+".zarr", made, "2")
	if err != nil {
		return r, err
	}
	if _, err := fmt.Sscan(text, &r.work, &r.cpu, &r.peak); err != nil {
		return r, fmt.Errorf("%q: %w", text, err)
	}

	// A seal returns when the output is on disk, so the same is asked of the chunks of dask.
	begin := time.Now()
	if _, _, err := output(ctx, "sync"); err != nil {
		return r, err
	}
	r.seal = time.Since(begin).Seconds()
	r.sum = "the items of cairn"

	if _, _, err := o.command(ctx, "diff", "-rtol", "1e-5", out, made); err != nil {
		return r, fmt.Errorf("compare: %w", err)
	}
	return r, os.RemoveAll(made)
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
