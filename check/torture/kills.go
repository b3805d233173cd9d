package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/frame"
)

// A child process of this program runs one step after the other, and prints the number of each step
// after its commit. It is killed at a random time. All printed steps must be in the file, and at
// most one more. The C library, if there is one, must read the same.

// childVerb as the first argument makes this program such a process.
const childVerb = "commit-until-killed"

// commitUntilKilled is that process. Its arguments are the name of the file and the number of the
// way.
func commitUntilKilled(args []string, said io.Writer) error {
	if len(args) != 2 {
		return errors.New("arguments: name way")
	}
	k, err := strconv.Atoi(args[1])
	if err != nil || k < 0 || k >= len(ways) {
		return fmt.Errorf("way %q does not exist", args[1])
	}
	s := &stepper{way: ways[k]}
	steps, err := s.open(args[0])
	if err != nil {
		return err
	}
	for n := steps + 1; ; n++ {
		if err := s.step(n); err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
		if _, err := fmt.Fprintln(said, n); err != nil {
			return err
		}
	}
}

// killRounds kills processes, equally many for every way.
func (c *crasher) killRounds(l *library, seed uint64, rounds int) error {
	rng := rand.New(rand.NewPCG(seed, 0x516))
	for k, w := range ways {
		began, t := time.Now(), tally{}
		name := c.path(fmt.Sprintf("kills-%d.b2frame", k))
		c.allot(len(ways))
		for i := range rounds {
			if i%len(ways) != k || c.over() {
				continue
			}
			t.Points++
			if err := killRound(l, name, k, rng); err != nil {
				t.Lost++
				c.report.fail(failure{Section: "kills", Text: fmt.Sprintf("%v: %v", w, err)}, nil)
				name += "x" // continue with another file
			}
		}
		t.Seconds = time.Since(began).Seconds()
		c.report.sum(c.report.Kills, w.String(), t)
	}
	return nil
}

// killRound starts a process, kills it, and checks the file.
func killRound(l *library, name string, k int, rng *rand.Rand) error {
	cmd := harness.Self(childVerb, name, fmt.Sprint(k))
	last := -1 // the last step that it printed; -1 if none
	err := harness.Watch(cmd, func(text string) (err error) {
		if last < 0 {
			time.AfterFunc(time.Duration(rng.Int64N(int64(25*time.Millisecond))), func() {
				_ = cmd.Process.Kill() // it may have ended by itself, which its complaint tells
			})
		}
		last, err = strconv.Atoi(text)
		return err
	})
	if err != nil {
		return err
	}
	return ways[k].check(l, name, last)
}

// check checks that the file has the printed steps, or one more, and that the library reads the
// same.
func (w way) check(l *library, name string, said int) error {
	f, err := frame.Open(name, nil)
	if err != nil {
		return err
	}
	steps, err := stepsOf(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if said >= 0 && steps != said && steps != said+1 {
		return fmt.Errorf("%d steps are there, %d were said to be: %w", steps, said, errDiffers)
	}
	want := w.want(steps)
	got, err := w.look(name)
	if err == nil && got != want {
		err = fmt.Errorf("after %d steps: %v, want %v", steps, got, want)
	}
	if err != nil || l == nil {
		return err
	}
	found, err := l.look([]string{name})
	if err != nil {
		return err
	}
	if err = found[0].err; err == nil && found[0].content != want {
		err = fmt.Errorf("after %d steps the C library reads %v, want %v", steps, found[0].content, want)
	}
	return err
}
