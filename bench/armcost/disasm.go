package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An instruction is one line of a disassembly. target is the address that it may branch to, or -1.
type instruction struct {
	at     int64
	text   string
	target int64
}

var (
	instructionLine = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S.*)$`)
	addressOperand  = regexp.MustCompile(`\b0x([0-9a-f]+) <[^>]*(>.*)?$`)
	functionLine    = regexp.MustCompile(`^([0-9a-f]+) <(.*)>:$`)
)

// parseLine returns the instruction of one line, with a label in the place of an address, which an
// assembler would take for a distance.
func parseLine(line string) (instruction, bool) {
	m := instructionLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
	if m == nil {
		return instruction{}, false
	}
	at, err := strconv.ParseInt(m[1], 16, 64)
	if err != nil {
		return instruction{}, false
	}
	text, _, _ := strings.Cut(m[2], "//")
	i := instruction{at: at, text: strings.TrimSpace(strings.ReplaceAll(text, "\t", " ")), target: -1}
	if a := addressOperand.FindStringSubmatchIndex(i.text); a != nil {
		i.target, _ = strconv.ParseInt(i.text[a[2]:a[3]], 16, 64)
		i.text = i.text[:a[0]] + "elsewhere"
	} else if strings.HasPrefix(i.text, "adr") {
		comma := strings.Index(i.text, ",")
		i.text = i.text[:comma] + ", elsewhere"
	}
	return i, true
}

// function returns the instructions of one function of an object file or program.
func (t *tools) function(file, name string) ([]instruction, error) {
	out, err := output(t.objdump, "-d", "--no-show-raw-insn", "--disassemble-symbols="+name, file)
	if err != nil {
		return nil, err
	}
	var code []instruction
	for line := range strings.Lines(out) {
		if i, ok := parseLine(line); ok {
			code = append(code, i)
		}
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("%s has no function %s", file, name)
	}
	return code, nil
}

// loops returns the innermost loops, in order of address: the ranges from the target of a branch
// back to that branch in which there is no other such branch.
func loops(code []instruction) [][]instruction {
	var found [][]instruction
	index := make(map[int64]int)
	from := -1
	for k, i := range code {
		index[i.at] = k
		start, ok := index[i.target]
		if i.target < 0 || !ok || strings.HasPrefix(i.text, "bl ") || start <= from {
			continue
		}
		from = k
		found = append(found, code[start:k+1])
	}
	return found
}

// everything returns all instructions of a program by address, and the name of the function of
// each.
func (t *tools) everything(file string) (map[int64]string, map[int64]string, error) {
	out, err := output(t.objdump, "-d", "--no-show-raw-insn", file)
	if err != nil {
		return nil, nil, err
	}
	code, names := make(map[int64]string), make(map[int64]string)
	name := ""
	for line := range strings.Lines(out) {
		if m := functionLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			name = m[2]
			continue
		}
		if i, ok := parseLine(line); ok {
			code[i.at], names[i.at] = i.text, name
		}
	}
	return code, names, nil
}
