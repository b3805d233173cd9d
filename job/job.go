package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/storage"
)

// A Job is a plan in a bucket, with what was made so far. Any number of goroutines and processes
// may use a job at the same time.
//
// All names in the folder of a job but that of the plan begin with the plan's ID, so that a worker
// of an earlier job that used the same folder writes nothing that is read:
//
//	plan.json                the plan
//	ID/part/BATCH/TASK.HASH  what a task made; HASH is of the content, so no object ever changes
//	ID/claim/BATCH/TASK      the task is being run
//	ID/fence                 the output is being committed, or the job was cancelled
//	ID/sealed                the output was committed
//
// BATCH is the number of a thousand consecutive tasks, which one request lists.
type Job struct {
	plan   *Plan
	bucket storage.Bucket
	dir    string     // what all names begin with, before a slash; may be empty
	output storage.FS // of the path of the output; may be nil
	// What reading the plan may take.
	limits *cairn.Limits
}

const planName = "plan.json"

// Create puts a plan into a folder of a bucket that has none, and opens the job. The names of its
// objects begin with dir and a slash, or with nothing if dir is empty. It fails with
// [cairn.ErrConflict] if there is another plan.
func Create(ctx context.Context, b storage.Bucket, dir string, p *Plan) (*Job, error) {
	_, err := b.Put(ctx, under(dir, planName), p.JSON(), storage.When{Absent: true})
	if err == nil {
		return &Job{plan: p, bucket: b, dir: dir}, nil
	}

	// The put may have happened although its answer was lost.
	j, openErr := Open(ctx, b, dir, nil)
	switch {
	case openErr != nil:
		return nil, fmt.Errorf("create job: %w", err)
	case j.plan.ID != p.ID:
		return nil, fmt.Errorf("create job: there is another one, %s: %w", j.plan.ID, cairn.ErrConflict)
	}
	return j, nil
}

// Open opens the job in a folder of a bucket; see [Create]. limits bound what reading the plan may
// take; nil means the default ones.
func Open(ctx context.Context, b storage.Bucket, dir string, limits *cairn.Limits) (*Job, error) {
	text, err := get(ctx, b, under(dir, planName), maxPlan)
	if err != nil {
		return nil, fmt.Errorf("open job: %w", err)
	}

	p, err := Parse(text, limits)
	if err != nil {
		return nil, fmt.Errorf("open job: %w", err)
	}
	return &Job{plan: p, bucket: b, dir: dir, limits: limits}, nil
}

// Place sets the file system of the output, before any other call. If it is that of a bucket
// ([storage.BucketFS]), workers put chunks where they stay, so that Seal moves none of them.
// Otherwise, and without Place, they put chunks into the bucket of the job, and Seal copies them.
func (j *Job) Place(fsys storage.FS) { j.output = fsys }

// inBucket reports whether the output is in a bucket.
func (j *Job) inBucket() bool {
	_, ok := j.output.(interface {
		Bucket() (context.Context, storage.Bucket)
	})
	return ok
}

// Plan returns the plan, which must not be changed.
func (j *Job) Plan() *Plan { return j.plan }

// get reads an object of at most so many bytes.
func get(ctx context.Context, b storage.Bucket, name string, most int64) ([]byte, error) {
	start := make([]byte, min(most, 64<<10))
	n, at, err := b.ReadStart(ctx, name, start)
	if err != nil {
		return nil, err
	}

	if at.Size > most {
		return nil, fmt.Errorf("%s has %d bytes: %w: at most %d", name, at.Size, cairn.ErrLimit, most)
	}

	all := make([]byte, at.Size)
	if n = copy(all, start[:n]); int64(n) < at.Size {
		err = b.ReadRanges(ctx, at, []storage.Range{{Off: int64(n), Data: all[n:]}})
	}
	return all, err
}

// name returns the name of an object of this job.
func (j *Job) name(rest string) string { return under(j.dir, j.plan.ID+"/"+rest) }

// under returns the name of an object in a folder.
func under(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// Prefixes of names, behind the ID.
const (
	partPrefix  = "part/"
	claimPrefix = "claim/"
)

// batch is how many consecutive tasks have a folder of their own: as many as one request lists.
const batch = 1000

// taskName returns the name of a task, with the folder of its batch.
func taskName(task int64) string { return fmt.Sprintf("%s%010d", batchName(task/batch), task) }

func batchName(number int64) string { return fmt.Sprintf("%07d/", number) }

// partName returns the name of the part with a hash.
func (j *Job) partName(task int64, hash uint64) string {
	return j.name(fmt.Sprintf("%s%s.%016x", partPrefix, taskName(task), hash))
}

// taskOf returns the task that the name of an object is about, which begins with the given prefix,
// and the hash in the name, if any.
func (j *Job) taskOf(name, prefix string) (task int64, hash uint64, ok bool) {
	const folder, all = 8, 18 // bytes of the name of a batch, and of that of a task
	rest, ok := strings.CutPrefix(name, j.name(prefix))
	if !ok || len(rest) < all || rest[folder-1] != '/' {
		return 0, 0, false
	}

	number, err1 := strconv.ParseUint(rest[:folder-1], 10, 63)
	of, err2 := strconv.ParseUint(rest[folder:all], 10, 63)
	task = int64(of)
	if err1 != nil || err2 != nil || task >= j.plan.Tasks || number != of/batch {
		return 0, 0, false
	}

	if prefix == claimPrefix {
		return task, 0, len(rest) == all
	}

	sum, ok := strings.CutPrefix(rest[all:], ".")
	hash, err := strconv.ParseUint(sum, 16, 64)
	return task, hash, ok && err == nil && len(sum) == 16 && sum == strings.ToLower(sum)
}

// A fence decides between committing the output and cancelling: it is put once.
type fence struct {
	Plan      string `json:"plan"`
	Cancelled bool   `json:"cancelled"`
}

// errCancelled says that a job was cancelled.
var errCancelled = fmt.Errorf("the job was cancelled: %w", cairn.ErrConflict)

// fence returns the fence, or nil.
func (j *Job) fence(ctx context.Context) (*fence, error) {
	text, err := get(ctx, j.bucket, j.name("fence"), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	f := &fence{}
	if err := json.Unmarshal(text, f); err != nil || f.Plan != j.plan.ID {
		return nil, cairn.Corruptf(layer, -1, "the fence is %.80q", text)
	}
	return f, nil
}

// raise puts the fence, unless there is one, and returns whether the job is now cancelled.
func (j *Job) raise(ctx context.Context, cancelled bool) (bool, error) {
	text, err := json.Marshal(fence{j.plan.ID, cancelled})
	if err != nil {
		return false, err
	}

	_, putErr := j.bucket.Put(ctx, j.name("fence"), text, storage.When{Absent: true})
	if putErr == nil {
		return cancelled, nil
	}

	f, err := j.fence(ctx)
	switch {
	case err != nil && errors.Is(putErr, cairn.ErrConflict):
		return false, err // there is a fence, which cannot be read
	case err != nil:
		return false, errors.Join(err, putErr)
	case f == nil:
		return false, putErr
	}
	return f.Cancelled, nil
}

// Cancel gives the job up: it can no longer be sealed, and workers stop after the task that they
// run. It fails with [cairn.ErrConflict] if the output is committed already, or may be at any
// moment. The objects of the job stay until the caller removes them.
func (j *Job) Cancel(ctx context.Context) error {
	cancelled, err := j.raise(ctx, true)
	if err == nil && !cancelled {
		err = fmt.Errorf("the job is being sealed: %w", cairn.ErrConflict)
	}
	if err != nil {
		return fmt.Errorf("cancel job: %w", err)
	}
	return nil
}
