package cairnbeam

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/job"
)

// workers are those of a process, with their inputs. All instances of workFn share them, because
// each worker computes the reductions in an expression.
type workers struct {
	// turn has one value, which whoever uses the workers takes and gives back.
	turn chan *turn
}

type turn struct {
	users int // instances of workFn
	open  recent[*job.Worker]
}

var processWorkers = newWorkers()

func newWorkers() *workers {
	w := &workers{make(chan *turn, 1)}
	w.turn <- &turn{}
	return w
}

// retain keeps workers open until as many calls of release.
func (w *workers) retain() {
	t := <-w.turn
	t.users++
	w.turn <- t
}

func (w *workers) release() (err error) {
	t := <-w.turn
	if t.users--; t.users == 0 {
		err = t.open.Close()
	}
	w.turn <- t
	return err
}

// run runs a task while no other one runs.
func (w *workers) run(ctx context.Context, job task) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case t := <-w.turn:
		defer func() { w.turn <- t }()
		return t.run(ctx, job)
	}
}

func (t *turn) run(ctx context.Context, of task) error {
	worker, err := t.open.get(of.Plan, func() (*job.Worker, error) {
		j, err := openJob(ctx, of.Job)
		if err != nil {
			return nil, err
		}

		if err = checkPlan(j, of.Plan); err != nil {
			return nil, err
		}
		// The worker outlives the context of its first task.
		return j.NewWorker(context.WithoutCancel(ctx), openInput)
	})
	if err != nil {
		return err
	}
	if err = worker.Run(ctx, of.Number); err != nil {
		err = errors.Join(err, t.open.drop(of.Plan)) // the next attempt looks at the inputs again
	}
	return err
}

// checkPlan fails if a job has another plan than this.
func checkPlan(j *job.Job, id string) error {
	if have := j.Plan().ID; have != id {
		return fmt.Errorf("there is another plan, %s, than %s: %w", have, id, cairn.ErrConflict)
	}
	return nil
}
