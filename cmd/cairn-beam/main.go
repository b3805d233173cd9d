// Command cairn-beam makes an array on Apache Beam: it plans a job like "cairn job plan", runs the
// tasks on the workers of a pipeline, and seals the job. Given the job alone, it goes on with what
// was planned before. It takes the flags of the plan, and those of Beam's runners; without them the
// pipeline runs in this process, on Prism. docs/beam.md describes it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/cairn-go/cairn"
	cairnbeam "github.com/cairn-go/cairn/beam"
	"github.com/cairn-go/cairn/cmd/cairn-cloud/clients"
	"github.com/cairn-go/cairn/cmd/internal/command"
	"github.com/cairn-go/cairn/job"
)

const usage = `usage: cairn-beam [flags] JOB IN... OUT
       cairn-beam [flags] JOB

Makes the array OUT from IN on Apache Beam. JOB is a directory, or a folder in a bucket, for what
workers have made; given alone, its plan is gone on with.
`

func main() {
	ctx := context.Background()
	beams := names(flag.CommandLine)
	verbose := flag.Bool("verbose", false, "print what Beam logs")
	jobs, err := command.NewJobs(ctx, flag.CommandLine, clients.Openers())
	if err != nil {
		fail(err)
	}

	flag.Usage = func() { printUsage(flag.CommandLine, beams) }
	flag.Parse()
	cairnbeam.Use(cairnbeam.Site{Input: jobs.Input, Job: jobs.Bucket, Output: jobs.Output})

	if !*verbose {
		beamlog.LogLevel = "error"
	}
	beam.Init() // on workers it does not return
	if runner := *runners.Runner; !*verbose && (runner == "" || runner == "prism") {
		slog.SetDefault(slog.New(slog.DiscardHandler)) // it logs what run returns
	}

	if n := flag.NArg(); n != 1 && n < 3 {
		flag.Usage()
		os.Exit(2)
	}

	if err := run(ctx, jobs, flag.Args()); err != nil {
		fail(err)
	}
}

// run plans a job if there are inputs, and makes its output.
func run(ctx context.Context, jobs *command.Jobs, operands []string) error {
	path := operands[0]
	if !strings.Contains(path, "://") {
		var err error
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
	}

	if len(operands) > 1 {
		err := jobs.Plan(ctx, slices.Concat([]string{path}, operands[1:]))
		if errors.Is(err, cairn.ErrConflict) {
			err = fmt.Errorf("%w; cairn-beam %s goes on with it", err, operands[0])
		}
		if err != nil {
			return err
		}
	}

	b, dir, err := jobs.Bucket(ctx, path)
	if err != nil {
		return err
	}
	j, err := job.Open(ctx, b, dir, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", operands[0], err)
	}

	p, s := beam.NewPipelineWithRoot()
	cairnbeam.Make(s, beam.Create(s, cairnbeam.Order{Job: path}))
	if err := beamx.Run(ctx, p); err != nil {
		return cause(err)
	}

	status, err := j.Status(ctx)
	if err != nil {
		return err
	}
	if !status.Sealed { // the runner does not wait
		fmt.Printf("submitted; cairn job status %s tells how far it is\n", operands[0])
		return nil
	}
	fmt.Printf("made %s\n", j.Plan().Output.Path)
	return nil
}

// cause returns what has failed in a DoFn, from an error that describes the pipeline around it too.
func cause(err error) error {
	const ours = "cairnbeam: "
	text := err.Error()
	at := strings.LastIndex(text, ours)
	if at < 0 {
		return err
	}
	text, _, _ = strings.Cut(text[at+len(ours):], "\n")
	return errors.New(text)
}

func fail(err error) {
	fmt.Fprintf(os.Stderr, "cairn-beam: %v\n", err)
	os.Exit(1)
}

// names returns the flags that are declared.
func names(set *flag.FlagSet) map[string]bool {
	declared := map[string]bool{}
	set.VisitAll(func(f *flag.Flag) { declared[f.Name] = true })
	return declared
}

// printUsage prints the flags, those of Beam behind the others.
func printUsage(set *flag.FlagSet, beams map[string]bool) {
	w := set.Output()
	io.WriteString(w, usage)
	for _, title := range []string{"\nFlags:\n", "\nFlags of Beam, such as -runner and -endpoint:\n"} {
		io.WriteString(w, title)
		some := flag.NewFlagSet("", flag.ContinueOnError)
		some.SetOutput(w)
		set.VisitAll(func(f *flag.Flag) {
			if beams[f.Name] == strings.Contains(title, "Beam") {
				some.Var(f.Value, f.Name, f.Usage)
			}
		})
		some.PrintDefaults()
	}
}
