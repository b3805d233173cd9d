// Command memory runs the verbs of the command on an array of 512 MiB, each as a process with two
// workers, and compares the most memory that was resident with the bound that docs/command.md
// states, or, for workers of jobs, that of their plan.
//
//	go run ./check/memory
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/osfile"
)

func main() {
	planes := flag.Int("planes", 512, "how many planes of 1 MiB the array has")
	workers := flag.Int("workers", 2, "for each verb; the bounds are for two")
	flag.Parse()
	harness.Exit(run(*planes, *workers))
}

// run makes the arrays and measures each verb. It goes on after a verb that takes too much.
func run(planes, workers int) (err error) {
	dir, err := os.MkdirTemp("", "cairn-memory-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	r := &runner{dir: dir, workers: workers}
	if r.command, err = harness.Build(dir); err != nil {
		return err
	}
	if err := r.makeArrays(planes); err != nil {
		return err
	}

	fmt.Printf("verbs on %d MiB with %d workers\n    MiB  bound  seconds\n", planes, workers)
	var failed []error
	for _, b := range bounds {
		most := int64(0)
		for _, words := range b.commands {
			begin := time.Now()
			peak, err := r.measure(words)
			if err != nil {
				return err
			}
			fmt.Printf("%7.1f %6d %8.1f  cairn %s\n", float64(peak)/(1<<20), b.mebibytes, time.Since(begin).Seconds(), words)
			most = max(most, peak)
		}
		if most > b.mebibytes<<20 {
			failed = append(failed, fmt.Errorf("%s took %d MiB, the bound is %d MiB", b.what, most>>20, b.mebibytes))
		}
	}

	more, err := r.measureJobs()
	return errors.Join(append(append(failed, more...), err)...)
}

// A runner runs the command in a directory.
type runner struct {
	dir, command string
	workers      int
}

// makeArrays stores planes of float32 in two ways: with a chunk for each plane in a.b2nd, and with
// cubes as chunks in b.b2nd. A plane is not held more than once: the peak of a process counts for
// what it starts.
func (r *runner) makeArrays(planes int) error {
	c := r.process("import", "-q", "-dtype", "<f4", "-shape", fmt.Sprintf("%d,512,512", planes),
		"-chunks", "1,512,512", "-blocks", "1,64,512", "-codec", "lz4", "-", "a.b2nd")
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}

	if err = c.Start(); err != nil {
		return err
	}

	plane := make([]byte, 1<<20)
	for k := range planes {
		fill(plane, k)
		if _, err := in.Write(plane); err != nil {
			return errors.Join(err, c.Wait())
		}
	}

	if err := errors.Join(in.Close(), c.Wait()); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	_, err = r.measure("copy -q -chunks 64,64,64 a.b2nd b.b2nd")
	return err
}

// measure runs the command with words and returns its peak of resident memory in bytes. What the
// command prints is dropped.
func (r *runner) measure(words string) (int64, error) {
	fields := strings.Fields(words)
	if fields[0] != "head" {
		fields = slices.Insert(fields, 1, "-workers", fmt.Sprint(r.workers))
	}
	return r.peakOf(fields...)
}

// peakOf runs the command and returns its peak of resident memory in bytes.
func (r *runner) peakOf(args ...string) (int64, error) {
	c := r.process(args...)
	if err := c.Run(); err != nil {
		return 0, fmt.Errorf("cairn %s: %w", strings.Join(args, " "), err)
	}
	peak := osfile.PeakMemory(c.ProcessState)
	if peak == 0 {
		return 0, errors.New("this system does not tell the memory of a process: run the check on Linux")
	}
	return peak, nil
}

func (r *runner) process(args ...string) *exec.Cmd {
	c := exec.Command(r.command, args...)
	c.Dir = r.dir
	c.Stderr = os.Stderr
	return c
}

// fill makes plane k: numbers that compress well and are others than those of other planes.
func fill(plane []byte, k int) {
	for i := 0; i < len(plane); i += 4 {
		v := float32(i>>12&63) + float32(k)/512
		binary.LittleEndian.PutUint32(plane[i:], math.Float32bits(v))
	}
}
