package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/jobtext"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/suggest"
	jobs "github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// jobFlags are the flags of all actions of job.
type jobFlags struct {
	reduceFlags               // of plan; those of a copy are among them
	expression, taskSize, ops string
	join                      bool
	tasks, shard              string // of work
	lease                     time.Duration
	asJSON                    bool
	path                      string // of the job
}

// jobActions are what job does.
func jobActions() []string { return []string{"plan", "work", "seal", "status", "cancel", "remove"} }

func jobVerb(set *flag.FlagSet) action {
	var f jobFlags
	f.copyFlags.declare(set)
	set.StringVar(&f.expression, "calc", "", "plan: OUT is the result of `EXPRESSION` over inputs NAME=PATH, as for calc")
	set.BoolVar(&f.join, "concat", false, "plan: OUT joins all inputs along -axis")
	set.StringVar(&f.ops, "reduce", "", "plan: OUT is the result of `OP`, or a store of those of several, as for reduce -op")
	set.StringVar(&f.axes, "axis", "", "plan: with -concat, join along `AXIS`, 0 by default; "+
		"with -reduce, reduce these axes, all by default: numbers or names of dimensions")
	set.BoolVar(&f.reduceFlags.keep, "keepdims", false, "plan: with -reduce, keep the reduced dimensions, with one item")
	f.declareNaN(set, "plan: with -reduce, ")
	set.BoolVar(&f.raw, "raw", false, "plan: with -calc or -reduce, "+rawUsage)
	set.IntVar(&f.ddof, "ddof", 0, "plan: with -reduce of std and var, divide by the number of items minus `N`")
	set.StringVar(&f.taskSize, "size", "", "plan: `SIZE` of the items of a task, such as 64M; an eighth of -memory by default")
	set.StringVar(&f.tasks, "tasks", "", "work: run these `TASKS`, such as 0-9,12; what nobody else runs by default")
	set.StringVar(&f.shard, "shard", "", "work: run each Nth task from task I on, as `I/N`")
	set.DurationVar(&f.lease, "lease", time.Minute, "work: take over tasks of workers that show no life for "+
		"`DURATION`; 1m by default")
	set.BoolVar(&f.asJSON, "json", false, "print the status as JSON")

	return func(ctx context.Context, std *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no %s given", oneOf(jobActions()))
		}

		what := operands[0]
		operands = operands[1:]
		if what == "plan" { // when there is no job yet
			return f.plan(ctx, std, operands)
		}
		do := map[string]func(ctx context.Context, std *streams, j *jobs.Job) error{
			"work": f.work, "seal": sealJob, "status": f.status, "cancel": f.cancel, "remove": f.remove}[what]
		if do == nil {
			return usagef("unknown action %q: want %s%s", what, oneOf(jobActions()),
				suggest.Question(what, jobActions()))
		}
		if err := wantOperands(operands, "JOB"); err != nil {
			return err
		}

		f.path = operands[0]
		b, dir := std.jobBucket(f.path)
		j, err := jobs.Open(ctx, b, dir, nil)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: there is no job; cairn job plan makes one: %w", f.path, err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", operands[0], err)
		}

		j.Place(std.at.FS(place.Of(j.Plan().Output.Path)))
		if err := do(ctx, std, j); err != nil || what == "status" || what == "remove" || !f.asJSON {
			return err
		}
		return f.status(ctx, std, j)
	}
}

// jobBucket returns where the objects of a job are: a directory, or a folder of a bucket.
func (std *streams) jobBucket(path string) (b storage.Bucket, dir string) {
	if !place.Of(path).Far() {
		return storage.FSBucket(storage.OS(), path), ""
	}
	_, b = std.at.Buckets.At(path).Bucket()
	return b, strings.TrimSuffix(path, "/")
}

// jobInput opens an input of a job.
func (std *streams) jobInput(ctx context.Context, path string) (ndarray.Source, func() error, error) {
	o, err := std.openSource(ctx, place.Of(path), "job", inAnyOrder(0))
	if err != nil {
		return nil, nil, err
	}
	return o.src, o.Close, nil
}

// work runs tasks.
func (f *jobFlags) work(ctx context.Context, std *streams, j *jobs.Job) error {
	o := &jobs.WorkOptions{Lease: f.lease}
	p := j.Plan()
	var err error
	if o.Tasks, err = f.chosenTasks(p.Tasks); err != nil {
		return err
	}
	s, err := j.Status(ctx)
	if err != nil {
		return err
	}
	if s.Sealed {
		return std.Print(ctx, std.Wrapped("sealed: nothing is left to do; "+f.leftover()))
	}

	share := jobtext.TaskBytes(p)
	count := p.Tasks
	if o.Tasks != nil {
		count = int64(len(o.Tasks))
	}
	bar := std.newBar("working", count*share)
	defer bar.Close()
	o.Progress = func(int64) { bar.Add(share) }
	defer keepWithin(p.Memory)()
	return j.Work(ctx, std.jobInput, o)
}

// leastLimit is a limit of memory that no process has trouble to stay below.
const leastLimit = 64 << 20

// keepWithin has the garbage collector keep the process within the memory that its plan states:
// otherwise it would let garbage take as much again. GOMEMLIMIT has precedence. The function that
// it returns ends that.
func keepWithin(memory int64) (end func()) {
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return func() {}
	}
	debug.SetMemoryLimit(max(memory, leastLimit))
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}

// chosenTasks returns the tasks that flags name, or nil.
func (f *jobFlags) chosenTasks(count int64) ([]int64, error) {
	var tasks []int64
	add := func(from, to, step int64) {
		for task := from; task < to; task += step {
			tasks = append(tasks, task)
		}
	}

	switch {
	case f.tasks != "" && f.shard != "":
		return nil, usagef("-tasks and -shard cannot be combined")
	case f.shard != "":
		tasks = []int64{}
		first, of, _ := strings.Cut(f.shard, "/")
		i, err1 := strconv.ParseInt(first, 10, 64)
		n, err2 := strconv.ParseInt(of, 10, 64)
		if err1 != nil || err2 != nil || i < 0 || i >= n {
			return nil, usagef("-shard: %q is not I/N, such as 0/16 to 15/16", f.shard)
		}
		add(i, count, n)
	case f.tasks != "":
		for text := range strings.SplitSeq(f.tasks, ",") {
			first, last, ok := strings.Cut(strings.TrimSpace(text), "-")
			if !ok {
				last = first
			}

			from, err1 := strconv.ParseInt(first, 10, 64)
			to, err2 := strconv.ParseInt(last, 10, 64)
			if err1 != nil || err2 != nil || from < 0 || to < from || to >= count {
				return nil, usagef("-tasks: %q is not such as 0-9,12, with tasks from 0 to %d", f.tasks, count-1)
			}
			add(from, to+1, 1)
		}
	}

	return tasks, nil
}

// sealJob commits the output.
func sealJob(ctx context.Context, std *streams, j *jobs.Job) error {
	share := jobtext.TaskBytes(j.Plan())
	before := int64(0)
	bar := std.newBar("sealing", j.Plan().Tasks*share)
	defer bar.Close()
	return j.Seal(ctx, &jobs.SealOptions{Progress: func(done, _ int64) {
		bar.Add(max(0, done-before) * share)
		before = max(before, done)
	}})
}

// cancel gives a job up, unless it is sealed.
func (f *jobFlags) cancel(ctx context.Context, _ *streams, j *jobs.Job) error {
	s, err := j.Status(ctx)
	if err != nil {
		return err
	}
	if s.Sealed {
		return fmt.Errorf("%s: the job is sealed, and %s is complete; %s: %w", f.path, j.Plan().Output.Path,
			f.leftover(), cairn.ErrConflict)
	}
	return j.Cancel(ctx)
}

// leftover says what becomes of the objects of a job that is sealed.
func (f *jobFlags) leftover() string {
	return "nobody needs " + f.path + " any more: cairn job remove " + f.path
}

// remove removes the objects of a job that is sealed or cancelled. Its directory stays with the
// lock, which another process may hold.
func (f *jobFlags) remove(ctx context.Context, std *streams, j *jobs.Job) error {
	if err := j.Remove(ctx); err != nil || place.Of(f.path).Far() {
		return err
	}

	var folders []string
	err := filepath.WalkDir(filepath.Join(f.path, j.Plan().ID), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	for _, folder := range slices.Backward(folders) {
		_ = os.Remove(folder) // a worker may have put something meanwhile
	}
	return nil
}

// status prints how far a job is.
func (f *jobFlags) status(ctx context.Context, std *streams, j *jobs.Job) error {
	s, err := j.Status(ctx)
	if err != nil {
		return err
	}

	if f.asJSON {
		return std.PrintJSON(ctx, map[string]any{"id": j.Plan().ID, "kind": j.Plan().Kind,
			"output": j.Plan().Output.Path, "state": jobtext.State(s), "tasks": s.Tasks, "done": s.Done,
			"running": s.Running, "missing": append([]int64{}, s.Missing...),
			"memory": j.Plan().Memory, "reads": j.Plan().Reads})
	}

	text := std.Wrapped(fmt.Sprintf("%s: %d of %d tasks done, %d running", jobtext.State(s), s.Done, s.Tasks, s.Running))
	if columns := std.Columns(); columns > 0 && s.Tasks > 0 {
		text += jobtext.Bar(s, min(columns, 60)) + "\n"
	}
	if missing := jobtext.Missing(s, 10); missing != "" {
		text += std.Wrapped("not done: " + missing)
	}
	if state := jobtext.State(s); state == "done" || state == "sealing" {
		text += std.Wrapped("next: cairn job seal " + f.path)
	}
	return std.Print(ctx, text)
}
