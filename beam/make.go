package cairnbeam

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Make makes the arrays of a PCollection of [Order], and returns a PCollection of their paths, each
// of which comes once the array is committed. Orders in a PCollection have different jobs and
// outputs, and do not depend on each other.
//
// An order whose bundle fails, or whose pipeline is run again, goes on where it was. If its folder
// has the job of another order, or an input has changed since it was planned, the pipeline fails
// with an error that matches [cairn.ErrConflict] where it occurs. A process runs one task at a
// time, with as many goroutines and as much memory as the options of the order say.
func Make(s beam.Scope, orders beam.PCollection) beam.PCollection {
	s = s.Scope("cairnbeam.Make")
	tasks := beam.ParDo(s, &planFn{}, orders)
	done := beam.ParDo(s, &workFn{}, beam.Reshuffle(s, tasks))
	return beam.ParDo(s, &sealFn{}, beam.GroupByKey(s, done))
}

func init() {
	register.DoFn3x1[context.Context, Order, func(task), error](&planFn{})
	register.DoFn3x1[context.Context, task, func(string, string), error](&workFn{})
	register.DoFn4x1[context.Context, string, func(*string) bool, func(string), error](&sealFn{})
	register.Emitter1[task]()
	register.Emitter1[string]()
	register.Emitter2[string, string]()
	register.Iter1[string]()
}

// A task is one of a job, or none: so that jobs without tasks are sealed too.
type task struct {
	Job    string
	Plan   string // its ID
	Number int64
}

const noTask = -1

// planFn turns an order into the tasks of its job.
type planFn struct{}

func (*planFn) ProcessElement(ctx context.Context, o Order, emit func(task)) error {
	j, err := o.plan(ctx)
	if err != nil {
		return inJob(o.Job, err)
	}
	p := j.Plan()
	for n := int64(noTask); n < p.Tasks; n++ {
		emit(task{o.Job, p.ID, n})
	}
	return nil
}

// workFn runs tasks. It returns the ID of the plan for each, by job.
type workFn struct {
	tasks beam.Counter
}

func (f *workFn) Setup() {
	f.tasks = beam.NewCounter("cairn", "tasks")
	processWorkers.retain()
}

func (*workFn) Teardown() error { return processWorkers.release() }

func (f *workFn) ProcessElement(ctx context.Context, t task, emit func(string, string)) error {
	if t.Number != noTask {
		if err := processWorkers.run(ctx, t); err != nil {
			return inJob(t.Job, err)
		}
		f.tasks.Inc(ctx, 1)
	}
	emit(t.Job, t.Plan)
	return nil
}

// sealFn seals jobs of which all tasks are done.
type sealFn struct{}

func (*sealFn) ProcessElement(ctx context.Context, path string, plans func(*string) bool, emit func(string)) error {
	j, err := openJob(ctx, path)
	if err != nil {
		return inJob(path, err)
	}
	for id := ""; plans(&id); {
		if err := checkPlan(j, id); err != nil {
			return inJob(path, err)
		}
	}
	if err := j.Seal(ctx, nil); err != nil {
		return inJob(path, err)
	}
	emit(j.Plan().Output.Path)
	return nil
}

func inJob(path string, err error) error { return fmt.Errorf("cairnbeam: job %s: %w", path, err) }
