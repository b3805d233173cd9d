package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cairn-go/cairn"
)

// Remove removes the objects of a job that is sealed or cancelled, so that its folder can have
// another. It fails with [cairn.ErrConflict] for any other. If it ends early, call it again. What
// workers have put at the place of the output stays.
func (j *Job) Remove(ctx context.Context) error {
	if err := j.remove(ctx); err != nil {
		return fmt.Errorf("remove job: %w", err)
	}
	return nil
}

func (j *Job) remove(ctx context.Context) error {
	f, err := j.fence(ctx)
	if err != nil {
		return err
	}
	_, err = j.bucket.Stat(ctx, j.name("sealed"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil && (f == nil || !f.Cancelled) {
		return fmt.Errorf("it is neither sealed nor cancelled: %w", cairn.ErrConflict)
	}

	// The fence goes last, and after the plan: without it, the job would be one to work on.
	for _, prefix := range []string{partPrefix, claimPrefix} {
		if err := j.removeAll(ctx, j.name(prefix)); err != nil {
			return err
		}
	}
	if err := j.bucket.Delete(ctx, under(j.dir, planName)); err != nil {
		return err
	}
	return j.removeAll(ctx, j.name(""))
}

// removeAll removes all objects whose names begin with a prefix.
func (j *Job) removeAll(ctx context.Context, prefix string) error {
	for at, err := range j.bucket.List(ctx, prefix) {
		if err != nil {
			return err
		}

		if err = j.bucket.Delete(ctx, at.Name); err != nil {
			return err
		}
	}
	return nil
}
