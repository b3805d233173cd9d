package ndarray

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
)

// Save writes a copy of a source to path: [PlanCopy] and [CopyPlan.Run] in one call. o may be nil.
// Staged changes are included. The copy of an array, or of views of some, has the encoding and the
// metalayers of the first of them.
func Save(ctx context.Context, path string, src Source, o *CopyOptions) error {
	p, err := PlanCopy(src, o)
	if err != nil {
		return err
	}
	return p.Run(ctx, path)
}

// Copy returns a copy of a source in memory, like the one that [Save] writes. o may be nil. The
// caller closes it.
func Copy(ctx context.Context, src Source, o *CopyOptions) (*Untyped, error) {
	p, err := PlanCopy(src, o)
	if err != nil {
		return nil, err
	}
	return handleOf(p.make(ctx, ""))
}

// Run makes the copy at path. The path is created when the copy is complete; after an error or the
// end of ctx no file is left. Run fails with [cairn.ErrConflict] if the shape of the source has
// changed since the copy was planned.
func (p *CopyPlan) Run(ctx context.Context, path string) error {
	if path == "" {
		return fmt.Errorf("copy: an empty path; Copy makes arrays in memory: %w", cairn.ErrBounds)
	}

	made, err := p.make(ctx, path)
	if err != nil {
		return err
	}
	if err := orAbort(made.abort, func() error { return made.commit(ctx) }); err != nil {
		return err
	}
	return made.close()
}

// Empty returns the copy without its items: an array in memory with the shape, the encoding and the
// metalayers that the copy will have, and zeros for items. Chunks that are written to it are those
// of the copy. The caller closes it.
func (p *CopyPlan) Empty(ctx context.Context) (*Untyped, error) {
	nothing := func(context.Context, *array) error { return nil }
	if p.copy.source != nil {
		return handleOf(p.copy.run(ctx, "", nothing))
	}
	return handleOf(p.join(ctx, "", nothing))
}

// make makes the copy at path, or in memory if that is empty, without committing it.
func (p *CopyPlan) make(ctx context.Context, path string) (*array, error) {
	if p.copy.source != nil {
		return p.copy.run(ctx, path, nil)
	}
	return p.join(ctx, path, nil)
}

// join makes the copy of a view that is not a whole array. fill fills it with items; nil means
// those of the view.
func (p *CopyPlan) join(ctx context.Context, path string,
	fill func(context.Context, *array) error) (made *array, err error) {
	j, err := p.of.joinPlan(ctx, &p.copy.options)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, j.end())
		if err != nil && made != nil {
			err = errors.Join(err, made.abort())
			made = nil
		}
	}()

	if fill == nil {
		fill = j.fill
	}
	made, err = j.plan.create(ctx, path, j.first, j.first.last.Load(), fill)
	if err != nil {
		return nil, err
	}

	made.workers = j.workers
	return made, p.of.relabel(made)
}
