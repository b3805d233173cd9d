package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/cairn-go/cairn/frame"
)

// A readable file is one that both sides can read and compare with its expected contents.
type readable interface {
	readOurs() error
	readTheirs() error
}

// A chunked case is a frame that either side can write, and change chunk by chunk.
type chunked interface {
	readable
	writeOurs() error
	writeTheirs() error
	drawSteps() []step
	changeOurs(steps []step) error
	changeTheirs(steps []step) error
}

// takeTurns lets one side write a frame and the other change it. Both read it after each step.
func takeTurns(c chunked, ours bool) error {
	write := c.writeTheirs
	change := c.changeOurs
	if ours {
		write = c.writeOurs
		change = c.changeTheirs
	}

	if err := write(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := readBoth(c, "after writing"); err != nil {
		return err
	}

	steps := c.drawSteps()
	if err := change(steps); err != nil {
		return fmt.Errorf("change %v: %w", summary(steps), err)
	}
	if err := readBoth(c, "after changing"); err != nil {
		return fmt.Errorf("%w (steps %v)", err, summary(steps))
	}
	return nil
}

func readBoth(c readable, when string) error {
	if err := c.readOurs(); err != nil {
		return fmt.Errorf("cairn reads %s: %w", when, err)
	}
	if err := c.readTheirs(); err != nil {
		return fmt.Errorf("the real library reads %s: %w", when, err)
	}
	return nil
}

// changeChunks runs the steps on the frame at path, and commits after about one in three.
func changeChunks(path string, steps []step, rng *rand.Rand, take func(f *frame.Frame, s step) error) error {
	f, err := frame.Open(path, &frame.OpenOptions{Mode: frame.ReadWrite})
	if err != nil {
		return err
	}
	defer f.Close()
	for _, s := range steps {
		err := take(f, s)
		if err == nil && rng.IntN(3) == 0 {
			err = f.Commit(context.Background())
		}
		if err != nil {
			return fmt.Errorf("%s %d: %w", s.Do, s.Index, err)
		}
	}
	return f.Close()
}

// summary shows steps without their data.
func summary(steps []step) []string {
	var out []string
	for _, s := range steps {
		out = append(out, fmt.Sprintf("%s %d (%d bytes)", s.Do, s.Index, len(s.Data)))
	}
	return out
}
