package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// Stress parts run for a given time, and only if they are named.

// lax is the durability in stress parts. They simulate no loss of power, and would mostly wait for
// the disk.
const lax = frame.None

// stressRows is the most rows that a writer appends. Readers read all of them every time.
const stressRows = 10_000

// stresses are the parts that run only when they are named.
var stresses = []string{"arrays", "swmr"}

// A crowd says how many processes work on one array at the same time.
type crowd struct {
	name            string
	sparse          bool
	ours, theirs    int // writers: of this program, and of the C library
	watchers        int // readers of this program
	followers       int // readers of the C library
	followersLocked bool
}

// arrayCrowds grow one array from both sides; swmrCrowds have one writer, and readers that follow
// the growth.
var (
	arrayCrowds = []crowd{
		{name: "both grow and read, contiguous", ours: 2, theirs: 2, watchers: 2, followers: 2, followersLocked: true},
		{name: "both grow and read, sparse", sparse: true, ours: 2, theirs: 2, watchers: 2, followers: 2, followersLocked: true},
	}
	swmrCrowds = []crowd{
		{name: "cairn grows, 8 of C-Blosc2 follow", ours: 1, followers: 8, followersLocked: true},
		{name: "cairn grows, 8 of C-Blosc2 follow without a lock", ours: 1, followers: 8},
		{name: "cairn grows a sparse array, 8 of C-Blosc2 follow without a lock", sparse: true, ours: 1, followers: 8},
		{name: "C-Blosc2 grows, 8 of cairn follow", theirs: 1, watchers: 8},
	}
)

// stressCrowds runs one crowd after the other, for the given time each.
func (c *crasher) stressCrowds(l *library, crowds []crowd, seconds float64, count int) error {
	if l == nil {
		return errors.New("this part needs -python")
	}
	for i, w := range crowds {
		out, err := w.run(l, c.path(fmt.Sprintf("stress-%d.b2nd", i)), seconds, count)
		if err != nil {
			out.Lost++
			c.report.fail(failure{Section: "stress", Text: w.name + ": " + err.Error()}, nil)
		}
		c.report.Lost += out.Lost
		c.report.Writers[w.name] = out
	}
	return nil
}

// run starts all processes, waits for them, and checks the array.
func (w crowd) run(l *library, name string, seconds float64, count int) (out writers, err error) {
	if err := createRows(name, w.sparse); err != nil {
		return out, err
	}
	locked := "0"
	if w.followersLocked {
		locked = "1"
	}
	ends := []string{fmt.Sprint(count), fmt.Sprint(seconds)}
	var commands []*exec.Cmd
	add := func(times int, start func(args ...string) *exec.Cmd, args ...string) {
		for range times {
			commands = append(commands, start(append(args[:len(args):len(args)], ends...)...))
		}
	}
	theirs := func(args ...string) *exec.Cmd { return l.run("rows.py", args...) }
	for range w.ours {
		add(1, harness.Self, rowsVerb, name, fmt.Sprint(len(commands)))
	}
	for range w.theirs {
		add(1, theirs, "append", name, fmt.Sprint(len(commands)))
	}
	add(w.watchers, harness.Self, watchVerb, name, "0")
	add(w.followers, theirs, "follow", name, locked)
	began := time.Now()
	said, failed := runAll(commands)
	out.Seconds = time.Since(began).Seconds()
	if said == nil {
		return out, failed
	}
	a, err := openRows(name, ndarray.ReadOnly)
	if err != nil {
		return out, errors.Join(failed, err)
	}
	items, err := a.Read(context.Background())
	counts, countErr := countRows(items)
	out.count(said, counts, w.ours+w.theirs)
	_, verified := ndarray.Verify(context.Background(), name, nil)
	return out, errors.Join(failed, err, countErr, verified, a.Close())
}
