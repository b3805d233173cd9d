package main

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed calcs.py
var calcsSource string

// A calculation is an expression of arrays, or arrays that are stacked.
type calculation struct {
	Verb     string   `json:"verb"` // calc, job or stack
	Out      string   `json:"out"`  // format of the result
	Text     string   `json:"text"` // the expression
	Names    []string `json:"names"`
	Paths    []string `json:"paths"` // of the arrays with these names
	Axis     int      `json:"axis"`  // the new one of a stack
	Mischief string   `json:"mischief"`
	Refuse   string   `json:"refuse"` // why it must not be done; "" if it must
}

// calcs lets the command calculate with arrays n times, or stack them, and compares the results
// with those of xarray.
func calcs(python string, seed uint64, first, n int) (err error) {
	b, err := newBench(python, filesSource+calcsSource, seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()

	counts := map[string]int{}
	for k := first; k < first+n; k++ {
		var c calculation
		draw := map[string]any{"op": "draw", "seed": seed, "case": k, "folder": b.files()}
		if err := b.peer.Call(draw, &c); err != nil {
			return fmt.Errorf("calculation %d: %w", k, err)
		}

		r := b.calculate(c)
		counts[r.verdict]++
		if r.why != "" {
			fmt.Printf("calculation %d: %s: %s\n", k, r.verdict, r.why)
		}
	}

	fmt.Printf("%d calculations and stacks: %v\n", n, counts)
	failed := counts["panic"]
	for verdict, n := range counts {
		if strings.HasPrefix(verdict, "silent") {
			failed += n
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d results are not those of xarray", failed)
	}
	return nil
}

// commands returns the commands that calculate, one after the other, and the path of the result.
func (c *calculation) commands(b *bench) (all [][]string, out string) {
	var named, plain []string
	for i, path := range c.Paths {
		named = append(named, c.Names[i]+"="+path+"::v")
		plain = append(plain, path+"::v")
	}
	switch c.Verb {
	case "job":
		job, out := b.job()
		plan := slices.Concat([]string{"job", "plan", "-calc", c.Text, job}, named, []string{out})
		return [][]string{plan, {"job", "work", job}, {"job", "seal", job}}, out
	case "stack":
		return b.make(c.Out, func(to string) []string {
			return slices.Concat([]string{"concat", "-force", "-stack", "-axis", strconv.Itoa(c.Axis)}, plain, []string{to})
		})
	}
	return b.make(c.Out, func(to string) []string {
		return slices.Concat([]string{"calc", "-force", "-o", to, c.Text}, named)
	})
}

// calculate runs the commands of a calculation, and says what came of it.
func (b *bench) calculate(c calculation) result {
	commands, out := c.commands(b)
	said, failed := b.run(commands)
	switch {
	case failed != nil && strings.Contains(said, "goroutine "):
		return result{verdict: "panic", why: fmt.Sprintf("%q: %s", commands, said)}
	case failed != nil && c.Refuse != "":
		return result{verdict: "refused"}
	case failed != nil:
		return result{verdict: "refused without need", why: fmt.Sprintf("%q: %s", commands, said)}
	case c.Refuse != "":
		return result{verdict: "silent " + c.Verb, why: fmt.Sprintf("%s is not seen: %q: %s", c.Refuse, commands, said)}
	}

	var reply struct{ Difference string }
	if err := b.peer.Call(map[string]any{"op": "compare", "case": c, "out": out}, &reply); err != nil {
		return result{verdict: "silent " + c.Verb, why: err.Error()}
	}
	if reply.Difference != "" {
		return result{verdict: "silent " + c.Verb, why: fmt.Sprintf("%s: %q: %s", reply.Difference, commands, said)}
	}
	return result{verdict: "equal " + c.Verb}
}
