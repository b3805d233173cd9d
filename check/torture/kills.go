package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/storage"
)

// A child process of this program runs a program on the disk, and prints the number of each commit
// after it. It is killed at a random time. All commits that it printed must be in the file, and at
// most one more, which the same program in memory tells. The C library, if there is one, must read
// the same, and the file must be fit for further changes.

// childVerb as the first argument makes this program such a process.
const childVerb = "commit-until-killed"

// manyCommits are more than a process makes before it is killed.
const manyCommits = 1 << 30

// commitUntilKilled is that process. Its arguments are a directory, and the kind and the seed of
// the program.
func commitUntilKilled(args []string, said io.Writer) error {
	if len(args) != 3 {
		return errors.New("arguments: directory kind seed")
	}
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	if err := os.Chdir(args[0]); err != nil {
		return err
	}
	r := runner{program: program{args[1], seed, manyCommits}, fsys: storage.OS(), count: func() int { return 0 }}
	r.told = func(commits int) { fmt.Fprintln(said, commits) }
	_, err = r.run()
	return err
}

// killRounds kills processes, equally many for every kind of program.
func (c *crasher) killRounds(l *library, seed uint64, rounds int) error {
	rng := rand.New(rand.NewPCG(seed, 0x516))
	for k, kind := range kinds {
		began := time.Now()
		t := tally{}
		c.allot(len(kinds))
		for i := k; i < rounds && !c.over(); i += len(kinds) {
			t.Points++
			p := program{Kind: kind, Seed: seed + uint64(i)}
			if err := c.killRound(l, p, rng); err != nil {
				t.Lost++
				c.report.fail(failure{Section: "kills", Program: &p, Text: err.Error()}, nil)
			}
		}
		t.Seconds = time.Since(began).Seconds()
		c.report.sum(c.report.Kills, kind, t)
	}
	return nil
}

// mostLife is how long a process lives at most after its first commit.
const mostLife = 60 * time.Millisecond

// killRound starts a process, kills it, and checks the file.
func (c *crasher) killRound(l *library, p program, rng *rand.Rand) error {
	dir, err := os.MkdirTemp(c.dir, "kill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	cmd := harness.Self(childVerb, dir, p.Kind, fmt.Sprint(p.Seed))
	said := 0 // the last commit that it printed
	err = harness.Watch(cmd, func(text string) (err error) {
		if said == 0 {
			time.AfterFunc(time.Duration(rng.Int64N(int64(mostLife))), func() {
				_ = cmd.Process.Kill() // it may have ended by itself, which its complaint tells
			})
		}
		said, err = strconv.Atoi(text)
		return err
	})
	if err != nil {
		return err
	}

	p.Commits = said + 1
	h, err := p.run(storage.NewMemory(), func() int { return 0 }, false)
	if err != nil {
		return err
	}
	return p.killed(l, filepath.Join(dir, programName), h.commits[said])
}

// killed checks that the file has what was there before a commit or after it, that the library
// reads the same, and that it can be changed.
func (p program) killed(l *library, name string, last commit) error {
	look := lookAs(p.Kind)
	got, err := look(storage.OS(), name)
	if err == nil && got != last.before && got != last.after {
		err = fmt.Errorf("%w: %v, want %v or %v", errDiffers, got, last.before, last.after)
	}
	if err != nil {
		return err
	}

	if l != nil {
		found, err := l.look([]string{name})
		if err != nil {
			return err
		}
		if found[0].err != nil || found[0].content != got {
			return fmt.Errorf("the C library reads %v, %w, want %v", found[0].content, found[0].err, got)
		}
	}

	opened, now, err := touch(storage.OS(), name, look)
	if err == nil && (opened != got || now == got) {
		err = fmt.Errorf("%w: %v, opened for writing %v, then %v", errDiffers, got, opened, now)
	}
	return err
}
