package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// Traces of verbs are kept so that tests need neither strace nor the command.

// recordedVerbs is the folder of testdata with these traces.
const recordedVerbs = "verbs"

// recordVerb writes the log of a case as a trace of two actions: making the existing files, and the
// verb.
func recordVerb(dir string, one verbCase, ops []storagetest.Op, settled int) (err error) {
	base := strings.NewReplacer(" ", "_", "-", "", ",", "", "/", "_").Replace(one.String())
	f, err := os.Create(filepath.Join(dir, base+".trace.gz"))
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err == nil {
		ops, settled := withoutInputs(ops, settled, one.name)
		marks := []storagetest.Mark{
			{Name: one.name, To: settled}, {Name: one.String(), From: settled, To: len(ops)},
		}
		err = errors.Join(storagetest.WriteTrace(z, ops, marks), z.Close())
	}
	return errors.Join(err, f.Close())
}

// withoutInputs removes the operations that made files other than the target, which the verb only
// reads.
func withoutInputs(ops []storagetest.Op, settled int, target string) ([]storagetest.Op, int) {
	top, _, _ := strings.Cut(target, "/")
	inputs := map[int]bool{}
	var kept []storagetest.Op
	for _, op := range ops[:settled] {
		isInput := op.Name != "." && !isWithin(op.Name, top)
		switch op.Kind {
		case storagetest.OpCreate:
			inputs[op.File] = isInput
		case storagetest.OpWrite, storagetest.OpSync:
			isInput = inputs[op.File]
		}
		if !isInput {
			kept = append(kept, op)
		}
	}
	return append(kept, ops[settled:]...), len(kept)
}

// replayVerbs crashes the verbs of recorded traces.
func (c *crasher) replayVerbs(dir, only string, sweep storagetest.Sweep) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.trace.gz"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no *.trace.gz in %s: %w", dir, errors.Join(err, os.ErrNotExist))
	}
	var jobs []func() error
	for _, name := range names {
		jobs = append(jobs, func() error {
			r, err := readVerb(name)
			if err != nil || !strings.Contains(r.verb, only) {
				return err
			}
			return c.crashRun(r, sweep)
		})
	}
	return c.inTurn(jobs)
}

// readVerb reads a trace that recordVerb wrote.
func readVerb(name string) (*verbRun, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	log, marks, err := storagetest.ReadTrace(z)
	if err == nil && len(marks) != 2 {
		err = fmt.Errorf("%d actions instead of 2", len(marks))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &verbRun{verb: marks[1].Name, target: marks[0].Name, log: log, settled: marks[1].From}, nil
}
