package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// SealOptions say how the output is committed.
type SealOptions struct {
	Path string // empty means that of the plan
	// file system of the path; nil means that of [Job.Place], or the operating system's
	FS            storage.FS
	frame.Commits // of the output
	// Progress is called with the number of tasks whose chunks are in the output, and of all.
	Progress func(done, of int64)
}

// Seal checks that all tasks are done, makes the output of what they made, and commits it in one
// step. It fails with [cairn.ErrNotFound] if tasks are missing, and with [cairn.ErrConflict] if the
// job was cancelled or if there is something else at the path. Sealing again, also at the same
// time, does no harm: an output that is there already is compared. If a part is damaged, Seal
// removes it and fails with [cairn.ErrCorrupt]; Work makes it again.
func (j *Job) Seal(ctx context.Context, o *SealOptions) error {
	given := *cmp.Or(o, &SealOptions{})
	if given.FS == nil {
		given.FS = j.output
	}
	if err := j.seal(ctx, &given, cmp.Or(given.Path, j.plan.Output.Path)); err != nil {
		return fmt.Errorf("seal job: %w", err)
	}
	return nil
}

func (j *Job) seal(ctx context.Context, o *SealOptions, path string) error {
	if f, err := j.fence(ctx); err != nil || f != nil && f.Cancelled {
		return cmp.Or(err, errCancelled)
	}

	if _, err := j.bucket.Stat(ctx, j.name("sealed")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	parts, err := j.parts(ctx)
	if err != nil {
		return err
	}

	out, err := j.result(ctx, o, path, parts)
	if err != nil {
		return err
	}

	f, err := out.create(ctx)
	switch {
	case errors.Is(err, fs.ErrExist):
		err = out.compare(ctx)
	case err == nil:
		if err = j.raiseForSeal(ctx); err != nil {
			err = errors.Join(err, f.Abort())
			break
		}
		err = commit(ctx, f)
		if errors.Is(err, fs.ErrExist) || errors.Is(err, cairn.ErrConflict) {
			err = out.compare(ctx) // somebody else has sealed it meanwhile
		}
	}

	if err != nil {
		if f, failed := j.fence(ctx); failed == nil && f != nil && f.Cancelled {
			return errCancelled // and what is at the path may be of the next job
		}
		return err
	}

	// What is lost if this fails is only that the next Seal need not compare.
	_, err = j.bucket.Put(ctx, j.name("sealed"), []byte(path+"\n"), storage.When{})
	return err
}

// A result is what Seal makes of the parts.
type result interface {
	// create makes the output without committing it. It fails with fs.ErrExist if there is
	// something at the path.
	create(ctx context.Context) (pending, error)
	// compare fails unless the output is at its path already.
	compare(ctx context.Context) error
}

// A pending output is not committed yet, like a *frame.Frame.
type pending interface {
	Commit(ctx context.Context) error
	Abort() error
	Close() error
}

// result returns what is made of the parts.
func (j *Job) result(ctx context.Context, o *SealOptions, path string, parts []partKey) (result, error) {
	if j.plan.Kind != Reduce {
		most, err := j.mostPart()
		return &sealedArray{j, o, path, func(look func(inside.Deposit) error, do func(chunks []numbered) error) error {
			return j.each(ctx, o, parts, func(int64) int64 { return most }, look, do)
		}}, err
	}

	made, err := j.merge(ctx, o, parts)
	if err != nil {
		return nil, err
	}

	if len(j.plan.Leaves) > 0 {
		return &sealedStore{j, o, path, made}, nil
	}
	return &sealedArray{j, o, path, func(_ func(inside.Deposit) error, do func(chunks []numbered) error) error {
		return chunksOf(made[0].Frame(), do)
	}}, nil
}

// raiseForSeal raises the fence, after which the output may be committed.
func (j *Job) raiseForSeal(ctx context.Context) error {
	cancelled, err := j.raise(ctx, false)
	if err == nil && cancelled {
		err = errCancelled
	}
	return err
}

// commit commits the output.
func commit(ctx context.Context, f pending) error {
	if err := f.Commit(ctx); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// A partKey tells the part of a task: the hash in its name, and its bytes.
type partKey struct {
	hash uint64
	size int64
}

// parts returns the parts of all tasks in order: the first one of each.
func (j *Job) parts(ctx context.Context) ([]partKey, error) {
	keys := make([]partKey, 0, min(j.plan.Tasks, 1<<20))
	for at, err := range j.bucket.List(ctx, j.name(partPrefix)) {
		if err != nil {
			return nil, err
		}

		task, hash, ok := j.taskOf(at.Name, partPrefix)
		switch {
		case !ok || task < int64(len(keys)): // another part of the same task
		case task > int64(len(keys)):
			return nil, fmt.Errorf("task %d of %d is not done: %w", len(keys), j.plan.Tasks, cairn.ErrNotFound)
		default:
			keys = append(keys, partKey{hash, at.Size})
		}
	}

	if n := int64(len(keys)); n < j.plan.Tasks {
		return nil, fmt.Errorf("task %d of %d is not done: %w", n, j.plan.Tasks, cairn.ErrNotFound)
	}
	return keys, nil
}

// mostFetches is how many parts are read at the same time.
const mostFetches = 64

// each calls do with the chunks of each part, in order. Parts are read some at a time, as many as a
// worker has memory for. most returns how many bytes the part of a task may have. look, which may
// be nil, is called for a chunk with an object of each part.
func (j *Job) each(
	ctx context.Context, o *SealOptions, parts []partKey, most func(task int64) int64,
	look func(inside.Deposit) error, do func(chunks []numbered) error,
) error {
	memory := j.plan.Memory / 2
	if j.plan.Kind == Reduce {
		memory /= 4 // the results are in memory too
	}

	var chunks [mostFetches][]numbered
	for first := 0; first < len(parts); {
		n := 0
		bytes := int64(0)
		for n < min(mostFetches, len(parts)-first) && (n == 0 || bytes+parts[first+n].size <= memory) {
			bytes += parts[first+n].size
			n++
		}

		err := parallel.For(ctx, n, n, func(_, i int) (err error) {
			task := int64(first + i)
			chunks[i], err = j.fetch(ctx, task, parts[first+i].hash, most(task), look)
			return err
		})

		for i := 0; i < n && err == nil; i++ {
			err = inTask(int64(first+i), do(chunks[i]))
			chunks[i] = nil
			if o.Progress != nil && err == nil {
				o.Progress(int64(first+i)+1, j.plan.Tasks)
			}
		}
		if err != nil {
			return err
		}

		first += n
	}
	return nil
}

// fetch returns the chunks of the part of a task. It removes a part that is damaged.
func (j *Job) fetch(
	ctx context.Context, task int64, hash uint64, most int64, look func(inside.Deposit) error,
) (chunks []numbered, err error) {
	name := j.partName(task, hash)
	raw, err := get(ctx, j.bucket, name, most)
	if err != nil {
		return nil, inTask(task, err)
	}

	p, err := parsePart(raw, j.plan.ID, task)
	if err == nil {
		chunks, err = p.chunks()
	}

	if k := slices.IndexFunc(chunks, func(c numbered) bool { return c.object != 0 }); err == nil && k >= 0 && look != nil {
		err = look(chunks[k].deposit())
	}

	if errors.Is(err, cairn.ErrCorrupt) {
		err = errors.Join(fmt.Errorf("%w: %w", err, errDamaged), j.bucket.Delete(ctx, name))
	}
	return chunks, inTask(task, err)
}

// errDamaged marks errors of a part itself.
var errDamaged = errors.New("the part was removed, run the task again")

// mostPart returns how many bytes a part can have: each chunk may be a little larger than its
// items.
func (j *Job) mostPart() (int64, error) {
	to, err := j.plan.partition()
	if err != nil {
		return 0, err
	}

	chunks := j.plan.Together
	for i, n := range j.plan.Box {
		chunks *= (min(n, max(1, to.Shape[i])) + max(1, to.Chunk[i]) - 1) / max(1, to.Chunk[i])
	}
	return partHeader + chunks*(to.ChunkSize+to.ChunkSize/8+(64<<10)), nil
}

// A sealedArray is the output of a job that makes an array.
type sealedArray struct {
	j    *Job
	o    *SealOptions
	path string
	// each calls do with the chunks that are not as in the template, some at a time; see Job.each.
	each func(look func(inside.Deposit) error, do func(chunks []numbered) error) error
}

func (a *sealedArray) template() (*ndarray.Untyped, error) {
	return a.j.plan.template(&a.j.plan.Output.Outline, a.j.limits, ndarray.ReadOnly)
}

func (a *sealedArray) create(ctx context.Context) (pending, error) {
	empty, err := a.template()
	if err != nil {
		return nil, err
	}
	defer empty.Close()

	to := &a.j.plan.Output
	f, err := frame.CreateCopy(ctx, a.path, empty.Frame().Snapshot(), &frame.CopyOptions{
		Sparse: &to.Sparse, FS: a.o.FS, Commits: a.o.Commits,
	})
	if err != nil {
		return nil, err
	}

	look := func(at inside.Deposit) error {
		if a.path != to.Path {
			return fmt.Errorf("seal to %s: %w: the chunks are at %s", a.path, cairn.ErrUnsupported, to.Path)
		}
		return f.Inside().Find(ctx, at)
	}

	err = a.each(look, func(chunks []numbered) error {
		// Make chunks a part of the output.
		var deposited []inside.Deposit
		for _, c := range chunks {
			if c.object != 0 {
				deposited = append(deposited, c.deposit())
			} else if err := f.Inside().UpdateEncoded(ctx, int(c.number), c.encoded); err != nil {
				return err
			}
		}
		return f.Inside().Refer(ctx, deposited)
	})
	if err != nil {
		return nil, errors.Join(err, f.Abort())
	}
	return f, nil
}

// isOther says that something else is at the path of an output.
func isOther(path string) error {
	return fmt.Errorf("%s exists and is not the output of this job: %w", path, cairn.ErrConflict)
}

func (a *sealedArray) compare(ctx context.Context) error {
	other := isOther(a.path)
	u, err := ndarray.Open(a.path, &ndarray.OpenOptions{FS: a.o.FS})
	if err != nil {
		return fmt.Errorf("%w: %w", other, err)
	}

	defer u.Close()
	if !a.j.plan.Output.fits(u) {
		return other
	}

	f := u.Frame()
	given := map[int64]bool{}
	var buf []byte

	err = a.each(nil, func(chunks []numbered) (err error) {
		for _, c := range chunks {
			if given[c.number] = true; c.number < 0 || c.number >= int64(f.NumChunks()) {
				return other
			}
			if key, ok := f.Inside().Key(int(c.number)); ok && c.object != 0 && key.Entry == c.object {
				continue
			}
			// The object may be that of a task that ran twice.
			if buf, err = f.EncodedChunk(buf[:0], int(c.number)); err == nil && !c.is(buf) {
				err = other
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.compareRest(ctx, f, given, other)
}

// compareRest fails with other unless the chunks that were not given are those of the template.
func (a *sealedArray) compareRest(ctx context.Context, f *frame.Frame, given map[int64]bool, other error) error {
	empty, err := a.template()
	if err != nil {
		return err
	}
	defer empty.Close()

	if f.NumChunks() != empty.Frame().NumChunks() {
		return other
	}
	for i := range f.NumChunks() {
		if given[int64(i)] {
			continue
		}
		info, err := f.Peek(i)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if !info.InIndex || info.Kind != chunk.SpecialZeros {
			return other
		}
	}
	return nil
}
