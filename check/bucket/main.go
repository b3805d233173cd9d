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
	"flag"
	"os"
	"runtime"

	"github.com/cairn-go/cairn/check/harness"
)

type config struct {
	n     int
	seed  uint64
	lanes int
	blind bool // the store ignores conditions
}

// childFlag begins the arguments of a child process.
const childFlag = "-child"

func main() {
	if isChild(os.Args) {
		harness.Exit(serveJobs(os.Stdin, os.Stdout))
	}
	var c config
	flag.IntVar(&c.n, "n", 300, "run `N` schedules")
	flag.Uint64Var(&c.seed, "seed", 1, "`SEED` of the first schedule; the next ones follow")
	flag.IntVar(&c.lanes, "lanes", 4*runtime.GOMAXPROCS(0), "run `N` schedules at the same time")
	flag.Parse()
	total, err := run(&c)
	if err == nil {
		err = harness.Report("bucket", total, total.Failed)
	}
	harness.Exit(err)
}

func isChild(args []string) bool { return len(args) == 2 && args[1] == childFlag }
