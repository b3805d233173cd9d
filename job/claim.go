package job

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// Claims only keep workers from doing the same work. An object ID/claim/BATCH/TASK says that a
// worker runs the task; the worker changes it from time to time. A worker looks at one batch of
// tasks after the other, and takes those that are neither done nor claimed. If a batch has none, it
// takes over claims that did not change for the time of a lease, measured by its own clock. Nothing
// depends on that for the result.
type claimer struct {
	j        *Job
	w        *Worker
	o        *WorkOptions
	name     string           // of this worker, in its claims
	lease    time.Duration    // of claims of others
	complete map[int64]bool   // batches all of whose tasks are done
	told     map[int64]bool   // tasks of other batches that were reported
	seen     map[int64]beheld // claims of others
}

// A beheld is a claim as it was seen first.
type beheld struct {
	version string
	since   time.Time
}

const (
	defaultLease = time.Minute
	// conflicts of claims after which a batch is listed again
	manyConflicts = 8
	// between the first looks at what others do
	firstWait = 10 * time.Millisecond
)

// claimAll runs tasks until all are done.
func (j *Job) claimAll(ctx context.Context, w *Worker, o *WorkOptions) error {
	c := &claimer{j: j, w: w, o: o, name: rand.Text(), lease: cmp.Or(o.Lease, defaultLease),
		complete: map[int64]bool{}, told: map[int64]bool{}, seen: map[int64]beheld{}}

	for wait := firstWait; ; wait = min(2*wait, c.lease/4) {
		ran, sealing, err := c.round(ctx)
		if sealing || err != nil || int64(len(c.complete)) == j.batches() {
			return err
		}

		if ran {
			wait = firstWait
			continue
		}

		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait/2 + mathrand.N(wait/2+1)): // not all workers at once
		}
	}
}

// batches returns the number of batches.
func (j *Job) batches() int64 { return (j.plan.Tasks + batch - 1) / batch }

// round runs the tasks that it can claim, in each batch that is not complete, from a random one on.
// It reports whether there were any.
func (c *claimer) round(ctx context.Context) (ran, sealing bool, err error) {
	batches := c.j.batches()
	first := mathrand.N(max(1, batches))
	for k := range batches {
		number := (first + k) % batches
		for again := !c.complete[number]; again; {
			if again, sealing, err = c.next(ctx, number); sealing || err != nil {
				return ran, sealing, err
			}
			ran = ran || again
		}
	}
	return ran, false, nil
}

// next runs a task of a batch, and reports whether there was one that it could claim.
func (c *claimer) next(ctx context.Context, number int64) (ran, sealing bool, err error) {
	// A task that is in neither list was not claimed when the first one was made.
	claimed, err := c.j.found(ctx, claimPrefix, number)
	if err != nil {
		return false, false, err
	}

	done, err := c.j.found(ctx, partPrefix, number)
	if err != nil {
		return false, false, err
	}

	from := number * batch
	to := min((number+1)*batch, c.j.plan.Tasks)
	for task := range done {
		c.tell(task)
	}

	if int64(len(done)) == to-from {
		c.complete[number] = true
		for task := range done {
			delete(c.told, task)
			delete(c.seen, task)
		}
		return false, false, nil
	}

	if sealing, err := c.j.mayWork(ctx); sealing || err != nil {
		return false, sealing, err
	}

	task, at, err := c.claimOne(ctx, from, to, done, claimed)
	if err != nil || task < 0 {
		return false, false, err
	}
	return true, false, inTask(task, c.run(ctx, task, at))
}

func (c *claimer) tell(task int64) {
	if !c.told[task] {
		c.told[task] = true
		c.o.report(task)
	}
}

// found returns the tasks of a batch with an object of a prefix, and these objects.
func (j *Job) found(ctx context.Context, prefix string, number int64) (map[int64]storage.Object, error) {
	tasks := map[int64]storage.Object{}
	for at, err := range j.bucket.List(ctx, j.name(prefix+batchName(number))) {
		if err != nil {
			return nil, err
		}
		if task, _, ok := j.taskOf(at.Name, prefix); ok {
			tasks[task] = at
		}
	}
	return tasks, nil
}

// run runs a claimed task.
func (c *claimer) run(ctx context.Context, task int64, at storage.Object) error {
	stop := c.beat(ctx, task, at)
	err := c.w.make(ctx, task)
	stop()
	// A claim that stays is only in the way until its lease ends.
	_ = c.j.bucket.Delete(context.WithoutCancel(ctx), c.j.claimName(task))

	if err != nil {
		return err
	}

	c.tell(task)
	return nil
}

func (j *Job) claimName(task int64) string { return j.name(claimPrefix + taskName(task)) }

// claimOne claims a task of a batch, or returns -1 if others have all.
func (c *claimer) claimOne(
	ctx context.Context, from, to int64, done, claimed map[int64]storage.Object,
) (task int64, at storage.Object, err error) {
	var free []int64
	for task := from; task < to; task++ {
		_, isDone := done[task]
		_, isClaimed := claimed[task]
		if !isDone && !isClaimed {
			free = append(free, task)
		}
	}

	// Free tasks first. Whoever loses a race for one has others to try, but after many of them the
	// lists of the caller are out of date.
	mathrand.Shuffle(len(free), func(a, b int) { free[a], free[b] = free[b], free[a] })
	for _, task := range free[:min(len(free), manyConflicts)] {
		at, err := c.put(ctx, task, storage.When{Absent: true})
		if !errors.Is(err, cairn.ErrConflict) {
			return task, at, err
		}
	}

	// Then the tasks of workers that no longer renew their claims.
	for task, at := range claimed {
		if _, isDone := done[task]; isDone {
			continue
		}
		stale, err := c.stale(ctx, task, at)
		if err != nil {
			return -1, at, err
		}
		if stale == "" {
			continue
		}

		at, err = c.put(ctx, task, storage.When{Version: stale})
		if !errors.Is(err, cairn.ErrConflict) {
			return task, at, err
		}
	}
	return -1, at, nil
}

func (c *claimer) put(ctx context.Context, task int64, when storage.When) (storage.Object, error) {
	return c.j.bucket.Put(ctx, c.j.claimName(task), c.content(0), when)
}

// stale returns the version of a claim that has not changed for the time of a lease, or nothing.
func (c *claimer) stale(ctx context.Context, task int64, at storage.Object) (string, error) {
	if at.Version == "" { // a list need not tell
		var err error
		if at, err = c.j.bucket.Stat(ctx, at.Name); errors.Is(err, fs.ErrNotExist) {
			return "", nil
		} else if err != nil {
			return "", err
		}
	}

	was, ok := c.seen[task]
	if !ok || was.version != at.Version {
		c.seen[task] = beheld{at.Version, time.Now()}
		return "", nil
	}
	if time.Since(was.since) < c.lease {
		return "", nil
	}
	return at.Version, nil
}

// content is the content of a claim that was renewed a number of times.
func (c *claimer) content(renewed int) []byte { return fmt.Appendf(nil, "%s %d\n", c.name, renewed) }

// beat renews a claim until stop is called, or somebody else has taken it over.
func (c *claimer) beat(ctx context.Context, task int64, at storage.Object) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for renewed := 1; ; renewed++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(c.lease / 4):
			}

			next, err := c.j.bucket.Put(ctx, c.j.claimName(task), c.content(renewed), storage.When{Version: at.Version})
			if errors.Is(err, cairn.ErrConflict) {
				return
			}
			if err != nil {
				continue
			}
			at = next
		}
	}()

	return func() {
		cancel()
		<-ended
	}
}
