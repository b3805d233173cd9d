package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// Several processes append numbered rows to one array at the same time, under its lock: processes
// of this program, and of the C library if there is a Python with it. Others read meanwhile. At the
// end, every row must be in the array, those of each writer in order.

// lax is the durability for that. It simulates no loss of power, and would mostly wait for the
// disk.
const lax = frame.None

// lockedChild runs one of these processes.
func lockedChild(verb string, args []string) error {
	if len(args) != 4 {
		return errors.New("arguments: name writer count seconds")
	}

	writer, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(args[3], 64)
	if err != nil {
		return err
	}

	span := time.Duration(seconds * float64(time.Second))
	switch verb {
	case holdVerb:
		return holdRows(args[0], writer)
	case watchVerb:
		return followRows(args[0], span)
	}

	// In a writing process, append at most count rows, evenly over the time if
	// possible.
	a, err := openRows(args[0], ndarray.ReadWrite)
	if err != nil {
		return err
	}
	done := int64(0)
	began := time.Now()
	for done < int64(count) && time.Since(began) < span {
		// spread count rows over the span
		time.Sleep(time.Until(began.Add(span * time.Duration(done) / time.Duration(count))))
		more := 1 + done%3
		if err := appendRows(a, int64(writer), done+1, more); err != nil {
			return errors.Join(fmt.Errorf("after %d rows: %w", done, err), a.Abort())
		}
		done += more
	}
	fmt.Println(done)
	return a.Close()
}

// A crowd says how many processes work on one array at the same time.
type crowd struct {
	name            string
	sparse          bool
	ours, theirs    int // writers: of this program, and of the C library
	watchers        int // readers of this program
	followers       int // readers of the C library
	followersLocked bool
}

// arrayCrowds grow one array from both sides; swmrCrowds, which run only if they are named, have
// one writer, and readers that follow the growth.
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

// crowds runs one crowd after the other, for the given time each. Without the library, its
// processes are left out.
func (c *crasher) crowds(l *library, crowds []crowd, seconds float64, count int) error {
	for i, w := range crowds {
		if l == nil {
			w.theirs = 0
			w.followers = 0
		}
		if w.ours+w.theirs == 0 {
			continue
		}
		out, err := w.run(l, c.path(fmt.Sprintf("crowd-%d.b2nd", i)), seconds, count)
		if err != nil {
			out.Lost++
			c.report.fail(failure{Section: "writers", Text: w.name + ": " + err.Error()}, nil)
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

// writers counts what several processes appended and read.
type writers struct {
	Points  int     `json:"points"`          // appended rows
	Looks   int     `json:"looks"`           // of readers
	Again   int     `json:"again,omitempty"` // failed reads of C-Blosc2 that succeeded again
	Lost    int     `json:"lost"`
	Seconds float64 `json:"seconds,omitempty"`
}

// count adds the numbers that processes printed, writers first, and compares those of each writer
// with its rows in the array.
func (out *writers) count(said []told, there map[int]int, writing int) {
	for i, t := range said {
		if i >= writing {
			out.Looks += t.n
			out.Again += t.again
			continue
		}
		out.Points += t.n
		out.Lost += max(t.n-there[i], there[i]-t.n)
	}
}

// told is what a process prints: how many rows it wrote or how often it read, and how many reads
// failed.
type told struct{ n, again int }

// runAll runs commands concurrently. Each prints one or two numbers.
func runAll(commands []*exec.Cmd) ([]told, error) {
	outs := make([]bytes.Buffer, len(commands))
	errs := make([]bytes.Buffer, len(commands))
	for i, cmd := range commands {
		cmd.Stdout = &outs[i]
		cmd.Stderr = &errs[i]
		if err := cmd.Start(); err != nil {
			return nil, err
		}
	}

	var failed error
	said := make([]told, len(commands))
	for i, cmd := range commands {
		err := cmd.Wait()
		if err == nil {
			_, err = fmt.Sscan(outs[i].String()+" 0", &said[i].n, &said[i].again)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("process %d: %w: %s", i, err, errs[i].String()))
		}
	}
	return said, failed
}
