// Package harness is shared by the programs of this module: processes, seeds and results.
package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Seed returns given, or a seed from the clock if given is 0.
func Seed(given uint64) uint64 {
	if given == 0 {
		return uint64(time.Now().UnixNano()) % 1e9
	}
	return given
}

// Exit ends the program. If err is not nil, it prints err and exits with status 1.
func Exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Print writes counts as JSON.
func Print(w io.Writer, counts any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(counts)
}

// Report prints the counts of a program as JSON, and returns an error if something failed.
func Report(program string, counts any, failed int) error {
	if err := Print(os.Stdout, counts); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%s: there were %d failures", program, failed)
	}
	return nil
}

// maxFailures is the most failures that are reported; all are counted.
const maxFailures = 20

// Failures are the first failures of a run.
type Failures[T any] []T

// Full reports whether further failures are dropped.
func (f Failures[T]) Full() bool { return len(f) >= maxFailures }

// Add appends failures, up to maxFailures.
func (f *Failures[T]) Add(more ...T) {
	*f = append(*f, more[:min(len(more), maxFailures-len(*f))]...)
}

// Build compiles the command cairn into a directory, with some flags of go build, and returns its
// path.
func Build(dir string, flags ...string) (string, error) {
	path := filepath.Join(dir, "cairn")
	args := slices.Concat([]string{"build", "-o", path}, flags, []string{"github.com/cairn-go/cairn/cmd/cairn"})
	build := exec.Command("go", args...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w: %s", err, out)
	}
	return path, nil
}

// Box draws a box with items of a shape that has some.
func Box(rng *rand.Rand, shape []int64) (start, stop []int64) {
	start = make([]int64, len(shape))
	stop = make([]int64, len(shape))
	for i, n := range shape {
		start[i] = rng.Int64N(n)
		stop[i] = start[i] + 1 + rng.Int64N(n-start[i])
	}
	return start, stop
}

// Self returns a command that runs this program with other arguments.
func Self(args ...string) *exec.Cmd {
	path, err := os.Executable()
	cmd := exec.Command(path, args...)
	if err != nil {
		cmd.Err = err
	}
	return cmd
}

// Watch runs a command and calls line with each line that it prints. Output to stderr is an error.
// The exit status is ignored, since the command may be killed.
func Watch(cmd *exec.Cmd, line func(text string) error) error {
	var complaint tail
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}

	for lines := bufio.NewScanner(out); lines.Scan(); {
		if failed := line(lines.Text()); failed != nil {
			err = failed
		}
	}

	_ = cmd.Wait() // it may have been killed; other failures are on stderr
	if len(complaint.b) > 0 || err != nil {
		return fmt.Errorf("the process failed: %s %w", complaint.b, err)
	}
	return nil
}
