package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// Each verb of the command that writes runs once under strace, on each kind of file that it makes,
// changes or replaces. Then crashRun simulates every crash from the trace. Permissions must stay
// the same, and must be durable before a rename. The verb must not change other files or leave
// temporary ones.

// A verbRunner holds what all cases share.
type verbRunner struct {
	*crasher
	binary, inputs string
	record         string // directory for traces, or ""
	sweep          storagetest.Sweep

	mutex   sync.Mutex
	targets map[string]string // prepared directories, by kind of target
}

// crashVerbs runs every case whose name contains the given text, and checks the states after its
// crashes. If strace does not work, it uses recorded traces.
func (c *crasher) crashVerbs(s *settings, sweep storagetest.Sweep) error {
	if err := exec.Command("strace", "-o", os.DevNull, "true").Run(); err != nil && s.record == "" {
		c.report.Recorded = fmt.Sprintf("verbs: strace: %v", err)
		return c.replayVerbs(filepath.Join(s.traces, recordedVerbs), s.verbs, sweep)
	}
	dir, err := os.MkdirTemp("", "torture-verbs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	v := &verbRunner{
		crasher: c, binary: s.binary, inputs: filepath.Join(dir, "inputs"), record: s.record, sweep: sweep,
		targets: map[string]string{},
	}
	if v.binary == "" {
		if v.binary, err = harness.Build(dir); err != nil {
			return err
		}
	}
	if err := v.makeInputs(); err != nil {
		return err
	}

	var jobs []func() error
	for _, one := range allVerbCases() {
		if strings.Contains(one.String(), s.verbs) && !(one.slow && c.thin > 1) {
			jobs = append(jobs, func() error {
				if err := v.crashVerb(one); err != nil {
					return fmt.Errorf("%v: %w", one, err)
				}
				return nil
			})
		}
	}
	return c.inTurn(jobs)
}

// inTurn runs jobs with all workers, until the time is over.
func (c *crasher) inTurn(jobs []func() error) error {
	c.allot(1)
	var group sync.WaitGroup
	queue := make(chan func() error)
	errs := make([]error, c.workers)
	for w := range c.workers {
		group.Go(func() {
			for job := range queue {
				errs[w] = errors.Join(errs[w], job())
			}
		})
	}

	for _, job := range jobs {
		if !c.over() {
			queue <- job
		}
	}
	close(queue)
	group.Wait()
	return errors.Join(errs...)
}

// crashVerb runs a case and checks every crash.
func (v *verbRunner) crashVerb(one verbCase) error {
	dir, err := os.MkdirTemp(filepath.Dir(v.inputs), "case-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	before, err := v.prepared(one)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(before)); err != nil {
		return err
	}

	target := filepath.Join(dir, one.name)
	// These permissions must still be there when the verb has replaced the target.
	err = eachMode(target, func(name string, want, _ fs.FileMode) error { return os.Chmod(name, want) })
	if err != nil {
		return err
	}

	words := strings.Fields(strings.ReplaceAll(one.run, "%s", one.name))
	calls, settled, err := traceRun(dir, one.lack, append([]string{v.binary}, words...)...)
	if err == nil {
		err = calls.mindedItsOwn(one.name, settled)
	}
	if err == nil && len(one.make) > 0 {
		err = eachMode(target, func(name string, want, has fs.FileMode) error {
			if has != want {
				return fmt.Errorf("%w: %s has the mode %v instead of %v", errDiffers, name, has, want)
			}
			return nil
		})
	}

	if err == nil && v.record != "" {
		err = recordVerb(v.record, one, calls.ops, settled)
	}
	if err != nil {
		return err
	}

	run := verbRun{verb: one.String(), target: one.name, log: storagetest.NewLog(calls.ops), settled: settled}
	run.again = func(image storage.FS) (content, error) { return v.again(image, one.name, words) }
	sweep := v.sweep
	if one.slow {
		sweep.Samples = sweep.Samples / 10
		sweep.Bytes = sweep.Bytes / 10
	}
	return v.crashRun(&run, sweep)
}

// eachMode calls f with each name of a tree, the mode that the test sets for it, which differs from
// that of new files, and its current mode.
func eachMode(root string, f func(name string, want, has fs.FileMode) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == root {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o640)
		if d.IsDir() {
			want = 0o750
		}
		return f(name, want, info.Mode().Perm())
	})
}

// again runs a verb on the image after a crash, and returns the state of the target.
func (v *verbRunner) again(image storage.FS, target string, words []string) (content, error) {
	dir, err := os.MkdirTemp(filepath.Dir(v.inputs), "again-")
	if err != nil {
		return content{}, err
	}
	defer os.RemoveAll(dir)
	if err := writeOut(image, ".", dir); err != nil {
		return content{}, err
	}
	if err := v.cairn(dir, words); err != nil {
		return content{}, err
	}
	return lookAtTarget(storage.OS(), filepath.Join(dir, target))
}
