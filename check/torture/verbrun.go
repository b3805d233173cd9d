package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// A verbRun holds the operations that made the target of a verb and those of the verb.
type verbRun struct {
	verb, target string
	log          *storagetest.Log
	settled      int // number of durable operations before those of the verb
	// again runs the verb on the state after a crash; nil if that is not possible.
	again func(image storage.FS) (content, error)
}

// againEvery is the number of crashes per one after which the verb runs again.
const againEvery = 300

// crashRun checks the state after every crash of a sweep. The target must be as before or as after
// the verb; after the process has ended without an error, only the latter. After a crash that left
// the state before, the verb must be able to run again.
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
	t := tally{Programs: 1}
	n := 0
	waited := 0
	began := time.Now()

	for crash := range r.log.Crashes(sweep, r.settled, last) {
		if c.over() {
			break
		}
		if n++; crash.Model != storagetest.Kill && c.thin > 0 && n%c.thin > 0 {
			continue
		}

		t.crash(crash.Model)
		got, err := r.look(crash)
		isBefore := got == before
		waited++
		// Once the last operation is done, the new state must be there.
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

func (r *verbRun) look(crash storagetest.Crash) (content, error) {
	return lookAtTarget(r.log.Image(crash), r.target)
}
