package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// States after crashes are written to real files. The C library must find in them the state before
// or after the commit.

const (
	statesPerProgram = 250
	statesPerAsk     = 50
)

// libraryReads does that for the given number of states, an equal share of each kind of program.
func (c *crasher) libraryReads(l *library, seed uint64, commits, states int) error {
	for _, kind := range kinds {
		c.allot(len(kinds))
		for left := states / len(kinds); left > 0 && !c.over(); seed++ {
			t, err := c.libraryProgram(l, program{kind, seed, commits}, min(left, statesPerProgram))
			if err != nil {
				return err
			}
			left -= t.Points
		}
	}
	return nil
}

// libraryProgram runs a program, and lets the library read up to most of the states after its
// crashes.
func (c *crasher) libraryProgram(l *library, p program, most int) (tally, error) {
	began := time.Now()
	r := storagetest.NewRecorder()
	h, err := p.run(r, r.Len, false)
	if err != nil {
		return tally{}, err
	}
	log := storagetest.NewLog(r.Ops())
	crashes, excluded := drawCrashes(log, p, c.samples, most)
	t := tally{Programs: 1, Excluded: excluded}
	for batch := range slices.Chunk(crashes, statesPerAsk) {
		if err := c.libraryLooks(l, p, &h, log, batch, &t); err != nil {
			return t, err
		}
	}
	t.Seconds = time.Since(began).Seconds()
	c.report.sum(c.report.CReads, p.Kind, t)
	return t, nil
}

// A numbered crash is a crash with its position among all.
type numbered struct {
	storagetest.Crash
	number int
}

// drawCrashes draws crashes of a program, equally many of each model if possible, and returns them
// in order. It excludes and counts crashes that tear a header inside of a sector, which the library
// cannot open (docs/reliability.md).
func drawCrashes(log *storagetest.Log, p program, samples, most int) (drawn []storagetest.Crash, excluded int) {
	kept := map[storagetest.Model][]numbered{}
	met := map[storagetest.Model]int{}
	rng := rand.New(rand.NewPCG(p.Seed, 0xc1b))
	n := 0

	for crash := range log.Crashes(storagetest.FullSweep(p.Seed, samples), 0, len(log.Ops)) {
		if tearsHeader(log, p, crash) {
			excluded++
			continue
		}
		n++
		m := crash.Model
		met[m]++
		if k := rng.IntN(met[m]); len(kept[m]) < most {
			kept[m] = append(kept[m], numbered{crash, n})
		} else if k < most {
			kept[m][k] = numbered{crash, n}
		}
	}

	// A third of each model; if one has too few, more of the next.
	var all []numbered
	for i, m := range []storagetest.Model{storagetest.Kill, storagetest.Torn, storagetest.PowerLoss} {
		rng.Shuffle(len(kept[m]), func(i, k int) { kept[m][i], kept[m][k] = kept[m][k], kept[m][i] })
		all = append(all, kept[m][:min(len(kept[m]), (most-len(all))/(3-i))]...)
	}

	slices.SortFunc(all, func(a, b numbered) int { return a.number - b.number })
	for _, k := range all {
		drawn = append(drawn, k.Crash)
	}
	return drawn, excluded
}

// tearsHeader reports whether a crash cuts a write to the beginning of a contiguous frame inside of
// a sector. In a sparse frame nothing is overwritten.
func tearsHeader(log *storagetest.Log, p program, c storagetest.Crash) bool {
	if c.Model != storagetest.Torn || p.Kind != "contiguous" && p.Kind != "array" {
		return false
	}
	at := log.Ops[c.At-1].Offset
	return at < storagetest.Sector && (at+c.Cut)%storagetest.Sector != 0
}

// libraryLooks writes a batch of states to files and compares what the library reads.
func (c *crasher) libraryLooks(
	l *library, p program, h *history, log *storagetest.Log, batch []storagetest.Crash, t *tally,
) error {
	names := make([]string, len(batch))
	for i, crash := range batch {
		place := c.path(fmt.Sprintf("state-%d", i))
		defer os.RemoveAll(place)
		if err := errors.Join(os.Mkdir(place, 0o777), writeOut(log.Image(crash), ".", place)); err != nil {
			return err
		}
		names[i] = filepath.Join(place, programName)
	}

	found, err := l.look(names)
	if err != nil {
		return err
	}

	for i, crash := range batch {
		t.crash(crash.Model)
		before, after := h.at(crash.At, crash.Model == storagetest.Torn)
		got := found[i].content
		err := found[i].err
		if err == nil && got != before && got != after {
			err = fmt.Errorf("the C library reads %w: %v, want %v or %v", errDiffers, got, before, after)
		}
		if err != nil {
			t.Lost++
			c.report.fail(failure{Section: "creader", Program: &p, Crash: crash.String(), Text: err.Error() + "\n" + log.Describe(crash)}, log)
		}
	}
	return nil
}
