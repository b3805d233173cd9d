// Command jobs has processes work on jobs (package job) while they are killed, stopped until after
// the seal, run twice, delayed, and let down by their storage. Whatever happens, there is either no
// output or the right one, and none of a job that was cancelled (docs/testing.md).
//
//	go run ./check/jobs -n 1000 -seed 1
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
}

// childFlag begins the arguments of a child process.
const childFlag = "-child"

func main() {
	if isChild(os.Args) {
		harness.Exit(serve(os.Args[2], os.Stdout))
	}
	var c config
	flag.IntVar(&c.n, "n", 20, "run `N` schedules")
	flag.Uint64Var(&c.seed, "seed", 1, "`SEED` of the first schedule; the next ones follow")
	flag.IntVar(&c.lanes, "lanes", 2*runtime.GOMAXPROCS(0), "run `N` schedules at the same time")
	flag.Parse()
	total, err := run(&c)
	if err == nil {
		err = harness.Report("jobs", total, total.Failed)
	}
	harness.Exit(err)
}

func isChild(args []string) bool { return len(args) == 3 && args[1] == childFlag }
