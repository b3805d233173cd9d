package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// Traced system calls become operations of a log.

func (c *calls) add(op storagetest.Op) { c.ops = append(c.ops, op) }

func (c *calls) call(text string) error {
	s, ok := parseCall(text)
	if !ok || s.result < 0 {
		return nil
	}

	// Replace the name of a 32-bit system call by that of the 64-bit one.
	switch s.name {
	case "open":
		s.name = "openat"
		s.args = slices.Insert(s.args, 0, "AT_FDCWD")
	case "_llseek":
		s.name = "lseek"
		s.result, _ = strconv.ParseInt(strings.Trim(s.args[2], "[]"), 10, 64)
	case "ftruncate64":
		s.name = "ftruncate"
	}

	switch s.name {
	case "openat":
		return c.opened(&s)
	case "read", "lseek", "write", "pwrite64", "pwritev", "ftruncate", "fsync", "fdatasync",
		"fchmod", "fchown", "fsetxattr", "fremovexattr":
		return c.onDescriptor(&s)
	case "mkdirat":
		if name, ok := c.at(&s, 0); ok {
			c.dirs[name] = true
			c.add(storagetest.Op{Kind: storagetest.OpMkdir, Name: name})
		}
	case "unlinkat":
		if name, ok := c.at(&s, 0); ok {
			c.add(storagetest.Op{Kind: storagetest.OpRemove, Name: name})
			delete(c.names, name)
			delete(c.dirs, name)
		}
	case "renameat", "renameat2", "linkat":
		return c.moved(&s)
	case "mmap", "mmap2":
		if strings.Contains(text, "PROT_WRITE") && strings.Contains(text, "MAP_SHARED") {
			return errors.New("a file that is written through memory")
		}
	default:
		if !slices.Contains(harmless, s.name) {
			return errors.New("a call that is not known")
		}
	}
	return nil
}

func (c *calls) opened(s *traced) error {
	number := strconv.FormatInt(s.result, 10)
	delete(c.open, number)

	name, ok := c.within(s.path)
	if !ok {
		return nil
	}
	if c.dirs[name] {
		c.open[number] = &descriptor{dir: true}
		return nil
	}

	file, there := c.names[name]
	switch {
	case !there && strings.Contains(s.args[2], "O_CREAT"):
		file = c.create(name)
	case !there:
		return errors.New("a file that nobody made")
	case strings.Contains(s.args[2], "O_TRUNC"):
		c.add(storagetest.Op{Kind: storagetest.OpTruncate, File: file})
	case strings.Contains(s.args[2], "O_APPEND"):
		return errors.New("a file that is appended to")
	}
	c.open[number] = &descriptor{file: file}
	return nil
}

func (c *calls) onDescriptor(s *traced) error {
	number, full := s.fd(0)
	name, ok := c.within(full)
	if !ok {
		return nil
	}

	d := c.open[number]
	if d == nil {
		return errors.New("a descriptor that was not opened")
	}

	switch s.name {
	case "read":
		d.at += s.result
	case "lseek":
		d.at = s.result
	case "write":
		c.write(d.file, d.at, s.text(1)[:s.result])
		d.at += s.result
	case "pwrite64":
		c.write(d.file, s.number(3), s.text(1)[:s.result])
	case "pwritev":
		c.write(d.file, s.number(len(s.args)-1), s.gathered()[:s.result])
	case "ftruncate":
		c.add(storagetest.Op{Kind: storagetest.OpTruncate, File: d.file, Offset: s.number(1)})
	case "fchmod", "fchown", "fsetxattr", "fremovexattr":
		change := modeChange{at: len(c.ops), file: d.file}
		if d.dir {
			change = modeChange{at: len(c.ops), file: -1, dir: name}
		}
		c.modes = append(c.modes, change)
	default:
		if d.dir {
			c.add(storagetest.Op{Kind: storagetest.OpSyncDir, Name: name})
		} else {
			c.add(storagetest.Op{Kind: storagetest.OpSync, File: d.file})
		}
	}
	return nil
}

func (c *calls) write(file int, at int64, data string) {
	c.add(storagetest.Op{Kind: storagetest.OpWrite, File: file, Offset: at, Data: []byte(data)})
}

// moved handles calls that rename a file or a directory.
func (c *calls) moved(s *traced) error {
	from, ok := c.at(s, 0)
	to, also := c.at(s, 2)
	if !ok && !also {
		return nil
	}
	if ok != also {
		return errors.New("a name that leaves the directory")
	}

	op := storagetest.Op{Kind: storagetest.OpRename, Name: from, To: to}
	switch {
	case s.name == "linkat":
		op.Kind = storagetest.OpLink
		c.names[to] = c.names[from]
	case strings.Contains(s.args[len(s.args)-1], "RENAME_EXCHANGE"):
		op.Kind = storagetest.OpExchange
		swapNames(c.names, from, to)
		swapNames(c.dirs, from, to)
	default:
		moveNames(c.names, from, to)
		moveNames(c.dirs, from, to)
	}

	if op.Kind != storagetest.OpLink {
		if err := c.durableModes(from, to); err != nil {
			return err
		}
	}
	c.add(op)
	return nil
}

// durableModes fails if a renamed file has a mode that is not durable yet: the permissions of the
// new name must survive a crash.
func (c *calls) durableModes(from, to string) error {
	moved := map[int]bool{}
	for name, file := range c.names {
		if isWithin(name, to) {
			moved[file] = true
		}
	}

	for _, m := range c.modes {
		if m.file >= 0 && !moved[m.file] || m.file < 0 && !isWithin(m.dir, from) {
			continue
		}
		synced := false
		for _, op := range c.ops[m.at:] {
			synced = synced || m.file >= 0 && op.Kind == storagetest.OpSync && op.File == m.file ||
				m.file < 0 && op.Kind == storagetest.OpSyncDir && op.Name == m.dir
		}
		if !synced {
			return fmt.Errorf("%w: permissions of %s, which takes the name %s, are not durable", errDiffers, from, to)
		}
	}
	return nil
}

// moveNames renames an entry and what is below it.
func moveNames[V any](entries map[string]V, from, to string) {
	moved := map[string]V{}
	for name, v := range entries {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
			delete(entries, name)
			moved[to+rest] = v
		}
	}
	for name, v := range moved {
		entries[name] = v
	}
}

func swapNames[V any](entries map[string]V, a, b string) {
	const free = "\x00" // not used by any file
	moveNames(entries, a, free)
	moveNames(entries, b, a)
	moveNames(entries, free, b)
}

// isWithin reports whether a name is that of a directory or of a file below it.
func isWithin(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// mindedItsOwn fails if the operations after the first settled ones changed files outside of the
// target, or left new ones.
func (c *calls) mindedItsOwn(target string, settled int) error {
	target, _, _ = strings.Cut(target, "/")
	others := map[int]string{}
	there := map[string]bool{".": true}
	for _, op := range c.ops[:settled] {
		if op.Kind == storagetest.OpCreate && !isWithin(op.Name, target) {
			others[op.File] = op.Name
		}
		there[op.Name] = true
	}

	for _, op := range c.ops[settled:] {
		name, is := others[op.File]
		if is && (op.Kind == storagetest.OpWrite || op.Kind == storagetest.OpTruncate) {
			return fmt.Errorf("%w: %s, which is not the target, was changed", errDiffers, name)
		}
	}

	for file, name := range others {
		if now, ok := c.names[name]; !ok || now != file {
			return fmt.Errorf("%w: %s, which is not the target, is gone", errDiffers, name)
		}
	}

	left := slices.Concat(slices.Collect(maps.Keys(c.names)), slices.Collect(maps.Keys(c.dirs)))
	for _, name := range left {
		if !there[name] && !isWithin(name, target) {
			return fmt.Errorf("%w: %s was left behind", errDiffers, name)
		}
	}
	return nil
}
