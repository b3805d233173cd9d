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

// kill kills a process that appends to a copy of a file, which must have the commits that it
// printed.
func (c *checker) kill(name string) error {
	base := filepath.Base(name)
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	left := filepath.Join(c.dir, "left-"+base)
	if err := os.WriteFile(left, content, 0o666); err != nil {
		return err
	}
	seed := c.rng.Uint64()
	cmd := harness.Self(killedVerb, left, fmt.Sprint(seed))
	said := 0
	err = harness.Watch(cmd, func(text string) (err error) {
		if said == 0 {
			time.AfterFunc(time.Duration(c.rng.Int64N(int64(20*time.Millisecond))), func() { _ = cmd.Process.Kill() })
		}
		said, err = strconv.Atoi(text)
		return err
	})
	if err != nil {
		return err
	}

	has := filepath.Join(c.dir, "killed-"+base)
	if err := repeat(base, content, seed, said, has); err != nil {
		return err
	}
	c.Kills[base]++
	c.peer.forget()
	next := filepath.Join(c.dir, "next-"+base)
	if err := repeat(base, content, seed, said+1, next); err != nil {
		return err
	}
	return c.look(base, left, has, next, false, fmt.Sprintf("killed after commit %d with seed %d", said, seed))
}

// repeat does in memory what a process has done, up to a commit, and saves the file.
func repeat(base string, content []byte, seed uint64, commits int, has string) error {
	memory := storage.NewMemory()
	if err := put(memory, base, content); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	t, err := open(memory, base, rng)
	if err != nil {
		return err
	}
	for range commits {
		if err := errors.Join(t.append(1+rng.Int64N(3)), t.commit()); err != nil {
			return err
		}
	}
	return errors.Join(t.close(), save(memory, base, has))
}

// appendUntilKilled is the process that is killed. It prints the number of each commit.
func appendUntilKilled(name, seed string, said io.Writer) error {
	s, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(s, 1))
	t, err := open(storage.OS(), name, rng)
	if err != nil {
		return err
	}
	for k := 1; ; k++ {
		if err := errors.Join(t.append(1+rng.Int64N(3)), t.commit()); err != nil {
			return err
		}
		fmt.Fprintln(said, k)
	}
}
