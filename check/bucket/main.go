// Command bucket has up to eight processes append to one array in a bucket, and others read it,
// over a network that fails in every way, while some of the processes are killed: no commit may be
// lost, appear twice or appear after it failed, and no read may see a part of one
// (docs/testing.md).
//
//	go run ./check/bucket -n 20000 -seed 1
//
// It prints its counts as JSON, and exits with 1 if there was a failure.
package main

import (
	"os"
	"runtime"

	"github.com/cairn-go/cairn/check/harness"
)

type config struct {
	harness.Schedules
	blind bool // the store ignores conditions
}

func main() {
	if harness.IsChild(0) {
		harness.Exit(serveJobs(os.Stdin, os.Stdout))
	}
	c := config{Schedules: harness.Schedules{N: 300, Seed: 1, Lanes: 4 * runtime.GOMAXPROCS(0)}}
	c.Parse()
	total, err := run(&c)
	if err != nil {
		harness.Exit(err)
	}
	harness.Exit(harness.Report("bucket", total, total.Failed))
}
