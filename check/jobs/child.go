package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/objects"
	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/storage"
)

// An order is what a child process does.
type order struct {
	Do     string // work, seal or cancel
	Job    string // bucket
	Far    string // bucket of the output, or empty
	Server string // address of the server of the buckets; empty if they are directories
	Seed   uint64
	Tasks  []int64 // to work on; nil means to claim them
	Calm   bool    // the storage does not fail
}

// lease is so short that claims of living workers are taken over too.
const lease = 20 * time.Millisecond

// serve carries out an order, and writes what came of it. It fails only for an error that must not
// happen.
func serve(text string, out io.Writer) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	f := &faults{rand: rand.New(rand.NewPCG(o.Seed, 2)), calm: o.Calm}
	err := o.run(ctx, &faulty{bucketOf(o.Server, o.Job), f}, f)
	switch {
	case err == nil:
		_, err = fmt.Fprintln(out, "ok")
		return err
	case errors.Is(err, errStorage) && !errors.Is(err, cairn.ErrCorrupt), strings.Contains(err.Error(), "the job was cancelled"),
		o.Do == "seal" && errors.Is(err, cairn.ErrNotFound), o.Do == "cancel" && errors.Is(err, cairn.ErrConflict):
		_, err = fmt.Fprintln(out, "failed:", err)
		return err
	}
	return fmt.Errorf("%s: %w", o.Do, err)
}

// bucketOf returns a bucket: a directory, or the store of its name on a server.
func bucketOf(server, dir string) storage.Bucket {
	if server == "" {
		return storage.FSBucket(storage.OS(), dir)
	}
	return objectstore.NewHasty(&objects.Web{Base: server + "/" + filepath.Base(dir) + "/"}, "")
}

func (o *order) run(ctx context.Context, b storage.Bucket, f *faults) error {
	j, err := job.Open(ctx, b, "", nil)
	if err != nil {
		return err
	}
	if o.Far != "" {
		j.Place(storage.BucketFS(ctx, &faulty{bucketOf(o.Server, o.Far), f}))
	}
	switch o.Do {
	case "work":
		return j.Work(ctx, job.Arrays(nil), &job.WorkOptions{Tasks: o.Tasks, Lease: lease})
	case "seal":
		return j.Seal(ctx, nil)
	case "cancel":
		return j.Cancel(ctx)
	}
	return fmt.Errorf("unknown order %q", o.Do)
}
