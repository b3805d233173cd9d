package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/cairn-go/cairn/check/harness"
)

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
// xarray.
func sets(python string, seed uint64, first, n int) (err error) {
	dir, err := os.MkdirTemp("", "cairn-joins")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cairn := filepath.Join(dir, "cairn")
	if out, err := exec.Command("go", "build", "-o", cairn, "github.com/cairn-go/cairn/cmd/cairn").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	p, err := harness.Start(exec.Command(python, "-c", setsSource))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	var hello struct{ Versions string }
	if err := p.Call(map[string]any{"op": "hello"}, &hello); err != nil {
		return err
	}
	fmt.Printf("seed %d, %s\n", seed, hello.Versions)

	counts := map[string]int{}
	for k := first; k < first+n; k++ {
		verdict, why, err := joinSet(p, cairn, dir, seed, k)
		if err != nil {
			return fmt.Errorf("set %d: %w", k, err)
		}
		counts[verdict]++
		if verdict == "silent" || verdict == "refused without need" {
			fmt.Printf("set %d: %s: %s\n", k, verdict, why)
		}
	}
	fmt.Printf("%d sets of files: %v\n", n, counts)
	if counts["silent"] > 0 {
		return fmt.Errorf("%d sets are joined to other values than xarray has", counts["silent"])
	}
	return nil
}

// commands returns the commands that join the set, one after the other, and the path of the result.
func (s *fileSet) commands(dir string) (all [][]string, out string) {
	out = filepath.Join(dir, "out.zarr")
	var version []string
	switch s.Out {
	case "zarr 2":
		version = []string{"-zarr", "2"}
	case "b2nd":
		out = filepath.Join(dir, "out.b2nd")
	}
	write := func(from string) []string {
		if s.Out == "b2nd" {
			return []string{"copy", "-force", from, out}
		}
		return append(append([]string{"export", "-force"}, version...), from, out)
	}

	tree, job, frame := filepath.Join(dir, "tree.b2z"), filepath.Join(dir, "set.job"), filepath.Join(dir, "job.b2nd")
	switch s.Verb {
	case "append":
		begin := []string{"copy", "-force", s.Inputs[0], tree + "::/v"}
		more := append(append([]string{"append"}, s.Args...), tree+"::/v")
		return [][]string{begin, append(more, s.Inputs[1:]...), write(tree + "::/v")}, out
	case "job":
		plan := append(append([]string{"job", "-concat"}, s.Args...), "plan", job)
		plan = append(append(plan, s.Inputs...), frame)
		return [][]string{plan, {"job", "work", job}, {"job", "seal", job}}, frame
	}
	join := append(append([]string{"concat", "-force"}, s.Args...), s.Inputs...)
	if version != nil {
		return [][]string{append(join, tree+"::/v"), write(tree + "::/v")}, out
	}
	return [][]string{append(join, out)}, out
}

// doesNotFit matches what append says about values that the array has no items for.
var doesNotFit = regexp.MustCompile(`exactly|stands for none|would be missing`)

// joinSet joins one set, and says what came of it.
func joinSet(p *harness.Peer, cairn, dir string, seed uint64, k int) (verdict, why string, err error) {
	var set fileSet
	folder := filepath.Join(dir, "files")
	if err := p.Call(map[string]any{"op": "draw", "seed": seed, "case": k, "folder": folder}, &set); err != nil {
		return "", "", err
	}
	commands, out := set.commands(dir)
	for _, name := range []string{"set.job", "job.b2nd", "tree.b2z"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return "", "", err
		}
	}
	var said []byte
	var failed error
	for _, args := range commands {
		if said, failed = exec.Command(cairn, args...).CombinedOutput(); failed != nil {
			break
		}
	}
	switch {
	case failed != nil && set.Verb == "append" && doesNotFit.Match(said):
		return "does not fit what it is appended to", "", nil
	case failed != nil && set.Verb == "job" && bytes.Contains(said, []byte("a job cannot turn arrays round")):
		return "refused by a job", "", nil
	case failed != nil && set.Refuse:
		return "refused", "", nil
	case failed != nil:
		return "refused without need", fmt.Sprintf("%s %v: %s", set.Verb, set.Args, said), nil
	case set.Refuse:
		return "silent", fmt.Sprintf("%s is not seen: %v %s", set.Mischief, set.Args, said), nil
	}
	var reply struct{ Difference string }
	if err := p.Call(map[string]any{"op": "compare", "set": set, "out": out}, &reply); err != nil {
		return "silent", err.Error(), nil
	}
	if reply.Difference != "" {
		return "silent", fmt.Sprintf("%s to %s: %s (%v) %s", set.Verb, set.Out, reply.Difference, set.Args, said), nil
	}
	return "equal", "", nil
}
