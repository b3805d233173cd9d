// Package command is the command cairn: its verbs, and what they print. The programs in cmd call
// Main; Jobs is for those that run jobs otherwise.
package command

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/decoded"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// Main runs the command in this process: with its arguments, standard streams, environment and
// signals. openers are the object stores that the program has clients of; nil means none. Main
// returns the exit code, unless a signal ends the process.
func Main(openers Openers) int {
	// A reader of our output that goes away is an ordinary write error, after which verbs clean up.
	signal.Ignore(brokenPipe)
	if os.Getenv("GOGC") == "" {
		delayCollector()
	}

	// Most verbs read each array once, in little memory. The server keeps what it decodes.
	decoded.Shared().NoBlocks.Store(true)
	ctx := catchSignals(context.Background())
	if os.Getenv("GOMEMLIMIT") == "" {
		ctx = context.WithValue(ctx, holding{}, true)
	}
	std := &streams{
		Console: console.New(os.Getenv),
		openers: openers,
		in:      os.Stdin,
	}
	code := std.run(ctx, os.Args[1:])
	dieOfSignal(ctx, code)
	return code
}

// holding is the key of contexts in which a verb may have the collector run more often when the
// heap comes near a bound. Without it the heap may grow to twice what is in use. Tests, which share
// a process, have none.
type holding struct{}

// usualMemory is what verbs that compute use without the flag -memory.
const usualMemory = 256 << 20

// budget returns the bytes of memory for a verb that computes, 0 for the usual ones, and has the
// collector keep them. A part is for the program itself.
func (f *copyFlags) budget(ctx context.Context) (int64, error) {
	memory, err := parseSize("memory", f.memory)
	if err != nil || ctx.Value(holding{}) == nil {
		return memory, err
	}
	if memory == 0 {
		memory = usualMemory
	}
	debug.SetMemoryLimit(memory - min(memory/8, 32<<20))
	return memory, nil
}

// delayCollector has the first garbage collection begin at a heap of 16 MiB instead of 4 MiB, and
// the others as usual. Many runs end before: they need a few large buffers, and collections would
// take a tenth of their time to find nothing.
func delayCollector() {
	usual := debug.SetGCPercent(400)
	runtime.AddCleanup(new([16]byte), func(usual int) { debug.SetGCPercent(usual) }, usual)
}

// Jobs plans jobs as the verb job does, and opens what their paths name, for programs that run the
// tasks by workers of their own. Any number of goroutines may call the methods.
type Jobs struct {
	std  *streams
	verb action
	mu   sync.Mutex // while opening and closing, which the verbs do in one goroutine
}

// NewJobs declares the flags for plans in set. What Jobs opens is usable until ctx is done.
func NewJobs(ctx context.Context, set *flag.FlagSet, openers Openers) (*Jobs, error) {
	std := &streams{Console: console.New(os.Getenv), openers: openers, in: os.Stdin, quiet: true}
	var err error
	if std.at, err = operand.New(ctx, std.in, openers, os.Getenv(operand.CacheVariable)); err != nil {
		return nil, err
	}
	all := flag.NewFlagSet("", flag.ContinueOnError)
	j := &Jobs{std: std, verb: jobVerb(all)}
	all.VisitAll(func(f *flag.Flag) {
		if usage, ok := strings.CutPrefix(f.Usage, "plan: "); ok || !strings.HasPrefix(f.Usage, "work: ") {
			set.Var(f.Value, f.Name, usage)
		}
	})
	return j, nil
}

// Plan plans a job, whose operands are JOB IN… OUT, and prints what it will need.
func (j *Jobs) Plan(ctx context.Context, operands []string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.verb(ctx, j.std, append([]string{"plan"}, operands...))
}

// Bucket returns the bucket and the folder of a job.
func (j *Jobs) Bucket(_ context.Context, path string) (b storage.Bucket, dir string, err error) {
	b, dir = j.std.jobBucket(path)
	return b, dir, nil
}

// Input opens an input of a job; it is a job.Opener.
func (j *Jobs) Input(ctx context.Context, path string) (ndarray.Source, func() error, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	src, end, err := j.std.jobInput(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	return src, func() error {
		j.mu.Lock()
		defer j.mu.Unlock()
		return end()
	}, nil
}

// Output returns the file system of an output.
func (j *Jobs) Output(path string) storage.FS { return j.std.at.FS(place.Of(path)) }
