package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The real library sometimes returns wrong answers, or fails, without any change by cairn. When a
// program fails, the library therefore repeats its part with indexes that it has marked itself.

// errAlone means that the library also fails without cairn.
var errAlone = errors.New("the library does that alone")

// A libraryCase records what the library did since cairn last changed data.
type libraryCase struct {
	changed  bool // cairn has changed data, and path is a copy of the result
	path     string
	commands []indexCommand
}

func (c *indexProgram) copied() string { return filepath.Join(c.dir, "copied") }

// remember begins a case after a change by cairn. Changes of notes and copies of tables do not
// affect indexes and begin no case.
func (c *indexProgram) remember(what string) error {
	kept := func(one string) bool { return one == note || one == copyOfTable }
	if !slices.ContainsFunc(strings.Split(what, ", "), func(one string) bool { return !kept(one) }) {
		return nil
	}
	c.alone = libraryCase{changed: true, path: c.command.Path}
	return errors.Join(os.RemoveAll(c.copied()), os.CopyFS(c.copied(), os.DirFS(c.work())))
}

// failsAlone repeats the case, with all indexes marked by the library first. If it fails again,
// cairn is not the cause. Otherwise the error stands.
func (c *indexProgram) failsAlone(failed error) error {
	err := os.RemoveAll(c.work())
	path := c.alone.commands[0].Path
	if c.alone.changed {
		path = c.alone.path
		err = errors.Join(err, os.CopyFS(c.work(), os.DirFS(c.copied())))
		first := c.command
		first.Op = "rewrite"
		first.Path = path
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
