// Command appends crashes and kills appends to NetCDF and HDF5 files, made by netCDF4-python,
// xarray, h5py and cairn, at every operation in every way that storage is known to fail. netCDF4
// and h5py must open each file that is left, and find all that was acknowledged. It prints its
// counts as JSON, and ends with status 1 if anything was lost.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
	"github.com/cairn-go/cairn/storage"
)

// killedVerb as the first argument makes this program one that appends until it is killed.
const killedVerb = "append-until-killed"

// counts are what is printed.
type counts struct {
	Seed     uint64                    `json:"seed"`
	States   map[string]int            `json:"states"` // after a crash, by file
	Kills    map[string]int            `json:"kills"`
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
	end    time.Time
	fs     func(storage.FS) storage.FS
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
	seed := flag.Uint64("seed", 0, "seed of everything; 0 for one of the clock")
	limit := flag.Duration("limit", time.Hour, "longest time")
	where := flag.String("dir", "", "directory for files")
	control := flag.Bool("control", false, "leave out what makes writes durable; then something must be lost")
	flag.Parse()

	began := time.Now()
	c := &checker{kills: *kills, states: *states, end: began.Add(*limit)}
	c.counts = counts{Seed: harness.Seed(*seed), States: map[string]int{}, Kills: map[string]int{}}
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

// A target appends rows to all variables of a file.
type target struct {
	append func(n int64) error
	commit func() error
	close  func() error
}

// open opens a file to append to it: one of HDF5 that is not NetCDF by its name.
func open(fsys storage.FS, name string, rng *rand.Rand) (*target, error) {
	ctx := context.Background()
	if strings.HasSuffix(name, ".h5") {
		a, err := hdf5.Append(name, &hdf5.AppendOptions{FS: fsys})
		if err != nil {
			return nil, err
		}
		return &target{commit: func() error { return a.Commit(ctx) }, close: a.Abort, append: func(n int64) error {
			for _, key := range []string{"a", "b"} {
				d, err := a.File().Dataset(ctx, key)
				if err != nil {
					return err
				}
				if err := a.AppendRows(ctx, key, 0, rowsLike(d, n, rng)); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}

	f, err := netcdf.Open(name, &netcdf.OpenOptions{FS: fsys})
	if err != nil {
		return nil, err
	}
	a, err := netcdf.Append(name, &netcdf.AppendOptions{FS: fsys})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &target{commit: func() error { return a.Commit(ctx) },
		close: func() error { return errors.Join(a.Abort(), f.Close()) }, append: func(n int64) error {
			for _, v := range f.Root().Variables {
				if len(v.Dimensions) == 0 || !v.Dimensions[0].Unlimited {
					continue
				}
				if err := a.AppendRows(ctx, v.Name, rowsLike(v, n, rng)); err != nil {
					return err
				}
			}
			return nil
		}}, nil
}

// A noise is random items.
type noise struct {
	shape ndarray.Shape
	dtype meta.DType
	rng   *rand.Rand
}

func rowsLike(src ndarray.Source, n int64, rng *rand.Rand) ndarray.Source {
	shape := src.Shape()
	shape[0] = n
	return &noise{shape, src.DType(), rng}
}

func (s *noise) Shape() ndarray.Shape { return append(ndarray.Shape{}, s.shape...) }

func (s *noise) DType() meta.DType { return s.dtype }

func (s *noise) Grid() (chunks, blocks ndarray.Shape) { return nil, nil }

func (s *noise) ReadBytes(_ context.Context, dst []byte, _, _ []int64) error {
	for i := range dst {
		dst[i] = byte(s.rng.IntN(64)) // no signalling NaN
	}
	return nil
}

// crash appends in memory, and opens what crashes leave.
func (c *checker) crash(name string, states int) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}

	base := filepath.Base(name)
	for done := 0; done < states && time.Now().Before(c.end); {
		r := storagetest.NewRecorder()
		if err := put(r, base, content); err != nil {
			return err
		}

		settled := r.Len()
		var files []string // of the commits
		var to []int       // where the log has their ends
		note := func() error {
			files = append(files, filepath.Join(c.dir, fmt.Sprintf("base-%d-%s", len(files), base)))
			return save(r, base, files[len(files)-1])
		}
		if err := note(); err != nil {
			return err
		}

		t, err := open(c.fs(r), base, c.rng)
		if err != nil {
			return err
		}
		for range 3 {
			if err := t.append(1 + c.rng.Int64N(7)); err != nil {
				return err
			}
			if err := errors.Join(t.commit(), note()); err != nil {
				return err
			}
			to = append(to, r.Len())
		}
		if err := t.close(); err != nil {
			return err
		}

		n, err := c.crashes(r, base, settled, states-done, files, to)
		if err != nil {
			return err
		}
		done += n
		c.States[base] += n
		c.peer.forget()
	}
	return nil
}

// crashes opens up to so many states of a log.
func (c *checker) crashes(r *storagetest.Recorder, base string, settled, most int, files []string, to []int) (n int, err error) {
	log := storagetest.NewLog(r.Ops())
	sweep := storagetest.Sweep{Seed: c.rng.Uint64(), Subsets: 5, Samples: 24, Durable: settled}
	var all []storagetest.Crash
	for crash := range log.Crashes(sweep, settled, len(log.Ops)) {
		all = append(all, crash)
	}

	step := max(1, len(all)/most)
	for i := 0; i < len(all) && n < most && time.Now().Before(c.end); i += step {
		crash := all[i]
		had := 0
		for had < len(to) && to[had] <= crash.At && !(crash.Model == storagetest.Torn && crash.At == to[had]) {
			had++
		}

		left := filepath.Join(c.dir, "left-"+base)
		if err := save(log.Image(crash), base, left); err != nil {
			return n, err
		}
		n++
		if err := c.look(base, left, files[had], crash.String()+"\n"+log.Describe(crash)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// look lets Python open a file, and compare it with that of the last commit.
func (c *checker) look(base, left, has, crash string) error {
	text, err := c.peer.ask(left, has)
	if err == nil && text != "ok" {
		c.Lost++
		c.Failures.Add(failure{base, crash, text})
	}
	return err
}

// put puts a file into a file system, durably.
func put(fsys storage.FS, name string, content []byte) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	return errors.Join(err, f.Sync(), f.Close(), fsys.SyncDir("."))
}

// save copies a file to the disk.
func save(fsys storage.FS, name, to string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return os.WriteFile(to, b, 0o666)
}

// kill kills a process that appends to a copy of a file, which must have the commits that it
// printed.
func (c *checker) kill(name string) error {
	base := filepath.Base(name)
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	left := filepath.Join(c.dir, "left-"+base)
	if err := os.WriteFile(left, content, 0o666); err != nil {
		return err
	}
	seed := c.rng.Uint64()
	cmd := harness.Self(killedVerb, left, fmt.Sprint(seed))
	said := 0
	err = harness.Watch(cmd, func(text string) (err error) {
		if said == 0 {
			time.AfterFunc(time.Duration(c.rng.Int64N(int64(20*time.Millisecond))), func() { _ = cmd.Process.Kill() })
		}
		said, err = strconv.Atoi(text)
		return err
	})
	if err != nil {
		return err
	}

	has := filepath.Join(c.dir, "killed-"+base)
	if err := repeat(base, content, seed, said, has); err != nil {
		return err
	}
	c.Kills[base]++
	c.peer.forget()
	return c.look(base, left, has, fmt.Sprintf("killed after commit %d with seed %d", said, seed))
}

// repeat does in memory what a process has done, up to a commit, and saves the file.
func repeat(base string, content []byte, seed uint64, commits int, has string) error {
	memory := storage.NewMemory()
	if err := put(memory, base, content); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	t, err := open(memory, base, rng)
	if err != nil {
		return err
	}
	for range commits {
		if err := errors.Join(t.append(1+rng.Int64N(3)), t.commit()); err != nil {
			return err
		}
	}
	return errors.Join(t.close(), save(memory, base, has))
}

// appendUntilKilled is the process that is killed. It prints the number of each commit.
func appendUntilKilled(name, seed string, said io.Writer) error {
	s, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(s, 1))
	t, err := open(storage.OS(), name, rng)
	if err != nil {
		return err
	}
	for k := 1; ; k++ {
		if err := errors.Join(t.append(1+rng.Int64N(3)), t.commit()); err != nil {
			return err
		}
		fmt.Fprintln(said, k)
	}
}
