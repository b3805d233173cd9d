package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// A report is the result of a run, as printed.
type report struct {
	Profile  string           `json:"profile"`
	Seed     uint64           `json:"seed"`
	Seconds  float64          `json:"seconds"`
	Lost     int              `json:"lost"`
	Crashes  map[string]tally `json:"crashes"`            // by kind of program
	Verbs    map[string]tally `json:"verbs,omitempty"`    // of the command, by target
	Recorded string           `json:"recorded,omitempty"` // why recorded traces were used
	// crashes while the image of an earlier crash is changed
	Recovery map[string]tally `json:"recovery"`
	// states that the C library opened, by kind of program
	CReads map[string]tally `json:"creader,omitempty"`
	Faults map[string]tally `json:"faults"`          // by fault
	Flips  *flips           `json:"flips,omitempty"` // single bits
	Kills  map[string]tally `json:"kills,omitempty"` // real processes
	// killed holders of the lock
	Holders map[string]tally `json:"holders,omitempty"`
	// conflicts of two handles without the lock, one of the C library
	Conflicts map[string]tally   `json:"conflicts,omitempty"`
	Writers   map[string]writers `json:"writers,omitempty"` // several at once
	Traces    []shares           `json:"traces"`            // of the C library
	Failures  failures           `json:"failures"`
	mutex     sync.Mutex
	out       string // directory for traces of what failed
}

func newReport(profile string, seed uint64, out string) *report {
	return &report{
		Profile: profile, Seed: seed, out: out, Failures: failures{},
		Crashes: map[string]tally{}, Verbs: map[string]tally{}, Recovery: map[string]tally{},
		CReads: map[string]tally{}, Faults: map[string]tally{}, Kills: map[string]tally{}, Holders: map[string]tally{},
		Conflicts: map[string]tally{}, Writers: map[string]writers{},
	}
}

// tally counts attempts to lose data and losses.
type tally struct {
	Points   int `json:"points"`
	A        int `json:"between_calls,omitempty"`
	B        int `json:"within_a_write,omitempty"`
	C        int `json:"power_loss,omitempty"`
	Programs int `json:"programs,omitempty"`
	// crashes that tear a header, which are not counted elsewhere
	Excluded int `json:"excluded,omitempty"`
	Inside   int `json:"inside,omitempty"` // killed while they had the lock
	// incomplete changes of killed processes of the C library
	Torn    int     `json:"torn_by_the_library,omitempty"`
	Again   int     `json:"run_again,omitempty"` // after a crash that undid everything
	Lost    int     `json:"lost"`
	Seconds float64 `json:"seconds,omitempty"`
}

func (t *tally) add(more tally) {
	t.Points += more.Points
	t.A += more.A
	t.B += more.B
	t.C += more.C
	t.Programs += more.Programs
	t.Excluded += more.Excluded
	t.Inside += more.Inside
	t.Torn += more.Torn
	t.Again += more.Again
	t.Lost += more.Lost
	t.Seconds += more.Seconds
}

func (t *tally) crash(m storagetest.Model) {
	t.Points++
	switch m {
	case storagetest.Kill:
		t.A++
	case storagetest.Torn:
		t.B++
	case storagetest.PowerLoss:
		t.C++
	}
}

// A failure says what was lost and how to reproduce it.
type failure struct {
	Section string   `json:"section"`
	Program *program `json:"program,omitempty"`
	Crash   string   `json:"crash,omitempty"`
	Trace   string   `json:"trace,omitempty"` // file with the operations on the file system
	Repeat  string   `json:"repeat,omitempty"`
	Text    string   `json:"text"`
}

type failures = harness.Failures[failure]

// fail records a loss; tallies count it. log may be nil.
func (r *report) fail(f failure, log *storagetest.Log) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.Failures.Full() {
		return
	}
	if log != nil && r.out != "" {
		f.Trace = filepath.Join(r.out, fmt.Sprintf("torture-%d.trace", len(r.Failures)))
		if err := writeTrace(f.Trace, log); err != nil {
			f.Text += fmt.Sprintf("; its trace cannot be written: %v", err)
		}
		f.Repeat = fmt.Sprintf("go run ./check/torture -replay %s -crash %s", f.Trace, f.Crash)
	}
	r.Failures.Add(f)
}

func writeTrace(name string, log *storagetest.Log) error {
	w, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := storagetest.WriteTrace(w, log.Ops, nil); err != nil {
		return err
	}
	return w.Close()
}

// sum adds a tally to a section.
func (r *report) sum(section map[string]tally, key string, t tally) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	all := section[key]
	all.add(t)
	section[key] = all
	r.Lost += t.Lost
}

func (r *report) print(w io.Writer, began time.Time) error {
	r.Seconds = time.Since(began).Seconds()
	return harness.Print(w, r)
}
