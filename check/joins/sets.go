package main

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed files.py
var filesSource string

//go:embed cdo.py
var cdoSource string

//go:embed sets.py
var setsSource string

// A fileSet is a set of files, and what is to become of it.
type fileSet struct {
	Args     []string `json:"args"`
	Inputs   []string `json:"inputs"`
	Paths    []string `json:"paths"` // in the order of the coordinates
	Refuse   bool     `json:"refuse"`
	Mischief string   `json:"mischief"`
	Along    string   `json:"along"`
	Verb     string   `json:"verb"` // concat, append or job
	Out      string   `json:"out"`  // its format
}

// sets joins the arrays of n sets of files with the command, and compares the results with those of
// xarray; and with those of CDO, if cdo is its path.
func sets(python, cdo string, seed uint64, first, n int) (err error) {
	b, err := newBench(python, filesSource+cdoSource+setsSource, seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()

	counts := map[string]int{}
	besides := map[string]int{}
	for k := first; k < first+n; k++ {
		r, err := b.joinSet(cdo, seed, k)
		if err != nil {
			return fmt.Errorf("set %d: %w", k, err)
		}
		counts[r.verdict]++
		if r.beside != "" {
			besides[r.beside]++
		}
		if r.why != "" {
			fmt.Printf("set %d: %s: %s\n", k, r.verdict, r.why)
		}
	}

	fmt.Printf("%d sets of files: %v\n", n, counts)
	if cdo != "" {
		fmt.Printf("beside CDO: %v\n", besides)
	}
	if failed := counts["silent"] + counts["panic"]; failed > 0 {
		return fmt.Errorf("%d sets are joined to other values than xarray or CDO has", failed)
	}
	return nil
}

// commands returns the commands that join the set, one after the other, and the path of the result.
func (s *fileSet) commands(b *bench) (all [][]string, out string) {
	switch s.Verb {
	case "append":
		begin := []string{"copy", "-force", s.Inputs[0], b.leaf()}
		more := slices.Concat([]string{"append"}, s.Args, []string{b.leaf()}, s.Inputs[1:])
		return [][]string{begin, more, b.write(s.Out)}, b.place(s.Out)
	case "job":
		job, out := b.job()
		plan := slices.Concat([]string{"job", "-concat"}, s.Args, []string{"plan", job}, s.Inputs, []string{out})
		return [][]string{plan, {"job", "work", job}, {"job", "seal", job}}, out
	}
	return b.make(s.Out, func(to string) []string {
		return slices.Concat([]string{"concat", "-force"}, s.Args, s.Inputs, []string{to})
	})
}

// doesNotFit matches what append says about values that the array has no items for.
var doesNotFit = regexp.MustCompile(`exactly|stands for none|would be missing`)

// A result says what came of a case.
type result struct {
	verdict string
	beside  string // what CDO has; "" if it was not asked
	why     string // of a verdict that nobody wants
}

// joinSet joins one set, and says what came of it.
func (b *bench) joinSet(cdo string, seed uint64, k int) (result, error) {
	var set fileSet
	if err := b.peer.Call(map[string]any{"op": "draw", "seed": seed, "case": k, "folder": b.files()}, &set); err != nil {
		return result{}, err
	}

	commands, out := set.commands(b)
	said, failed := b.run(commands)
	switch {
	case failed != nil && strings.Contains(said, "goroutine "):
		return result{verdict: "panic", why: fmt.Sprintf("%s %v: %s", set.Verb, set.Args, said)}, nil
	case failed != nil && set.Verb == "append" && doesNotFit.MatchString(said):
		return result{verdict: "does not fit what it is appended to"}, nil
	case failed != nil && set.Verb == "job" && strings.Contains(said, "a job cannot turn arrays round"):
		return result{verdict: "refused by a job"}, nil
	case failed != nil && set.Refuse:
		return result{verdict: "refused"}, nil
	case failed != nil:
		return result{verdict: "refused without need", why: fmt.Sprintf("%s %v: %s", set.Verb, set.Args, said)}, nil
	case set.Refuse:
		return result{verdict: "silent", why: fmt.Sprintf("%s is not seen: %v %s", set.Mischief, set.Args, said)}, nil
	}

	var reply struct{ Difference, CDO, Other string }
	compare := map[string]any{"op": "compare", "set": set, "out": out, "cdo": cdo, "folder": b.files()}
	if err := b.peer.Call(compare, &reply); err != nil {
		return result{verdict: "silent", why: err.Error()}, nil
	}
	if difference := reply.Difference + reply.Other; difference != "" {
		why := fmt.Sprintf("%s to %s: %s (%v) %s", set.Verb, set.Out, difference, set.Args, said)
		return result{"silent", reply.CDO, why}, nil
	}
	return result{"equal", reply.CDO, ""}, nil
}
