package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// A crasher crashes programs at every place in every way.
type crasher struct {
	report  *report
	dir     string // temporary directory
	samples int    // sampled losses of power, if there are too many to try all
	// of the crashes of verbs with small targets, except kills, one in thin is tried
	thin  int
	every int // every n-th image is changed again, with crashes
	// wraps the file system of the program; may be nil
	wrap    func(storage.FS) storage.FS
	workers int
	first   bool          // stop a program at its first loss
	limit   time.Duration // time for each part of a run; 0 for no limit
	end     time.Time     // end of the current section, if there is a limit
}

// path returns the path for a temporary file.
func (c *crasher) path(name string) string { return filepath.Join(c.dir, name) }

// allot begins one of several sections that share the time limit of a part.
func (c *crasher) allot(sections int) {
	if c.limit > 0 {
		c.end = time.Now().Add(c.limit / time.Duration(sections))
	}
}

// over reports whether the time of the current section is over.
func (c *crasher) over() bool { return !c.end.IsZero() && time.Now().After(c.end) }

// crashPrograms runs programs of every kind until each had enough crashes.
func (c *crasher) crashPrograms(seed uint64, commits, points int) error {
	var errs []error
	for _, kind := range kinds {
		c.allot(len(kinds))
		var mutex sync.Mutex
		next := seed
		left := points

		took := func() (uint64, bool) {
			mutex.Lock()
			defer mutex.Unlock()
			next++
			return next - 1, left > 0 && !c.over()
		}

		var group sync.WaitGroup
		for range c.workers {
			group.Go(func() {
				for s, more := took(); more; s, more = took() {
					t, err := c.crashProgram(program{kind, s, commits})
					mutex.Lock()
					left -= t.Points
					errs = append(errs, err)
					mutex.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		group.Wait()
	}
	return errors.Join(errs...)
}

// crashProgram runs a program once, and then checks the state after every crash.
func (c *crasher) crashProgram(p program) (tally, error) {
	began := time.Now()
	r := storagetest.NewRecorder()
	var fsys storage.FS = r
	if c.wrap != nil {
		fsys = c.wrap(r)
	}

	h, err := p.run(fsys, r.Len, false)
	if err != nil {
		return tally{}, err
	}

	log := storagetest.NewLog(r.Ops())
	look := lookAs(p.Kind)
	t := tally{Programs: 1}
	again := tally{}

	for crash := range log.Crashes(storagetest.FullSweep(p.Seed, c.samples), 0, len(log.Ops)) {
		if c.over() {
			break
		}
		t.crash(crash.Model)

		// A crash amid a commit may leave either state, but no third one.
		before, after := h.at(crash.At, crash.Model == storagetest.Torn)
		image := log.Image(crash)
		got, err := look(image, programName)
		if err == nil && got != before && got != after {
			err = fmt.Errorf("%w: %v, want %v or %v", errDiffers, got, before, after)
		}
		if err != nil {
			t.Lost++
			c.report.fail(failure{Section: "crashes", Program: &p, Crash: crash.String(), Text: err.Error() + "\n" + log.Describe(crash)}, log)
			if c.first {
				break
			}
			continue
		}
		if c.every > 0 && t.Points%c.every == 0 && got != (content{}) {
			again.add(c.takeUp(p, image, got, crash))
		}
	}

	t.Seconds = time.Since(began).Seconds()
	c.report.sum(c.report.Crashes, p.Kind, t)
	c.report.sum(c.report.Recovery, p.Kind, again)
	return t, nil
}

// takeUp opens the state after a crash for writing, changes it, and crashes that too.
func (c *crasher) takeUp(p program, image storage.FS, was content, first storagetest.Crash) tally {
	r, settled, err := storagetest.Resume(image)
	if err != nil {
		c.report.fail(failure{Section: "recovery", Program: &p, Crash: first.String(), Text: err.Error()}, nil)
		return tally{Lost: 1}
	}

	look := lookAs(p.Kind)
	opened, now, err := touch(r, programName, look)
	if err == nil && opened != was {
		err = fmt.Errorf("%w: opening it for writing turns %v into %v", errDiffers, was, opened)
	}
	if err != nil {
		c.report.fail(failure{Section: "recovery", Program: &p, Crash: first.String(), Text: err.Error()}, nil)
		return tally{Lost: 1}
	}

	log := storagetest.NewLog(r.Ops())
	sweep := storagetest.FullSweep(p.Seed, c.samples)
	sweep.Subsets = 4 // there are many images
	t := tally{Programs: 1}
	for crash := range log.Crashes(sweep, settled, len(log.Ops)) {
		if crash.Model == storagetest.Torn && crash.Cut%37 != 0 {
			continue
		}
		t.crash(crash.Model)
		got, err := look(log.Image(crash), programName)
		if err == nil && got != was && got != now {
			err = fmt.Errorf("%w: %v, want %v or %v", errDiffers, got, was, now)
		}
		if err != nil {
			t.Lost++
			c.report.fail(failure{Section: "recovery", Program: &p, Crash: crash.String(), Text: fmt.Sprintf("after %v: %v\n%s", first, err, log.Describe(crash))}, log)
		}
	}

	return t
}

// touch opens a frame for writing and commits a metalayer. It returns the content before and after.
func touch(fsys storage.FS, name string, look look) (opened, now content, err error) {
	f, err := frame.Open(name, &frame.OpenOptions{Mode: frame.ReadWrite, FS: fsys})
	if err != nil {
		return opened, now, err
	}
	opened, err = look(fsys, name)
	if err != nil {
		return opened, now, errors.Join(err, f.Close())
	}
	if err := f.SetVL("touched", []byte("x")); err != nil {
		return opened, now, errors.Join(err, f.Abort())
	}
	if err := errors.Join(f.Commit(context.Background()), f.Close()); err != nil {
		return opened, now, err
	}
	now, err = look(fsys, name)
	return opened, now, err
}
