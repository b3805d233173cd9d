package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Stretches of the executed instructions that llvm-mca looks at. Filters execute less than that.
const (
	parts    = 20
	partSize = 1500
)

// A subject is a program that does work the number of times that its last argument says.
type subject struct {
	path  string
	code  map[int64]string // text of instructions
	names map[int64]string // functions they are in
}

// counts reports whether the instruction at an address is part of the work. The scheduler of Go's
// runtime works as time goes by, and the work allocates nothing.
func (s *subject) counts(at int64) bool {
	name := s.names[at]
	runtime := strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
	return !runtime || strings.HasPrefix(name, "runtime.mem")
}

func (t *tools) subject(path string) (*subject, error) {
	code, names, err := t.everything(path)
	return &subject{path, code, names}, err
}

// A figure is what one piece of work costs: instructions, and cycles as estimated from parts of
// them.
type figure struct {
	instructions float64
	cycles       cost
	functions    map[string]float64 // instructions in the parts, by function
}

// measure does a piece of work once and twice. The second time begins at the latest where the
// program with one ended.
func (t *tools) measure(s *subject, args ...string) (figure, error) {
	once, err := t.trace(plan{}, s, append(args, "1")...)
	if err != nil {
		return figure{}, err
	}
	guess, err := t.trace(plan{}, s, append(args, "2")...)
	if err != nil {
		return figure{}, err
	}
	each := guess.count - once.count
	p := plan{first: once.count, step: max(partSize, each/parts), size: min(partSize, each)}
	p.first += (p.step - p.size) / 2 // otherwise one would always be at the beginning
	twice, err := t.trace(p, s, append(args, "3")...)
	if err != nil {
		return figure{}, err
	}
	f := figure{instructions: float64(twice.count-once.count) / 2, functions: make(map[string]float64)}
	var pieces [][]string
	kept := 0.0
	for _, part := range twice.parts[:min(parts, len(twice.parts))] {
		piece := make([]string, 0, len(part))
		for _, at := range part {
			if text, ok := s.code[at]; ok {
				piece = append(piece, text)
				f.functions[s.names[at]]++
			}
		}
		kept += float64(len(part))
		pieces = append(pieces, piece)
	}
	costs, err := t.cycles(pieces, 1)
	if err != nil {
		return figure{}, err
	}
	for _, c := range costs {
		for k := range c {
			f.cycles[k] += c[k] * f.instructions / kept
		}
	}
	return f, nil
}

// top returns the functions with most instructions, and their percentages.
func (f figure) top(n int) []string {
	total := 0.0
	for _, v := range f.functions {
		total += v
	}
	more := func(a, b string) int { return cmp.Compare(f.functions[b], f.functions[a]) }
	names := slices.SortedFunc(maps.Keys(f.functions), more)
	names = names[:min(n, len(names))]
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %.1f %%", name[strings.LastIndex(name, "/")+1:], f.functions[name]/total*100)
	}
	return names
}
