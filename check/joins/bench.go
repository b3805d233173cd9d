package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
)

// A bench is what cases are tried on: the command, a folder for files, and Python.
type bench struct {
	dir   string
	cairn string // the command
	peer  *harness.Peer
}

// newBench builds the command, starts Python with source, and prints the seed and versions.
func newBench(python, source string, seed uint64) (*bench, error) {
	dir, err := os.MkdirTemp("", "cairn-joins")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir}
	if err := b.start(python, source, seed); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) start(python, source string, seed uint64) (err error) {
	if b.cairn, err = harness.Build(b.dir); err != nil {
		return err
	}
	var versions string
	if b.peer, versions, err = harness.Python(python, source); err != nil {
		return err
	}
	fmt.Printf("seed %d, %s\n", seed, versions)
	return nil
}

func (b *bench) close() error {
	var err error
	if b.peer != nil {
		err = b.peer.Close()
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// files is the folder of the inputs.
func (b *bench) files() string { return filepath.Join(b.dir, "files") }

// run removes the outputs of the last case, and runs commands up to the first that fails. It
// returns what the last one said.
func (b *bench) run(commands [][]string) (said string, err error) {
	for _, name := range []string{"set.job", "job.b2nd", "tree.b2z"} {
		if err := os.RemoveAll(filepath.Join(b.dir, name)); err != nil {
			return "", err
		}
	}
	for _, args := range commands {
		out, err := exec.Command(b.cairn, args...).CombinedOutput()
		said = string(out)
		if err != nil {
			return said, err
		}
	}
	return said, nil
}

// leaf is a place for an array that is not the result yet.
func (b *bench) leaf() string { return filepath.Join(b.dir, "tree.b2z") + "::/v" }

// job is the path of a job, and that of its result.
func (b *bench) job() (job, out string) {
	return filepath.Join(b.dir, "set.job"), filepath.Join(b.dir, "job.b2nd")
}

// place returns the path of a result in a format.
func (b *bench) place(format string) string {
	name, _, _ := strings.Cut(format, " ")
	return filepath.Join(b.dir, "out."+name)
}

// write returns the command that brings the leaf into a format.
func (b *bench) write(format string) []string {
	switch format {
	case "b2nd":
		return []string{"copy", "-force", b.leaf(), b.place(format)}
	case "zarr 2":
		return []string{"export", "-force", "-zarr", "2", b.leaf(), b.place(format)}
	}
	return []string{"export", "-force", b.leaf(), b.place(format)}
}

// make returns the commands that make a result in a format, by one that writes to a path.
func (b *bench) make(format string, by func(to string) []string) (all [][]string, out string) {
	out = b.place(format)
	if format == "zarr 2" { // which only export writes
		return [][]string{by(b.leaf()), b.write(format)}, out
	}
	return [][]string{by(out)}, out
}
