// Command jobs has processes work on jobs (package job) while they are killed, stopped until after
// the seal, run twice, delayed, and let down by their storage. Whatever happens, there is either no
// output or the right one, and none of a job that was cancelled (docs/testing.md).
//
//	go run ./check/jobs -n 1000 -seed 1
//
// It prints its counts as JSON, and exits with 1 if there was a failure.
package main

import (
	"os"
	"runtime"

	"github.com/cairn-go/cairn/check/harness"
)

func main() {
	if harness.IsChild(1) {
		harness.Exit(serve(os.Args[2], os.Stdout))
	}
	s := harness.Schedules{N: 20, Seed: 1, Lanes: 2 * runtime.GOMAXPROCS(0)}
	s.Parse()
	total, err := run(&s)
	if err != nil {
		harness.Exit(err)
	}
	harness.Exit(harness.Report("jobs", total, total.Failed))
}
