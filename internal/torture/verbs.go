package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/storage/storagetest"
)

// Each verb of the command that writes runs once under strace, on each kind of file that it makes,
// changes or replaces. Then every crash of it is put together from the trace. What a verb was about
// to replace must be there, or what replaces it; only that once the process has ended without an
// error. Permissions must be as before, and durable before the new name is.

// A verbRunner has what every case needs.
type verbRunner struct {
	*crasher
	binary, inputs, golden string
	record                 string // directory for traces, or ""
	sweep                  storagetest.Sweep
}

// crashVerbs runs every case whose name contains some text, and looks at what its crashes leave.
// Where processes cannot be traced it takes the traces that were recorded earlier.
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
		crasher: c, binary: s.binary, inputs: filepath.Join(dir, "inputs"),
		golden: filepath.Join(s.goldens, foreignFile), record: s.record, sweep: sweep,
	}
	if v.binary == "" {
		v.binary = filepath.Join(dir, "cairn")
		build := exec.Command("go", "build", "-o", v.binary, "./cmd/cairn")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build the command: %w: %s", err, out)
		}
	}
	if err := v.makeInputs(); err != nil {
		return err
	}
	var jobs []func() error
	for _, one := range verbCases() {
		if strings.Contains(one.String(), s.verbs) {
			jobs = append(jobs, func() error { return v.crashVerb(one) })
		}
	}
	return c.inTurn(jobs)
}

// inTurn runs jobs by all workers, as long as there is time.
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

// makeInputs makes what verbs read.
func (v *verbRunner) makeInputs() error {
	if err := os.Mkdir(v.inputs, 0o755); err != nil {
		return err
	}
	shapes := map[string][2]int{oldNPY: {60, 40}, newNPY: {20, 40}, narrowNPY: {3, 7}}
	for name, shape := range shapes {
		if err := os.WriteFile(filepath.Join(v.inputs, name), npyOf(shape), 0o644); err != nil {
			return err
		}
	}
	for _, line := range []string{
		"import" + partsOf + newNPY + " other.b2nd", "import " + narrowNPY + " small.b2nd",
		"copy other.b2nd other.b2d::/x", "copy small.b2nd other.b2d::/y/z",
	} {
		if err := v.cairn(v.inputs, line); err != nil {
			return err
		}
	}
	return nil
}

// npyOf makes an .npy file of items that compress a little.
func npyOf(shape [2]int) []byte {
	header := "{'descr': '<i4', 'fortran_order': False, "
	header += fmt.Sprintf("'shape': (%d, %d), }", shape[0], shape[1])
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	b = append(b, header...)
	for i := range shape[0] * shape[1] {
		b = binary.LittleEndian.AppendUint32(b, uint32(i*7919%251))
	}
	return b
}

// cairn runs the command without looking at it.
func (v *verbRunner) cairn(dir, line string) error {
	cmd := exec.Command(v.binary, strings.Fields(line)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cairn %s: %w: %s", line, err, out)
	}
	return nil
}

// prepare makes what a case works on, with permissions that new files do not get by themselves.
func (v *verbRunner) prepare(dir string, one verbCase) error {
	if err := os.CopyFS(dir, os.DirFS(v.inputs)); err != nil {
		return err
	}
	for _, line := range one.make {
		if strings.HasPrefix(line, "copy the file") {
			data, err := os.ReadFile(v.golden)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, one.name), data, 0o644)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := v.cairn(dir, strings.ReplaceAll(line, "%s", one.name)); err != nil {
			return err
		}
	}
	return eachMode(filepath.Join(dir, one.name), func(name string, want, _ fs.FileMode) error {
		return os.Chmod(name, want)
	})
}

// eachMode calls f with the names of a tree, the mode that each is given here, and the one that it
// has.
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

// crashVerb runs a case and looks at every crash.
func (v *verbRunner) crashVerb(one verbCase) error {
	dir, err := os.MkdirTemp(filepath.Dir(v.inputs), "case-")
	if err != nil {
		return err
	}
	if err := v.prepare(dir, one); err != nil {
		return fmt.Errorf("%v: %w", one, err)
	}
	line := strings.Fields(strings.ReplaceAll(one.run, "%s", one.name))
	calls, settled, err := traceRun(dir, append([]string{v.binary}, line...)...)
	if err != nil {
		return fmt.Errorf("%v: %w", one, err)
	}
	if len(one.make) > 0 {
		err := eachMode(filepath.Join(dir, one.name), func(name string, want, has fs.FileMode) error {
			if has != want {
				return fmt.Errorf("%w: %s has the mode %v instead of %v", errDiffers, name, has, want)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%v: %w", one, err)
		}
	}
	if v.record != "" {
		if err := recordVerb(v.record, one, calls.ops, settled); err != nil {
			return err
		}
	}
	run := verbRun{one.String(), one.name, storagetest.NewLog(calls.ops), settled}
	return errors.Join(v.crashRun(&run, v.sweep), os.RemoveAll(dir))
}

// A verbRun is what a verb did, after what made its target.
type verbRun struct {
	verb, target string
	log          *storagetest.Log
	settled      int // operations before the first of the verb, which are durable
}

// crashRun looks at every crash of a sweep.
func (c *crasher) crashRun(r *verbRun, sweep storagetest.Sweep) error {
	last := len(r.log.Ops)
	before, err := r.look(storagetest.Crash{Model: storagetest.Kill, At: r.settled, From: r.settled})
	if err != nil {
		return fmt.Errorf("%s: before: %w", r.verb, err)
	}
	after, err := r.look(storagetest.Crash{Model: storagetest.Kill, At: last, From: r.settled})
	if err != nil || after == before {
		return fmt.Errorf("%s: %v is before, %v after: %w", r.verb, before, after, errors.Join(err, errDiffers))
	}
	sweep.Durable = r.settled
	t := tally{Programs: 1}
	for crash := range r.log.Crashes(sweep, r.settled, last) {
		if c.over() {
			break
		}
		t.crash(crash.Model)
		got, err := r.look(crash)
		done := crash.At == last && crash.Model != storagetest.Torn
		if err == nil && got != after && (done || got != before) {
			err = fmt.Errorf("%w: %v, want %v or %v", errDiffers, got, before, after)
		}
		if err != nil {
			t.Lost++
			text := fmt.Sprintf("%s: %v\n%s", r.verb, err, r.log.Describe(crash))
			c.report.fail(failure{Section: "verbs", Crash: crash.String(), Text: text}, r.log)
		}
	}
	c.report.sum(c.report.Verbs, r.verb, t)
	return nil
}

func (r *verbRun) look(crash storagetest.Crash) (content, error) {
	return lookAtTarget(r.log.Image(crash), r.target)
}
