package job_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "rows.b2nd"), filepath.Join(dir, "columns.b2nd")
	a, err := ndarray.Create[int32](in, ndarray.Shape{300, 400}, &ndarray.Options{ChunkShape: ndarray.Shape{10, 400}})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Abort() // does nothing after Close
	if err := a.Close(); err != nil {
		log.Fatal(err)
	}

	// Plan: once, on any machine.
	plan, err := job.New(ctx, job.Arrays(nil), &job.Options{
		Inputs: []job.Input{{Path: in}}, Output: out, ChunkShape: ndarray.Shape{300, 20},
	})
	if err != nil {
		log.Fatal(err)
	}
	bucket := storage.FSBucket(storage.OS(), dir)
	if _, err := job.Create(ctx, bucket, "", plan); err != nil {
		log.Fatal(err)
	}

	// Work: in any number of processes.
	j, err := job.Open(ctx, bucket, "", nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := j.Work(ctx, job.Arrays(nil), nil); err != nil {
		log.Fatal(err)
	}

	// Seal: once, or more often.
	if err := j.Seal(ctx, nil); err != nil {
		log.Fatal(err)
	}
	u, err := ndarray.Open(out, nil)
	if err != nil {
		log.Fatal(err)
	}
	chunks, _ := u.Grid()
	fmt.Println(u.Shape(), chunks, u.Close())
	// Output:
	// [300 400] [300 20] <nil>
}
