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

// Stretches of the executed instructions that llvm-mca looks at.
const (
	parts    = 20
	partSize = 1500
)

// cores are the processors to estimate for, in LLVM's names.
var cores = [...]string{"neoverse-n1", "neoverse-v1"}

// A figure is what a byte of a work costs: instructions, and cycles on each of the cores.
type figure struct {
	instructions float64
	cycles       [len(cores)]float64
}

// measure does a piece of work once, twice and three times. The second time begins at the latest
// where the program with one ended.
func (t *tools) measure(s *subject, args ...string) (f figure, err error) {
	once, err := t.trace(plan{}, s, append(args, "1")...)
	if err != nil {
		return f, err
	}
	twice, err := t.trace(plan{}, s, append(args, "2")...)
	if err != nil {
		return f, err
	}
	each := twice.count - once.count
	p := plan{first: once.count, step: max(partSize, each/parts), size: min(partSize, each)}
	p.first += (p.step - p.size) / 2 // otherwise one would always be at the beginning
	more, err := t.trace(p, s, append(args, "3")...)
	if err != nil {
		return f, err
	}

	f.instructions = float64(more.count-once.count) / 2 / dataSize
	var source strings.Builder
	kept := 0
	pieces := more.parts[:min(parts, len(more.parts))]
	for _, part := range pieces {
		source.WriteString("# LLVM-MCA-BEGIN\n")
		for _, at := range part {
			source.WriteString(s.code[at] + "\n")
		}
		source.WriteString("# LLVM-MCA-END\n")
		kept += len(part)
	}
	for k, core := range cores {
		cycles, err := t.cycles(source.String(), core, len(pieces))
		if err != nil {
			return f, err
		}
		f.cycles[k] = cycles * f.instructions / float64(kept)
	}
	return f, nil
}

var totalCycles = regexp.MustCompile(`(?m)^Total Cycles:\s+(\d+)$`)

// cycles returns the cycles that pieces of code take together on a core.
func (t *tools) cycles(source, core string, pieces int) (float64, error) {
	out, err := output(source, t.mca, "-mtriple=aarch64", "-mcpu="+core, "-mattr=+crc", "-call-latency=1",
		"-iterations=1", "-skip-unsupported-instructions=any", "-instruction-info=false", "-resource-pressure=false")
	if err != nil {
		return 0, err
	}
	found := totalCycles.FindAllStringSubmatch(out, -1)
	if len(found) != pieces {
		return 0, errors.New("llvm-mca did not answer for each piece of code")
	}

	sum := 0.0
	for _, m := range found {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func output(stdin, name string, args ...string) (string, error) {
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

var (
	instructionLine = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S.*)$`)
	addressOperand  = regexp.MustCompile(`\b0x[0-9a-f]+ <[^>]*(>.*)?$`)
	nearAddress     = regexp.MustCompile(`^(adrp?\s+[^,]+,).*$`)
	functionLine    = regexp.MustCompile(`^[0-9a-f]+ <(.*)>:$`)
)

// disassemble reads the instructions of a program, with a label in the place of addresses, which an
// assembler would take for distances.
func (t *tools) disassemble(path string) (*subject, error) {
	out, err := output("", t.objdump, "-d", "--no-show-raw-insn", path)
	if err != nil {
		return nil, err
	}
	s := &subject{path, make(map[int64]string), make(map[int64]string)}
	name := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if m := functionLine.FindStringSubmatch(line); m != nil {
			name = m[1]
			continue
		}
		m := instructionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}

		at := hex([]byte(m[1]))
		text, _, _ := strings.Cut(m[2], "//")
		text = strings.TrimSpace(strings.ReplaceAll(text, "\t", " "))
		text = addressOperand.ReplaceAllString(text, "elsewhere")
		s.code[at] = nearAddress.ReplaceAllString(text, "$1 elsewhere")
		s.names[at] = name
	}
	return s, nil
}
