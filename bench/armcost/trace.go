package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A subject is a program that does work the number of times that its last argument says.
type subject struct {
	path  string
	code  map[int64]string // text of instructions
	names map[int64]string // functions they are in
}

// counts reports whether the instruction at an address is part of the work. The scheduler of Go's
// runtime works as time goes by.
func (s *subject) counts(at int64) bool {
	name := s.names[at]
	runtime := strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
	return !runtime || strings.HasPrefix(name, "runtime.mem")
}

// A run is what the emulator tells of a program: how many instructions it executed, and the
// addresses of some of them, in stretches.
type run struct {
	count int64
	parts [][]int64
}

// A plan says which instructions to keep: size of them at every step, from the first on.
type plan struct{ first, step, size int64 }

// trace runs a program in the emulator, which writes two kinds of lines: the instructions of a
// block of code when it meets the block first, and the address of each block that it executes.
func (t *tools) trace(p plan, s *subject, args ...string) (run, error) {
	fifo := filepath.Join(t.dir, "trace")
	if err := os.RemoveAll(fifo); err != nil {
		return run{}, err
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		return run{}, err
	}

	emulator := []string{"-cpu", "neoverse-n1", "-d", "nochain,exec,in_asm", "-D", fifo, s.path}
	c := exec.Command(t.qemu, append(emulator, args...)...)
	// One thread of execution, and none of what Go's runtime does now and then.
	c.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		return run{}, err
	}
	f, err := os.Open(fifo)
	if err != nil {
		return run{}, err
	}

	r := &reader{plan: p, subject: s, blocks: make(map[int64][]int64), next: p.first}
	lines := bufio.NewScanner(bufio.NewReaderSize(f, 1<<20))
	for lines.Scan() {
		r.line(lines.Bytes())
	}
	f.Close()
	if err := c.Wait(); err != nil {
		return run{}, fmt.Errorf("%s %v: %w\n%s", s.path, args, err, stderr.String())
	}
	return r.run, lines.Err()
}

// A reader reads the lines of the emulator.
type reader struct {
	run
	plan
	subject *subject
	blocks  map[int64][]int64 // instructions of blocks, by the first
	block   []int64           // the one that is being told
	next    int64             // count at which the next stretch begins
}

func (r *reader) line(b []byte) {
	switch {
	case len(b) > 2 && b[0] == '0' && b[1] == 'x':
		if end := bytes.IndexByte(b, ':'); end > 0 {
			r.block = append(r.block, hex(b[2:end]))
		}
	case len(b) > 6 && b[0] == 'T':
		from := bytes.IndexByte(b, '/') + 1
		if to := bytes.IndexByte(b[from:], '/'); from > 0 && to > 0 {
			r.execute(hex(b[from : from+to]))
		}
	case len(b) == 0 && len(r.block) > 0:
		r.blocks[r.block[0]] = r.block
		r.block = nil
	}
}

func (r *reader) execute(at int64) {
	if !r.subject.counts(at) {
		return
	}
	code := r.blocks[at]
	r.count += int64(len(code))
	if r.size == 0 || r.count < r.next {
		return
	}

	k := len(r.parts) - 1
	if k < 0 || int64(len(r.parts[k])) >= r.size {
		r.parts = append(r.parts, nil)
		k++
	}
	r.parts[k] = append(r.parts[k], code...)
	if int64(len(r.parts[k])) >= r.size {
		r.next += r.step
	}
}

func hex(b []byte) int64 {
	n, err := strconv.ParseInt(string(b), 16, 64)
	if err != nil {
		return -1
	}
	return n
}
