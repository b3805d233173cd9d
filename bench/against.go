package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cairn-go/cairn/bench/result"
)

// errSlower says that a comparison of two commits found groups that became slower.
var errSlower = errors.New("some groups became slower")

// againstFlags are the flags of both versions when two commits are compared, where the command line
// has no other values: some ten minutes on two processors.
var againstFlags = map[string]string{
	"workloads": "frames,users,zarr", "peers": "none", "filters": "shuffle", "size": "2097152",
	"rounds": "2", "roundtime": "0.01",
	"kinds": "smooth.f4,sparse.f8,temperature.f4,ct.u2,timestamps.i8,prices.f8,photo.u1",
}

// againstQuick are those that differ with -quick, some two minutes.
var againstQuick = map[string]string{
	"workloads": "frames,users", "threads": "1", "kinds": "sparse.f8,temperature.f4,ct.u2,prices.f8",
}

// A version is a build of the benchmark.
type version struct {
	name  string
	build string // directory with bench, driver and cairn
	peer  string // the Python program
	runs  [][]*result.Measure
}

// compareCommits runs the benchmark of another commit and this one in turn, and prints the groups
// of measures by what changed.
func compareCommits(c *config) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	started := time.Now()
	switch {
	case c.home == "" || c.driver == "":
		return errors.New("-home or -driver is missing; bench/run sets them")
	case c.seed != 0 && c.data != "":
		return errors.New("-against takes -seed or -data, not both")
	case c.pairs < 2:
		return errors.New("-pairs must be at least 2, for how much equal versions differ")
	}

	dir, err := os.MkdirTemp("", "cairn-against-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	tree := filepath.Join(dir, "commit")
	git := func(args ...string) error {
		// not ended by ctx: the work tree must go, whatever happened
		return quietly(exec.Command("git", append([]string{"-C", c.home}, args...)...))
	}
	if err := git("worktree", "add", "--detach", tree, c.against); err != nil {
		return err
	}
	defer git("worktree", "remove", "--force", tree)

	// with -help, the script builds everything and runs nothing
	script := filepath.Join(tree, "bench", "run")
	if err := quietly(exec.CommandContext(ctx, script, "--python", c.python, "-help")); err != nil {
		return fmt.Errorf("building %s: %w", c.against, err)
	}

	if c.seed != 0 { // drawn here, as the commit may not know how
		drawn := *c
		drawn.write = filepath.Join(dir, "drawn")
		if err := os.Mkdir(drawn.write, 0o777); err != nil {
			return err
		}
		if err := drawn.writeSets(); err != nil {
			return err
		}
		c.passed = append(c.passed, "-kinds=none", "-data="+drawn.write)
	}

	old := &version{name: "old", build: filepath.Join(tree, "bench", ".build"),
		peer: filepath.Join(tree, "bench", "peer", "peer.py")}
	now := &version{name: "new", build: filepath.Dir(c.driver), peer: c.peer}
	for pair := range c.pairs {
		order := []*version{old, now}
		if pair%2 == 1 {
			slices.Reverse(order)
		}
		for _, v := range order {
			fmt.Fprintf(os.Stderr, "pair %d of %d, %s, after %.0f s\n", pair+1, c.pairs, v.name,
				time.Since(started).Seconds())
			if err := v.run(ctx, c, filepath.Join(dir, "out")); err != nil {
				return fmt.Errorf("the %s version: %w", v.name, err)
			}
		}
	}

	changes := result.Changes(old.runs, now.runs)
	if len(changes) == 0 {
		return errors.New("the versions have no measures in common")
	}
	text := fmt.Sprintf("%s\n%s\n%.0f s, load %s\n\n%s", machine(), c.line, time.Since(started).Seconds(),
		loadAverage(), result.ChangeText(changes))
	fmt.Print(text)
	if c.out != "" {
		if err := os.MkdirAll(c.out, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(c.out, "against.txt"), []byte(text), 0o666); err != nil {
			return err
		}
	}

	if slices.ContainsFunc(changes, result.Change.Slower) {
		return errSlower
	}
	return nil
}

// run runs the version once and keeps its measures.
func (v *version) run(ctx context.Context, c *config, out string) error {
	args := append(slices.Clone(c.passed), "-driver", filepath.Join(v.build, "driver"),
		"-python", c.python, "-peer", v.peer, "-cairn", filepath.Join(v.build, "cairn"), "-out", out)
	if err := quietly(exec.CommandContext(ctx, filepath.Join(v.build, "bench"), args...)); err != nil {
		return err
	}

	f, err := os.Open(filepath.Join(out, "rounds.csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	measures, err := result.ParseCSV(f)
	v.runs = append(v.runs, measures)
	return err
}

// quietly runs a command, and shows the end of what it printed only if it fails.
func quietly(cmd *exec.Cmd) error {
	printed, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err,
		strings.Join(lines[max(0, len(lines)-8):], "\n"))
}

// againstDefaults sets the flags that the command line does not, for a comparison of two commits,
// and returns all that both versions get.
func (c *config) againstDefaults(f *flag.FlagSet) ([]string, error) {
	values := maps.Clone(againstFlags)
	if c.quick {
		maps.Copy(values, againstQuick)
	}
	if c.seed != 0 {
		delete(values, "kinds")
	}
	f.Visit(func(f *flag.Flag) { delete(values, f.Name) })
	for name, value := range values {
		if err := f.Set(name, value); err != nil {
			return nil, err
		}
	}

	var out []string
	f.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "driver", "python", "peer", "cairn", "home", "out", "against", "pairs", "seed":
		case "kinds":
			if c.seed == 0 {
				out = append(out, "-kinds="+f.Value.String())
			}
		default:
			out = append(out, "-"+f.Name+"="+f.Value.String())
		}
	})
	return out, nil
}
