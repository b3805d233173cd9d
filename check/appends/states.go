package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

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
		next := files[min(had+1, len(files)-1)]
		on := n%4 == 0
		if err := c.look(base, left, files[had], next, on, crash.String()+"\n"+log.Describe(crash)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// look lets Python open a file, and compare it with that of the last commit, or the next one. With
// on it also appends to it.
func (c *checker) look(base, left, has, next string, on bool, crash string) error {
	text, err := c.peer.ask(left, has, next, on)
	switch {
	case err != nil:
		return err
	case text == "partly":
		c.Partly[base]++
		if strings.Contains(base, manyDatasets) {
			text = "ok"
		}
	}
	if on {
		c.WentOn++
	}
	if text != "ok" {
		c.Lost++
		c.Failures.Add(failure{base, crash, text})
	}
	return nil
}

// manyDatasets marks names of files whose datasets are so many that a crash may leave some grown.
const manyDatasets = "many"

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
