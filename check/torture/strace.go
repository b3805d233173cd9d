package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// The operations of a process on the files of a directory are read from a trace of its system
// calls. So that none is missed, an unknown call that may change files is an error.

// harmless are system calls that do not change files, or nothing relevant of them.
var harmless = strings.Fields(`access arch_prctl chdir close dup dup2 dup3 epoll_create1 epoll_ctl epoll_pwait
	epoll_pwait2 epoll_wait eventfd2 execve faccessat faccessat2 fadvise64 fcntl fcntl64 fgetxattr flistxattr
	flock fstat fstat64 fstatat64 fstatfs fstatfs64 getcwd getdents64 getxattr inotify_init1 ioctl lgetxattr
	listxattr llistxattr lstat madvise munmap newfstatat pipe pipe2 poll ppoll pread64 prlimit64 pselect6
	readlink readlinkat select stat stat64 statfs statfs64 statx timerfd_create uname`)

// calls holds the operations of a traced process on the files of a directory.
type calls struct {
	root  string
	ops   []storagetest.Op
	names map[string]int // files by name, paths from the root
	dirs  map[string]bool
	files int
	open  map[string]*descriptor
	modes []modeChange
}

type descriptor struct {
	file int
	dir  bool
	at   int64
}

// A modeChange is durable once its file or directory is synced.
type modeChange struct {
	at   int // operations before it
	file int
	dir  string // for a directory, instead of file
}

// newCalls returns the calls for a directory.
func newCalls(root string) (*calls, error) {
	c := &calls{root: root, names: map[string]int{}, dirs: map[string]bool{".": true}}
	c.open = map[string]*descriptor{}
	return c, c.adopt(".")
}

// traceRun runs a command in a directory, whose existing files count as durable. It returns the
// log, and the number of its operations that stand for the existing files. lack is a system call
// that fails, as strace names it, or empty.
func traceRun(dir, lack string, command ...string) (c *calls, settled int, err error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, 0, err
	}
	if c, err = newCalls(root); err != nil {
		return nil, 0, err
	}

	settled = len(c.ops)
	out := root + ".strace"
	defer os.Remove(out)
	args := []string{
		"-f", "-y", "-xx", "-qq", "-s", "16777216", "-e", "signal=none", "-e", "trace=%file,%desc", "-o", out,
	}
	if lack != "" {
		args = append(args, "-e", "inject="+lack)
	}

	cmd := exec.CommandContext(context.Background(), "strace", append(args, command...)...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, text)
	}

	f, err := os.Open(out)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return c, settled, c.read(f)
}

// adopt logs the existing files of a directory.
func (c *calls) adopt(dir string) error {
	entries, err := os.ReadDir(filepath.Join(c.root, dir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			c.dirs[name] = true
			c.add(storagetest.Op{Kind: storagetest.OpMkdir, Name: name})
			if err := c.adopt(name); err != nil {
				return err
			}
			continue
		}

		data, err := os.ReadFile(filepath.Join(c.root, name))
		if err != nil {
			return err
		}
		file := c.create(name)
		c.add(storagetest.Op{Kind: storagetest.OpWrite, File: file, Data: data})
		c.add(storagetest.Op{Kind: storagetest.OpSync, File: file})
	}
	c.add(storagetest.Op{Kind: storagetest.OpSyncDir, Name: dir})
	return nil
}

func (c *calls) create(name string) int {
	file := c.files
	c.files++
	c.names[name] = file
	c.add(storagetest.Op{Kind: storagetest.OpCreate, File: file, Name: name})
	return file
}

// read reads a trace. A call that is interrupted by those of other threads is joined first, and
// takes effect at its end.
func (c *calls) read(r io.Reader) error {
	begun := map[string]string{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		pid, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text = strings.TrimLeft(text, " ")
		if start, ok := strings.CutSuffix(text, " <unfinished ...>"); ok {
			begun[pid] = start
			continue
		}
		if strings.HasPrefix(text, "<... ") {
			_, rest, _ := strings.Cut(text, "resumed>")
			text = begun[pid] + rest
		}

		if err := c.call(text); err != nil {
			return fmt.Errorf("trace: %w: %.200s", err, text)
		}
	}
}

var (
	callForm = regexp.MustCompile(`^(\w+)\((.*)\)\s+= (-?\d+)(<[^>]*>)?`)
	fdForm   = regexp.MustCompile(`^(AT_FDCWD|\d+)<([^>]*)>`)
)

// A traced is one system call in a trace.
type traced struct {
	name   string
	args   []string
	result int64
	path   string // path of the result, if that is a descriptor
}

func parseCall(text string) (s traced, ok bool) {
	m := callForm.FindStringSubmatch(text)
	if m == nil {
		return s, false // a signal, or an exit
	}
	s.name = m[1]
	s.args = strings.Split(m[2], ", ")
	s.path = unhex(strings.Trim(m[4], "<>"))
	s.result, _ = strconv.ParseInt(m[3], 10, 64)
	return s, true
}

// unhex decodes strings that strace writes with -xx.
func unhex(s string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(s, `\x`, ""))
	if err != nil {
		return s
	}
	return string(b)
}

func (s *traced) text(i int) string { return unhex(strings.Trim(s.args[i], `"`)) }

// gathered returns the bytes of all pieces of memory among the arguments.
func (s *traced) gathered() string {
	var all strings.Builder
	for _, arg := range s.args {
		if _, text, ok := strings.Cut(arg, `iov_base="`); ok {
			all.WriteString(unhex(strings.TrimSuffix(text, `"`)))
		}
	}
	return all.String()
}

func (s *traced) number(i int) int64 {
	n, _ := strconv.ParseInt(s.args[i], 0, 64)
	return n
}

// fd returns the number of a descriptor and its path.
func (s *traced) fd(i int) (number, name string) {
	m := fdForm.FindStringSubmatch(s.args[i])
	if m == nil {
		return s.args[i], ""
	}
	return m[1], unhex(m[2])
}

// within returns a path relative to the root, if it is below it.
func (c *calls) within(name string) (string, bool) {
	relative, err := filepath.Rel(c.root, name)
	return relative, err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}

// at returns the name for arguments i and i+1, a directory and a path relative to it.
func (c *calls) at(s *traced, i int) (string, bool) {
	_, dir := s.fd(i)
	name := s.text(i + 1)
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	return c.within(name)
}
