package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

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

// joinSet joins one set, and says what came of it.
func joinSet(p *harness.Peer, cairn, dir string, seed uint64, k int) (verdict, why string, err error) {
	var set fileSet
	folder, out := filepath.Join(dir, "files"), filepath.Join(dir, "out.zarr")
	if err := p.Call(map[string]any{"op": "draw", "seed": seed, "case": k, "folder": folder}, &set); err != nil {
		return "", "", err
	}
	args := append(append([]string{"concat", "-force"}, set.Args...), set.Inputs...)
	said, failed := exec.Command(cairn, append(args, out)...).CombinedOutput()
	switch {
	case failed != nil && set.Refuse:
		return "refused", "", nil
	case failed != nil:
		return "refused without need", fmt.Sprintf("%v: %s", set.Args, said), nil
	case set.Refuse:
		return "silent", fmt.Sprintf("%s is not seen: %v %s", set.Mischief, set.Args, said), nil
	}
	var reply struct{ Difference string }
	if err := p.Call(map[string]any{"op": "compare", "set": set, "out": out}, &reply); err != nil {
		return "silent", err.Error(), nil
	}
	if reply.Difference != "" {
		return "silent", fmt.Sprintf("%s (%v) %s", reply.Difference, set.Args, said), nil
	}
	return "equal", "", nil
}
