package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairn-go/cairn/internal/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// A verbRun is what a verb did, after what made its target.
type verbRun struct {
	verb, target string
	log          *storagetest.Log
	settled      int // operations before the first of the verb, which are durable
	// again runs the verb on what a crash left, if that can be done here.
	again func(image storage.FS) (state, error)
}

// againEvery is how many crashes there are for each after which the verb runs again.
const againEvery = 300

// crashRun looks at every crash of a sweep. What the verb was about to change or replace must be
// there as it was, or as the verb makes it; only that once the process has ended without an error.
// The verb must be able to run again after a crash that left what was before.
func (c *crasher) crashRun(r *verbRun, sweep storagetest.Sweep) error {
	last := len(r.log.Ops)
	before, err := r.look(storagetest.Crash{Model: storagetest.Kill, At: r.settled, From: r.settled})
	if err != nil {
		return fmt.Errorf("%s: before: %w", r.verb, err)
	}
	after, err := r.look(storagetest.Crash{Model: storagetest.Kill, At: last, From: r.settled})
	if err != nil || after.sum == before.sum {
		return fmt.Errorf("%s: %v is before, %v after: %w", r.verb, before, after, errors.Join(err, errDiffers))
	}
	sweep.Durable = r.settled
	t, n, waited, began := tally{Programs: 1}, 0, 0, time.Now()
	for crash := range r.log.Crashes(sweep, r.settled, last) {
		if c.over() {
			break
		}
		if n++; crash.Model != storagetest.Kill && c.thin > 0 && n%c.thin > 0 {
			continue
		}
		t.crash(crash.Model)
		got, err := r.look(crash)
		isBefore := got == before || got == state{before.content, true}
		waited++
		switch done := crash.At == last && crash.Model != storagetest.Torn; {
		case err != nil:
		case got != after && (done || !isBefore):
			err = fmt.Errorf("%w: %v, want %v or %v", errDiffers, got, before, after)
		case isBefore && waited > againEvery && r.again != nil:
			waited = 0
			t.Again++
			if got, err = r.again(r.log.Image(crash)); err == nil && got != after {
				err = fmt.Errorf("%w: %v, want %v, when it runs again", errDiffers, got, after)
			}
		}
		if err != nil {
			t.Lost++
			text := fmt.Sprintf("%s: %v\n%s", r.verb, err, r.log.Describe(crash))
			c.report.fail(failure{Section: "verbs", Crash: crash.String(), Text: text}, r.log)
			if c.first {
				break
			}
		}
	}
	t.Seconds = time.Since(began).Seconds()
	c.report.sum(c.report.Verbs, r.verb, t)
	return nil
}

func (r *verbRun) look(crash storagetest.Crash) (state, error) {
	return lookAtTarget(r.log.Image(crash), r.target)
}
