package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/grid"
	"github.com/cairn-go/cairn/internal/parallel"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// WorkOptions say which tasks to run. Nil and zero fields mean: all that nobody else runs.
type WorkOptions struct {
	// Tasks are the tasks to run, in this order, whether or not somebody else runs them. Those that
	// are done are left out. nil means to claim one task after the other until all are done.
	Tasks []int64
	// Lease is how long a claim may show no sign of life before another worker takes the task over;
	// 0 means a minute.
	Lease time.Duration
	// Progress is called after each task that was found or made done, by one goroutine at a time.
	Progress func(task int64)
}

// Work runs tasks. When it returns without an error, the tasks of o, or all, are done. After an
// error, what was done stays done, and calling Work again goes on. It fails with
// [cairn.ErrConflict] if an input has changed or the job was cancelled. On a job whose output is
// being committed it does nothing.
func (j *Job) Work(ctx context.Context, open Opener, o *WorkOptions) error {
	o = cmp.Or(o, &WorkOptions{})
	for _, task := range o.Tasks {
		if err := j.checkTask(task); err != nil {
			return err
		}
	}

	if sealing, err := j.mayWork(ctx); sealing || err != nil {
		return err
	}

	w, err := j.NewWorker(ctx, open)
	if err != nil {
		return err
	}
	return errors.Join(j.work(ctx, w, o), w.Close())
}

func (j *Job) work(ctx context.Context, w *Worker, o *WorkOptions) error {
	if o.Tasks == nil {
		if err := j.claimAll(ctx, w, o); err != nil {
			return fmt.Errorf("work: %w", err)
		}
		return nil
	}
	for _, task := range o.Tasks {
		if err := w.Run(ctx, task); err != nil {
			return err
		}
		o.report(task)
	}
	return nil
}

func (j *Job) checkTask(task int64) error {
	if task < 0 || task >= j.plan.Tasks {
		return fmt.Errorf("work: task %d of %d: %w", task, j.plan.Tasks, cairn.ErrBounds)
	}
	return nil
}

func (o *WorkOptions) report(task int64) {
	if o.Progress != nil {
		o.Progress(task)
	}
}

// mayWork reports whether all work is done because the job is being sealed, and fails if it was
// cancelled.
func (j *Job) mayWork(ctx context.Context) (sealing bool, err error) {
	f, err := j.fence(ctx)
	if err != nil || f == nil {
		return false, err
	}
	if f.Cancelled {
		return false, errCancelled
	}
	return true, nil
}

// A Worker runs tasks of a job with inputs that stay open in between. It is for programs that are
// told which task to run next; [Job.Work] is simpler otherwise. One goroutine at a time may use a
// Worker.
type Worker struct {
	j     *Job
	in    *inputs
	to    *grid.Partition
	boxes []int64 // along each dimension
	buf   []byte
}

// NewWorker opens the inputs of a job. It fails with [cairn.ErrConflict] if an input has changed.
// The caller closes the Worker.
func (j *Job) NewWorker(ctx context.Context, open Opener) (*Worker, error) {
	in, err := j.plan.open(ctx, open, j.plan.Memory)
	if err != nil {
		return nil, fmt.Errorf("work: %w", err)
	}

	w := &Worker{j: j, in: in}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("work: %w", errors.Join(err, in.Close()))
	}
	return w, nil
}

// Close closes the inputs.
func (w *Worker) Close() error { return w.in.Close() }

// check compares the inputs with the plan.
func (w *Worker) check() (err error) {
	if w.in.division != nil {
		return w.j.plan.checkPieces(w.in.division)
	}
	if w.to, err = w.j.plan.partition(); err != nil {
		return err
	}

	src := w.in.whole
	out := &w.j.plan.Output
	if !slices.Equal(src.Shape(), out.Shape) || src.DType().Size() != int(w.to.ItemSize) {
		return fmt.Errorf("the inputs make an array of shape %v and dtype %s: %w: the plan says %v and %s",
			src.Shape(), src.DType(), cairn.ErrConflict, out.Shape, out.DType)
	}

	if u, ok := src.(*ndarray.Untyped); w.j.plan.TakeOver && (!ok || !out.sameGrid(u)) {
		return fmt.Errorf("the chunks of the input are not those of the output: %w", cairn.ErrConflict)
	}

	for i, n := range w.j.plan.Box {
		w.boxes = append(w.boxes, (w.to.Shape[i]+n-1)/n)
	}
	return nil
}

// Run runs a task. If the task is done already, or the output is being committed, it does nothing.
// It fails with [cairn.ErrConflict] if the job was cancelled.
func (w *Worker) Run(ctx context.Context, task int64) error {
	if err := w.j.checkTask(task); err != nil {
		return err
	}

	sealing, err := w.j.mayWork(ctx)
	if err == nil && !sealing {
		err = inTask(task, w.run(ctx, task))
	}
	if err != nil {
		return fmt.Errorf("work: %w", err)
	}
	return nil
}

// run runs a task, unless it is done.
func (w *Worker) run(ctx context.Context, task int64) error {
	for at, err := range w.j.bucket.List(ctx, w.j.name(partPrefix+taskName(task)+".")) {
		if err != nil {
			return err
		}
		if _, _, ok := w.j.taskOf(at.Name, partPrefix); ok {
			return nil
		}
	}
	return w.make(ctx, task)
}

// make makes the part of a task.
func (w *Worker) make(ctx context.Context, task int64) error {
	p := &part{task: task}
	if err := w.fill(ctx, p); err != nil {
		return err
	}
	return w.j.put(ctx, p)
}

// fill computes what a part has.
func (w *Worker) fill(ctx context.Context, p *part) error {
	if d := w.in.division; d != nil {
		from, to := w.j.plan.pieces(d, p.task)
		b, err := d.Reduce(ctx, from, to)
		if err != nil {
			return err
		}

		p.add(inPart(0, b))
		return nil
	}

	all := int64(1)
	for _, n := range w.boxes {
		all *= n
	}

	together := w.j.plan.Together
	for k := p.task * together; k < min((p.task+1)*together, all); k++ {
		if err := w.box(ctx, k, p); err != nil {
			return err
		}
	}
	return nil
}

// box makes the chunks of a box.
func (w *Worker) box(ctx context.Context, k int64, p *part) error {
	start := make([]int64, w.to.Dims)
	stop := make([]int64, w.to.Dims)
	bytes := w.to.ItemSize
	for i := w.to.Dims - 1; i >= 0; i-- {
		edge := w.j.plan.Box[i]
		start[i] = k % w.boxes[i] * edge
		stop[i] = min(start[i]+edge, w.to.Shape[i])
		k /= w.boxes[i]
		bytes *= stop[i] - start[i]
	}

	numbers := slices.Collect(w.chunks(start, stop))
	if w.j.plan.TakeOver {
		return w.take(ctx, w.in.whole.(*ndarray.Untyped).Frame(), numbers, p)
	}

	w.buf = slab.Resize(w.buf, bytes)
	if err := w.in.whole.ReadBytes(ctx, w.buf[:bytes], start, stop); err != nil {
		return err
	}

	made, err := w.j.plan.template(&w.j.plan.Output.Outline, w.j.limits, ndarray.ReadWrite)
	if err != nil {
		return err
	}

	if err = made.WriteBox(ctx, w.buf[:bytes], start, stop); err != nil {
		return errors.Join(err, made.Abort())
	}

	err = w.take(ctx, made.Frame(), numbers, p)
	return errors.Join(err, made.Abort())
}

// chunks yields the numbers of the chunks of a box.
func (w *Worker) chunks(start, stop []int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		unit := slices.Repeat([]int64{1}, len(start))
		from := make([]int64, len(start))
		to := make([]int64, len(start))
		for i := range start {
			if start[i] >= stop[i] {
				return
			}
			from[i] = start[i] / w.to.Chunk[i]
			to[i] = (stop[i]-1)/w.to.Chunk[i] + 1
		}

		for b := range slab.Walk(from, to, unit) {
			number := int64(0)
			for i, at := range b.Start {
				number = number*w.to.ChunkGrid[i] + at
			}
			if !yield(number) {
				return
			}
		}
	}
}

// deposits is how many chunks a worker puts at the same time.
const deposits = 16

// take adds chunks of a frame to a part, except those that are as in the template.
func (w *Worker) take(ctx context.Context, f *frame.Frame, numbers []int64, p *part) error {
	lanes := 1
	if w.j.inBucket() {
		lanes = deposits
	}

	taken := make([]numbered, len(numbers))
	err := parallel.For(ctx, lanes, len(numbers), func(_, i int) (err error) {
		if taken[i], err = w.j.take(ctx, f, numbers[i]); lanes == 1 {
			p.add(taken[i])
			taken[i] = numbered{}
		}
		return err
	})

	for _, c := range taken {
		p.add(c)
	}
	return err
}

// take returns a chunk of a frame. It has no bytes if it is as in the template. If the output is in
// a bucket, the chunk is put there, unless it is only an entry of an index.
func (j *Job) take(ctx context.Context, f *frame.Frame, number int64) (numbered, error) {
	c, kind, err := chunkOf(f, number)
	if err == nil && c.bytes > 0 && j.inBucket() && (kind == chunk.SpecialNone || kind == chunk.SpecialValue) {
		at, err := f.Inside().Deposit(ctx, j.output, j.plan.Output.Path, rawID(j.plan.ID), int(number), c.encoded)
		c.object = at.Entry
		c.encoded = nil
		return c, err
	}
	return c, err
}

// chunkOf returns a chunk of a frame, without bytes if it is as in the template.
func chunkOf(f *frame.Frame, number int64) (c numbered, kind chunk.Special, err error) {
	info, err := f.Peek(int(number))
	if err != nil || info.InIndex && info.Kind == chunk.SpecialZeros {
		return c, info.Kind, err
	}
	encoded, err := f.EncodedChunk(nil, int(number))
	return inPart(number, encoded), info.Kind, err
}

// put puts a part under its name.
func (j *Job) put(ctx context.Context, p *part) error {
	content := p.bytes(j.plan.ID)
	sum := sha256.Sum256(content)
	name := j.partName(p.task, binary.BigEndian.Uint64(sum[:]))
	_, err := j.bucket.Put(ctx, name, content, storage.When{Absent: true})
	if errors.Is(err, cairn.ErrConflict) {
		return nil // the same bytes are there already
	}
	return err
}
