package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The library also answers wrongly, or fails, where nobody else has changed anything. So when a
// program fails, the library repeats its part with indexes that it has marked itself.

// errAlone is that the library fails without cairn, too.
var errAlone = errors.New("the library does that alone")

// A libraryCase is what the library did since cairn last changed data.
type libraryCase struct {
	changed  bool // cairn has changed data, and there is a copy of what it left
	path     string
	commands []indexCommand
}

func (c *indexProgram) copied() string { return filepath.Join(c.dir, "copied") }

// remember begins a case with what cairn has changed. Notes and copies of tables leave indexes as
// they are, and are no part of it.
func (c *indexProgram) remember(what string) error {
	kept := func(one string) bool { return one == note || one == copyOfTable }
	if !slices.ContainsFunc(strings.Split(what, ", "), func(one string) bool { return !kept(one) }) {
		return nil
	}
	c.alone = libraryCase{changed: true, path: c.command.Path}
	return errors.Join(os.RemoveAll(c.copied()), os.CopyFS(c.copied(), os.DirFS(c.work())))
}

// failsAlone repeats the case. If cairn has marked every index, it makes no difference that the
// library does so first, and what failed fails again. Otherwise the error stands.
func (c *indexProgram) failsAlone(failed error) error {
	err := os.RemoveAll(c.work())
	path := c.alone.commands[0].Path
	if c.alone.changed {
		path = c.alone.path
		err = errors.Join(err, os.CopyFS(c.work(), os.DirFS(c.copied())))
		first := c.command
		first.Op, first.Path = "rewrite", path
		err = errors.Join(err, c.peer.Call(first, &indexAnswer{}))
	} else {
		err = errors.Join(err, os.Mkdir(c.work(), 0o777))
	}
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, command := range c.alone.commands {
		var a indexAnswer
		command.Path = path
		if err := c.peer.Call(command, &a); err != nil || len(a.Wrong) > 0 {
			return fmt.Errorf("%w: %w", errAlone, failed)
		}
	}
	return failed
}
