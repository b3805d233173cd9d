package cairnbeam

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// A Site says what paths name in a process. Nil fields stand for the operating system's files.
type Site struct {
	// Input opens what is read: inputs of orders, and arrays of boxes.
	Input job.Opener
	// Job returns the bucket and the folder of a job; see [job.Open].
	Job func(ctx context.Context, path string) (b storage.Bucket, dir string, err error)
	// Output returns the file system of an output.
	Output func(path string) storage.FS
}

// What Use and Register have set, which nothing changes once the pipeline runs.
var (
	site    = Site{}.orFiles()
	openers = map[string]job.Opener{}
)

// Use makes paths in this process mean what s says. Every process of a pipeline calls it with the
// same meaning before [beam.Init], which on workers does not return.
//
// [beam.Init]: https://pkg.go.dev/github.com/apache/beam/sdks/v2/go/pkg/beam#Init
func Use(s Site) { site = s.orFiles() }

// orFiles returns the site with the fields that are nil set.
func (s Site) orFiles() Site {
	if s.Input == nil {
		s.Input = job.Arrays(nil)
	}
	if s.Job == nil {
		s.Job = func(_ context.Context, path string) (storage.Bucket, string, error) {
			return storage.FSBucket(storage.OS(), path), "", os.MkdirAll(path, 0o777)
		}
	}
	if s.Output == nil {
		s.Output = func(string) storage.FS { return nil }
	}
	return s
}

// Register adds inputs "name:rest" for [job.Input] and [Read], which open is called for with the
// rest. The items must be the same in every process and at any time. Every process of a pipeline
// calls Register before beam.Init, for example in an init function. It panics if there is an input
// of this name, and if the name has fewer than two characters or a colon.
func Register(name string, open job.Opener) {
	if len(name) < 2 || strings.Contains(name, ":") {
		panic(fmt.Sprintf("cairnbeam: Register(%q): a name has at least two characters and no colon", name))
	}
	if openers[name] != nil {
		panic(fmt.Sprintf("cairnbeam: Register(%q): there is one already", name))
	}
	openers[name] = open
}

// openInput opens an input by its path.
func openInput(ctx context.Context, path string) (src ndarray.Source, end func() error, err error) {
	open := site.Input
	if name, rest, ok := strings.Cut(path, ":"); ok && openers[name] != nil {
		open, path = openers[name], rest
	}
	return open(ctx, path)
}

// openJob opens the job at a path, for work and for sealing.
func openJob(ctx context.Context, path string) (*job.Job, error) {
	b, dir, err := site.Job(ctx, path)
	if err != nil {
		return nil, err
	}
	j, err := job.Open(ctx, b, dir, nil)
	if err != nil {
		return j, err
	}

	j.Place(site.Output(j.Plan().Output.Path))
	return j, nil
}
