// Command changes changes NetCDF-4 and HDF5 files of h5py, netCDF4-python, xarray and cairn in
// place, at random: attributes, datasets, groups and links. After each commit a file must be what
// h5py makes of the same changes, and after a crash at any operation what it was before or after
// the commit, for h5py, netCDF4-python, h5dump, h5stat, ncdump and for cairn. It prints its counts
// as JSON, and ends with status 1 if anything differs.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/storage"
)

//go:embed peer.py
var source string

// counts are what is printed.
type counts struct {
	Seed     uint64                    `json:"seed"`
	Peer     string                    `json:"peer"`
	Commits  map[string]int            `json:"commits"` // by file
	Changes  map[string]int            `json:"changes"` // by kind
	Refused  map[string]int            `json:"refused"` // by reason
	States   map[string]int            `json:"states"`  // after crashes, by file
	Olds     int                       `json:"olds"`    // states as before the commit
	News     int                       `json:"news"`
	Partly   int                       `json:"partly"` // of commits for which a sector is too small
	Failed   int                       `json:"failed"`
	Seconds  float64                   `json:"seconds"`
	Failures harness.Failures[failure] `json:"failures"`
}

// A failure is a file that differs.
type failure struct {
	File    string   `json:"file"`
	Changes []change `json:"changes"`
	Text    string   `json:"text"`
}

// A checker changes files.
type checker struct {
	counts
	dir     string
	peer    *harness.Peer
	rng     *rand.Rand
	commits int
	states  int
	end     time.Time
	fs      func(storage.FS) storage.FS
}

func main() {
	python := flag.String("python", "", "interpreter that has h5py, netCDF4, xarray and h5netcdf")
	commits := flag.Int("commits", 200, "commits, about")
	states := flag.Int("states", 400, "states after crashes, about")
	seed := flag.Uint64("seed", 0, "seed of everything; 0 for one of the clock")
	limit := flag.Duration("limit", time.Hour, "longest time")
	where := flag.String("dir", "", "directory for files")
	control := flag.Bool("control", false, "leave out what makes writes durable; then something must fail")
	flag.Parse()

	began := time.Now()
	c := &checker{commits: *commits, states: *states, end: began.Add(*limit)}
	c.counts = counts{Seed: harness.Seed(*seed), Commits: map[string]int{}, Changes: map[string]int{},
		Refused: map[string]int{}, States: map[string]int{}}
	c.rng = rand.New(rand.NewPCG(c.Seed, 0xc4a))
	c.fs = func(fsys storage.FS) storage.FS {
		if *control {
			return unsynced{fsys}
		}
		return fsys
	}
	err := c.run(*python, *where)
	c.Seconds = time.Since(began).Seconds()
	if *control {
		if err == nil && c.Failed == 0 {
			err = errors.New("nothing failed without syncs")
		}
		harness.Exit(errors.Join(err, harness.Print(os.Stdout, map[string]int{"failed": c.Failed})))
	}
	harness.Exit(errors.Join(err, harness.Report("changes", &c.counts, c.Failed)))
}

func (c *checker) run(python, where string) (err error) {
	if c.dir, err = os.MkdirTemp(where, "cairn-changes-*"); err != nil {
		return err
	}
	defer os.RemoveAll(c.dir)
	script := filepath.Join(c.dir, "peer.py")
	if err := os.WriteFile(script, []byte(source), 0o666); err != nil {
		return err
	}

	if text, err := exec.Command(python, script, "make", c.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("making files: %w: %s", err, text)
	}
	if err := makeOurs(filepath.Join(c.dir, "cairn.h5")); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(c.dir, "*.[hn]*"))
	if err != nil {
		return err
	}

	if c.peer, c.Peer, err = harness.Python(python, source); err != nil {
		return err
	}
	for _, name := range names {
		if err := c.series(name, c.commits/len(names), c.states/len(names)); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", filepath.Base(name), err), c.peer.Close())
		}
	}

	return c.peer.Close()
}

// An answer is what Python says.
type answer struct {
	Digest, Text, Wrong string
	Keys                []node
}

// A node is an object or a link of a file.
type node struct {
	Key         string
	Hard, Group bool
	Attributes  []string
}

func (c *checker) ask(question map[string]any) (answer, error) {
	var a answer
	err := c.peer.Call(question, &a)
	return a, err
}

// series changes a file again and again, beside a copy that h5py changes.
func (c *checker) series(name string, commits, states int) error {
	base := filepath.Base(name)
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	ours := filepath.Join(c.dir, "ours-"+base)
	theirs := filepath.Join(c.dir, "theirs-"+base)
	whole, err := c.ask(map[string]any{"digest": name, "tools": true})
	if err != nil {
		return err
	}

	for n := 0; n < commits && time.Now().Before(c.end); n++ {
		if n%12 == 0 { // anew, before all has been deleted
			if err := errors.Join(os.WriteFile(ours, content, 0o666), os.WriteFile(theirs, content, 0o666)); err != nil {
				return err
			}
		}
		before, err := os.ReadFile(ours)
		if err != nil {
			return err
		}

		list, err := c.commit(ours, theirs)
		if errors.Is(err, errPeer) {
			c.Refused[err.Error()]++
			n += 12 - n%12 - 1
			continue
		}
		if err != nil {
			return err
		}
		c.Commits[base]++
		had, err := c.same(base, ours, theirs, list, whole.Wrong == "")
		if err != nil {
			return err
		}

		if !had {
			n += 12 - n%12 - 1
			continue
		}
		if err := c.crash(base, before, list, min(states, states/max(1, commits)+1)); err != nil {
			return err
		}
	}

	return nil
}

// errPeer is that h5py does not take a change that cairn has made.
var errPeer = errors.New("too large for h5py")

// commit makes a few changes with one commit, and the same ones with h5py.
func (c *checker) commit(ours, theirs string) ([]change, error) {
	a, err := c.ask(map[string]any{"keys": ours})
	if err != nil || a.Wrong != "" {
		return nil, fmt.Errorf("keys: %s: %w", a.Wrong, err)
	}
	f, err := hdf5.Change(ours, nil)
	if err != nil {
		return nil, err
	}
	var list []change
	used := map[string]bool{}
	for range 1 + c.rng.IntN(4) {
		d, ok := c.draw(a.Keys, used, strings.HasSuffix(ours, ".nc"))
		if !ok {
			continue
		}
		err := d.make(f)
		if reason := refusal(err); reason != "" {
			c.Refused[reason]++
			continue
		}
		if err != nil {
			return list, errors.Join(fmt.Errorf("%+v: %w", d, err), f.Abort())
		}
		list = append(list, d)
		c.Changes[d.Op]++
	}
	if err := f.Commit(context.Background()); err != nil {
		if reason := refusal(err); reason != "" {
			c.Refused[reason]++
			return nil, f.Abort()
		}
		return list, fmt.Errorf("%+v: %w", list, err)
	}
	if err := f.Close(); err != nil {
		return list, err
	}

	for _, d := range list {
		a, err := c.ask(map[string]any{"apply": theirs, "change": d})
		if strings.Contains(a.Wrong, "message is too large") {
			return list, errPeer
		}
		if err != nil || a.Wrong != "" {
			return list, fmt.Errorf("h5py: %+v: %s: %w", d, a.Wrong, err)
		}
	}
	return list, nil
}

// same compares a file with that of h5py.
func (c *checker) same(base, ours, theirs string, list []change, tools bool) (bool, error) {
	a, err := c.ask(map[string]any{"digest": ours, "tools": tools})
	if err != nil {
		return false, err
	}
	b, err := c.ask(map[string]any{"digest": theirs})
	if err != nil {
		return false, err
	}

	if a.Wrong == "" && b.Wrong == "" && a.Digest == b.Digest {
		return true, nil
	}
	if a.Wrong == "" && strings.Contains(b.Wrong, "by token") {
		c.Refused["h5py does not follow references to what it has deleted"]++
		return false, nil
	}
	text := a.Wrong + b.Wrong
	if text == "" {
		d, err := c.ask(map[string]any{"differ": []string{a.Digest, b.Digest}})
		if err != nil {
			return false, err
		}

		text = d.Text + d.Wrong
	}
	c.Failed++
	c.Failures.Add(failure{base, list, text})
	return false, nil
}

// unsynced forgets to make writes durable.
type unsynced struct{ storage.FS }

func (u unsynced) OpenRW(name string) (storage.File, error) {
	f, err := u.FS.OpenRW(name)
	return unsyncedFile{f}, err
}

type unsyncedFile struct{ storage.File }

func (u unsyncedFile) Sync() error { return nil }

var _ io.ReaderAt = unsyncedFile{}
