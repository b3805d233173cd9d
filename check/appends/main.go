// Command appends crashes and kills appends to NetCDF and HDF5 files, made by netCDF4-python,
// xarray, h5py and cairn, at every operation in every way that storage is known to fail. netCDF4
// and h5py must open each file that is left, and find all that was acknowledged. It prints its
// counts as JSON, and ends with status 1 if anything was lost.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/storage"
)

// killedVerb as the first argument makes this program one that appends until it is killed.
const killedVerb = "append-until-killed"

// counts are what is printed.
type counts struct {
	Seed     uint64                    `json:"seed"`
	States   map[string]int            `json:"states"` // after a crash, by file
	Kills    map[string]int            `json:"kills"`
	Followed map[string]followed       `json:"followed,omitempty"`
	Creates  map[string]int            `json:"creates"` // states of files that are made
	WentOn   int                       `json:"wentOn"`  // to which others appended
	Partly   map[string]int            `json:"partly"`  // with some datasets grown
	Lost     int                       `json:"lost"`
	Seconds  float64                   `json:"seconds"`
	Failures harness.Failures[failure] `json:"failures"`
}

// A failure is a state that lacks something.
type failure struct {
	File  string `json:"file"`
	Crash string `json:"crash"`
	Text  string `json:"text"`
}

// A checker crashes appends.
type checker struct {
	counts
	dir    string
	peer   *peer
	rng    *rand.Rand
	states int
	kills  int
	makes  int
	only   string

	reading time.Duration
	end     time.Time
	fs      func(storage.FS) storage.FS
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == killedVerb {
		harness.Exit(appendUntilKilled(os.Args[2], os.Args[3], os.Stdout))
		return
	}
	python := flag.String("python", "", "interpreter that has netCDF4, h5py and xarray")
	script := flag.String("script", "check/appends/peer.py", "what it runs")
	states := flag.Int("states", 300, "states after crashes that are opened, at about")
	kills := flag.Int("kills", 0, "processes that are killed")
	creates := flag.Int("creates", 0, "states after crashes while files are made")
	beside := flag.Duration("beside", 0, "how long files are read while they are appended to")
	only := flag.String("only", "", "part of the names of files that are tried")
	seed := flag.Uint64("seed", 0, "seed of everything; 0 for one of the clock")
	limit := flag.Duration("limit", time.Hour, "longest time")
	where := flag.String("dir", "", "directory for files")
	control := flag.Bool("control", false, "leave out what makes writes durable; then something must be lost")
	flag.Parse()

	began := time.Now()
	c := &checker{kills: *kills, states: *states, makes: *creates, only: *only, reading: *beside, end: began.Add(*limit)}
	c.counts = counts{Seed: harness.Seed(*seed), States: map[string]int{}, Kills: map[string]int{},
		Followed: map[string]followed{}, Creates: map[string]int{}, Partly: map[string]int{}}
	c.rng = rand.New(rand.NewPCG(c.Seed, 0xa99))
	c.fs = func(fsys storage.FS) storage.FS {
		if *control {
			return unsynced{fsys}
		}
		return fsys
	}
	err := c.run(*python, *script, *where)
	c.Seconds = time.Since(began).Seconds()
	if *control {
		if err == nil && c.Lost == 0 {
			err = errors.New("nothing was lost without syncs")
		}
		harness.Exit(errors.Join(err, harness.Print(os.Stdout, map[string]int{"lost": c.Lost})))
	}
	harness.Exit(errors.Join(err, harness.Report("appends", &c.counts, c.Lost)))
}

func (c *checker) run(python, script, where string) (err error) {
	if c.dir, err = os.MkdirTemp(where, "cairn-appends-*"); err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	if c.reading > 0 {
		return c.beside(python, script)
	}
	made := exec.Command(python, script, "make", c.dir)
	if text, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("making files: %w: %s", err, text)
	}
	names, err := filepath.Glob(filepath.Join(c.dir, "*"))
	if err != nil {
		return err
	}
	if err := makeOurs(names); err != nil {
		return fmt.Errorf("making files: %w", err)
	}
	if names, err = filepath.Glob(filepath.Join(c.dir, "*")); err != nil {
		return err
	}
	if c.peer, err = startPeer(python, script); err != nil {
		return err
	}

	if c.makes > 0 {
		if err := c.creates(); err != nil {
			return errors.Join(fmt.Errorf("creating: %w", err), c.peer.close())
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(name, c.only) })
	for i, name := range names {
		if err := c.crash(name, c.states/len(names)); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
		for k := i; k < c.kills && time.Now().Before(c.end); k += len(names) {
			if err := c.kill(name); err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(name), err)
			}
		}
	}
	return c.peer.close()
}
