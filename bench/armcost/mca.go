package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// cores are the processors to estimate for, in LLVM's names.
var cores = [...]string{"neoverse-n1", "neoverse-v1"}

// A cost is an estimate for each of the cores.
type cost [len(cores)]float64

func output(name string, args ...string) (string, error) {
	return outputOf("", name, args...)
}

func outputOf(stdin, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, stderr.String())
	}
	return string(out), nil
}

var totalCycles = regexp.MustCompile(`(?m)^Total Cycles:\s+(\d+)$`)

// cycles returns the cycles that each piece of code takes if it runs the given number of times in a
// row, on each core.
func (t *tools) cycles(pieces [][]string, times int) ([]cost, error) {
	var source strings.Builder
	for k, piece := range pieces {
		fmt.Fprintf(&source, "# LLVM-MCA-BEGIN piece%d\n", k)
		for _, text := range piece {
			source.WriteString(text + "\n")
		}
		source.WriteString("# LLVM-MCA-END\n")
	}
	costs := make([]cost, len(pieces))
	for c, core := range cores {
		out, err := outputOf(source.String(), t.mca, "-mtriple=aarch64", "-mcpu="+core, "-mattr=+crc",
			"-call-latency=1", "-iterations="+strconv.Itoa(times), "-skip-unsupported-instructions=any",
			"-instruction-info=false", "-resource-pressure=false")
		if err != nil {
			return nil, err
		}
		found := totalCycles.FindAllStringSubmatch(out, -1)
		if len(found) != len(pieces) {
			return nil, errors.New("llvm-mca did not answer for each piece of code")
		}
		for k, m := range found {
			n, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return nil, err
			}
			costs[k][c] = n
		}
	}
	return costs, nil
}

// loopTimes is how often a loop is repeated to make its start negligible.
const loopTimes = 200

// loopCycles returns the cycles of one iteration of a loop.
func (t *tools) loopCycles(loop []instruction) (cost, error) {
	piece := make([]string, len(loop))
	for k, i := range loop {
		piece[k] = i.text
	}
	costs, err := t.cycles([][]string{piece}, loopTimes)
	if err != nil {
		return cost{}, err
	}
	for c := range costs[0] {
		costs[0][c] /= loopTimes
	}
	return costs[0], nil
}
