package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// faultNames are the kinds of faults, in the order in which they are tried.
var faultNames = []string{"no space", "no space, half written", "disk full", "input/output error", "broken disk", "interrupted", "unreadable"}

// faultPrograms tries every fault at every operation of programs of every kind, and checks the
// state at the end, with and without a loss of power at that time.
func (c *crasher) faultPrograms(seed uint64, commits, points int) error {
	for _, name := range faultNames {
		began := time.Now()
		t := tally{}
		c.allot(len(faultNames))
		for s := seed; t.Points < points && !c.over(); s++ {
			for _, kind := range kinds {
				if err := c.faultProgram(program{kind, s, commits}, name, &t); err != nil {
					return err
				}
			}
		}
		t.Seconds = time.Since(began).Seconds()
		c.report.sum(c.report.Faults, name, t)
	}
	return nil
}

func (c *crasher) faultProgram(p program, name string, t *tally) error {
	t.Programs++
	for at := 1; ; at++ {
		r := storagetest.NewRecorder()

		// A file system with a fault at an operation.
		faults := map[string]*storagetest.Faults{
			"no space":               {Err: syscall.ENOSPC},
			"no space, half written": {Err: syscall.ENOSPC, Short: true},
			"disk full":              {Err: syscall.ENOSPC, Short: true, Full: true},
			"input/output error":     {Err: syscall.EIO},
			"broken disk":            {Err: syscall.EIO, Persistent: true, Short: true},
			"interrupted":            {Err: syscall.EINTR},
			"unreadable":             {Err: syscall.EIO, Reads: true},
		}[name]
		faults.FS = r
		faults.FailAt = at

		h, err := p.run(faults, r.Len, true)
		if err != nil {
			return err
		}
		if faults.Count() < at {
			return nil
		}
		if faults.Hits() == 0 {
			continue // a full disk has no effect on this one, or any later one
		}

		t.Points++
		if h.errors == 0 && h.maybe != nil {
			return errors.New("a commit may have failed although nothing did")
		}
		c.outcome(p, fmt.Sprintf("%s at operation %d", name, at), storagetest.NewLog(r.Ops()), &h, t)
	}
}

// outcome checks the state at the end of a program.
func (c *crasher) outcome(p program, what string, log *storagetest.Log, h *history, t *tally) {
	look := lookAs(p.Kind)
	check := func(crash storagetest.Crash) bool {
		got, err := look(log.Image(crash), programName)
		if err == nil && !h.allowed(got) {
			err = fmt.Errorf("%w: %v, want %v or one of %v", errDiffers, got, h.sure, h.maybe)
		}
		if err != nil {
			t.Lost++
			c.report.fail(failure{Section: "faults", Program: &p, Crash: crash.String(), Text: fmt.Sprintf("%s: %v\n%s", what, err, log.Describe(crash))}, log)
		}
		return err == nil
	}

	end := len(log.Ops)
	if !check(storagetest.Crash{Model: storagetest.Kill, At: end}) {
		return
	}

	rng := rand.New(rand.NewPCG(p.Seed, uint64(end)))
	for k := range 3 {
		t.C++
		crash := storagetest.Crash{Model: storagetest.PowerLoss, At: end, Unit: storagetest.Sector}
		if k > 0 {
			crash.Seed = rng.Uint64() | 1
			crash.Lost = storagetest.Fate(k)
		}
		if !check(crash) {
			return
		}
	}
}
