package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/ndarray"
)

// A process that holds the lock is killed at a random time. The next process must get the lock at
// once, find everything that was reported as committed and nothing incomplete, and continue. If
// C-Blosc2 is killed, it may leave an incomplete change; that is counted, and the array is created
// again.

// holdVerb as the first argument makes this program a process that appends rows under the lock and
// reports when it has it. holdPause is how long it waits with the lock, so that kills hit every
// stage.
const (
	holdVerb  = "hold-rows"
	holdPause = time.Millisecond
)

// holdRows is such a process. It prints "in" when it has the lock, and the number of rows that it
// has appended when it has released the lock.
func holdRows(name string, writer int) error {
	a, err := ndarray.OpenAs[int64](name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Locking: true, Workers: 1})
	if err != nil {
		return err
	}

	for done := int64(0); ; {
		if err := a.Untyped.Lock(context.Background()); err != nil {
			return err
		}
		fmt.Println("in")
		time.Sleep(holdPause)

		more := 1 + done%3
		if err := stageRows(a, int64(writer), done+1, more); err != nil {
			return err
		}
		time.Sleep(holdPause)
		if err := a.Commit(context.Background()); err != nil {
			return err
		}
		done += more
		fmt.Println(done)
	}
}

// holderRounds kills the given number of holders, in turns of this program and of the C library,
// each with either as the next process.
func (c *crasher) holderRounds(l *library, seed uint64, rounds int) error {
	rng := rand.New(rand.NewPCG(seed, 0x10c))
	h := &holding{path: c.path, l: l, rng: rng}
	c.allot(1)
	for i := range rounds {
		if c.over() {
			break
		}

		h.theirs = l != nil && i&1 != 0
		h.next = l != nil && i&2 != 0
		began := time.Now()
		t := tally{Points: 1}
		if err := h.round(i+1, &t); errors.Is(err, errHalf) {
			t.Torn++
			h.name = ""
		} else if err != nil {
			t.Lost++
			c.report.fail(failure{Section: "holders", Text: fmt.Sprintf("round %d, %s: %v", i, h.title(), err)}, nil)
			h.name = ""
		}

		t.Seconds = time.Since(began).Seconds()
		c.report.sum(c.report.Holders, h.title(), t)
	}
	return nil
}

// holding is the array whose lock holders are killed.
type holding struct {
	path         func(name string) string
	name         string // empty if there is no array
	l            *library
	rng          *rand.Rand
	theirs, next bool // whether the holder and the next process use the C library
	arrays       int
}

func (h *holding) title() string {
	side := map[bool]string{false: "cairn", true: "C-Blosc2"}
	return side[h.theirs] + " is killed, " + side[h.next] + " is next"
}

// errHalf means that a killed process of the C library left an incomplete change.
var errHalf = errors.New("half of a change")

// round starts a holder, kills it while it has the lock, and checks the array.
func (h *holding) round(writer int, t *tally) error {
	if h.name == "" {
		h.arrays++
		h.name = h.path(fmt.Sprintf("holders-%d.b2nd", h.arrays))
		if err := createRows(h.name, h.arrays&1 == 0); err != nil {
			return err
		}
	}

	cmd := harness.Self(holdVerb, h.name, fmt.Sprint(writer), "0", "0")
	if h.theirs {
		cmd = h.l.run("rows.py", "hold", h.name, fmt.Sprint(writer), "0", "0")
	}

	said, inside, err := killInside(cmd, 1+h.rng.IntN(4), time.Duration(h.rng.Int64N(int64(4*holdPause))))
	if err != nil {
		return err
	}
	if inside {
		t.Inside++
	}

	there, err := h.take(writer)
	if err == nil && there != said && there != said+1+said%3 {
		err = fmt.Errorf("%d rows are there, %d were said to be: %w", there, said, errDiffers)
	}
	if err != nil && h.theirs && !errors.Is(err, errNotTaken) {
		return errHalf
	}
	return err
}

// killInside kills a process some time after it got the lock the given number of times. It returns
// the number of rows that the process reported, and whether it had the lock.
func killInside(cmd *exec.Cmd, times int, after time.Duration) (said int, inside bool, err error) {
	err = harness.Watch(cmd, func(text string) (err error) {
		if inside = text == "in"; !inside {
			said, err = strconv.Atoi(text)
		} else if times--; times == 0 {
			time.Sleep(after)
			_ = cmd.Process.Kill() // it may have ended by itself; then stderr says why
		}
		return err
	})
	if err == nil && times > 0 {
		err = errors.New("the holder ended by itself")
	}
	return said, inside, err
}

// errNotTaken means that a dead process still seems to have the lock.
var errNotTaken = errors.New("the next one does not get the lock")

// takeLimit is how long the next process may take, including its start.
const takeLimit = 20 * time.Second

// take runs the next process: it takes the lock, counts the rows of a writer, and appends one as
// another writer.
func (h *holding) take(writer int) (int, error) {
	if h.next {
		cmd := h.l.run("rows.py", "take", h.name, fmt.Sprint(writer), "0", "0")
		limit := time.AfterFunc(takeLimit, func() { _ = cmd.Process.Kill() })
		out, err := cmd.CombinedOutput()
		if !limit.Stop() {
			return 0, errNotTaken
		}
		if err != nil {
			return 0, fmt.Errorf("%w: %s", err, out)
		}
		return strconv.Atoi(strings.TrimSpace(string(out)))
	}

	a, err := ndarray.OpenAs[int64](h.name, &ndarray.OpenOptions{Mode: ndarray.ReadWrite, Locking: true, LockTimeout: takeLimit})
	if err != nil {
		return 0, err
	}

	began := time.Now()
	if err = a.Untyped.Lock(context.Background()); err != nil {
		return 0, errors.Join(err, a.Abort())
	}
	if time.Since(began) > takeLimit/2 {
		return 0, errors.Join(errNotTaken, a.Abort())
	}

	rows, err := a.Read(context.Background())
	counts := map[int]int{}
	if err != nil {
		return counts[writer], errors.Join(err, a.Close())
	}

	counts, err = countRows(rows)
	if err != nil {
		return counts[writer], errors.Join(err, a.Close())
	}

	err = errors.Join(stageRows(a, takers+int64(writer), 1, 1), a.Commit(context.Background()))

	return counts[writer], errors.Join(err, a.Close())
}

// takers is the first number of the writers that come next.
const takers = 1 << 20
