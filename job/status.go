package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// A Status says how far a job is.
type Status struct {
	Tasks   int64 // of the plan
	Done    int64
	Running int64   // claimed, but not done; a killed worker leaves its claim
	Missing []int64 // the first tasks that are not done, at most 1000
	// Sealing says that a Seal has begun to commit the output, Sealed that one has done so.
	Sealing, Sealed, Cancelled bool
}

// mostMissing is how many missing tasks a Status names.
const mostMissing = 1000

// Status looks at what is in the bucket.
func (j *Job) Status(ctx context.Context) (Status, error) {
	s, err := j.status(ctx)
	if err != nil {
		return s, fmt.Errorf("status of job: %w", err)
	}
	return s, nil
}

func (j *Job) status(ctx context.Context) (Status, error) {
	s := Status{Tasks: j.plan.Tasks}
	claimed := map[int64]bool{}
	for at, err := range j.bucket.List(ctx, j.name(claimPrefix)) {
		if err != nil {
			return s, err
		}
		if task, _, ok := j.taskOf(at.Name, claimPrefix); ok {
			claimed[task] = true
		}
	}

	next := int64(0) // the task after the last one that is done
	missing := func(until int64) {
		for ; next < until && len(s.Missing) < mostMissing; next++ {
			s.Missing = append(s.Missing, next)
		}
	}

	for at, err := range j.bucket.List(ctx, j.name(partPrefix)) {
		if err != nil {
			return s, err
		}
		if task, _, ok := j.taskOf(at.Name, partPrefix); ok && task >= next {
			missing(task)
			next = task + 1
			s.Done++
			delete(claimed, task)
		}
	}

	missing(s.Tasks)
	s.Running = int64(len(claimed))

	f, err := j.fence(ctx)
	if err != nil {
		return s, err
	}
	if f != nil {
		s.Cancelled = f.Cancelled
		s.Sealing = !f.Cancelled
	}

	_, err = j.bucket.Stat(ctx, j.name("sealed"))
	if s.Sealed = err == nil; errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return s, err
}
