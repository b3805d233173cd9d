package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed convert.py
var convertProgram string

// conversions measures conversions of a file to a Blosc2 file with the same chunks, by the command
// and by Python in two ways, with 1 and 2 threads: elapsed time and largest resident memory.
func (c *config) conversions(kind, path string, chunks []int64) error {
	out := path + ".b2nd"
	defer os.Remove(out)
	var text []string
	for _, n := range chunks {
		text = append(text, fmt.Sprint(n))
	}
	shape := strings.Join(text, ",")
	fmt.Printf("\n%s, %s\n\n| converted by | threads | s | MiB resident | bytes |\n|---|---|---|---|---|\n", kind, shape)
	for _, threads := range []int{1, 2} {
		n := strconv.Itoa(threads)
		ways := [][]string{
			{"cairn import", c.cairn, "import", "-force", "-workers", n, "-chunks", shape, path + "::v", out},
			{"h5py and blosc2, whole", c.python, "-c", convertProgram, "whole", path, out, n, shape},
			{"h5py and blosc2, by rows of chunks", c.python, "-c", convertProgram, "slabs", path, out, n, shape},
		}
		times, memory, sizes := make([][]float64, len(ways)), make([]int64, len(ways)), make([]int64, len(ways))
		for range c.rounds {
			for i, way := range ways {
				seconds, most, size, err := convertOnce(threads, out, way[1:])
				if err != nil {
					return fmt.Errorf("%s: %w", way[0], err)
				}
				times[i], memory[i], sizes[i] = append(times[i], seconds), max(memory[i], most), size
			}
		}
		for i, way := range ways {
			fmt.Printf("| %s | %d | %.2f | %d | %d |\n", way[0], threads, median(times[i]), memory[i]>>10, sizes[i])
		}
	}
	return nil
}

// convertOnce runs a command that makes a file, and returns its time, memory in KiB, and the size
// of the file.
func convertOnce(threads int, out string, command []string) (seconds float64, memory, size int64, err error) {
	if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, 0, 0, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", threads))
	cmd.Stderr = os.Stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, 0, 0, err
	}
	seconds = time.Since(began).Seconds()
	info, err := os.Stat(out)
	if err != nil {
		return 0, 0, 0, err
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return seconds, usage.Maxrss, info.Size(), nil
}
