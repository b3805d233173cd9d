// Package harness has what the programs of this module share: processes, seeds and results.
package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Seed returns a seed that was given, or one from the clock for 0.
func Seed(given uint64) uint64 {
	if given == 0 {
		return uint64(time.Now().UnixNano()) % 1e9
	}
	return given
}

// Exit ends the program, with status 1 if there is an error.
func Exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Print writes what was counted as JSON.
func Print(w io.Writer, counts any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(counts)
}

// maxFailures is how many failures are told; all are counted.
const maxFailures = 20

// Failures are the first things that went wrong.
type Failures[T any] []T

// Full reports whether no more are told.
func (f Failures[T]) Full() bool { return len(f) >= maxFailures }

// Add keeps failures as long as there is room.
func (f *Failures[T]) Add(more ...T) {
	*f = append(*f, more[:min(len(more), maxFailures-len(*f))]...)
}

// Self returns this program with other arguments.
func Self(args ...string) *exec.Cmd {
	path, err := os.Executable()
	cmd := exec.Command(path, args...)
	if err != nil {
		cmd.Err = err
	}
	return cmd
}

// Watch runs a command that may be killed meanwhile, and calls line with each line that it prints.
// What it complains of is an error; how it ends is none.
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
	_ = cmd.Wait() // killed, or what it complains of says more
	if len(complaint.b) > 0 || err != nil {
		return fmt.Errorf("the process failed: %s %w", complaint.b, err)
	}
	return nil
}
