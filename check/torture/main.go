// Command torture tries to make cairn lose data: it crashes random programs at every operation, in
// every way that storage is known to fail; it lets every operation on files fail; it changes single
// bits; and it kills processes. It prints its counts as JSON. It ends with status 1 if data was
// lost, and with 2 if it could not run.
//
// docs/testing.md explains the counts.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cairn-go/cairn/internal/test/storagetest"
)

// A profile sets the size of every part.
type profile struct {
	crashes int // states per kind of program
	commits int // per program
	samples int
	every   int // every n-th image after a crash is changed again
	creads  int // states that the C library opens
	faults  int // failing operations per fault
	flips   int
	burst   int // bits that change together, at most
	kills   int
	holders int     // holders of the lock to kill
	appends int     // rows per writer, at most
	seconds float64 // time for each crowd of writers and readers
	replays int     // losses of power per action of a trace
	verbs   int     // how thoroughly the verbs of the command are crashed
	thin    int     // of these crashes, except kills, one in thin is tried
}

func profileNamed(name string) (profile, error) {
	switch name {
	case "ci":
		return profile{
			crashes: 75_000, commits: 10, samples: 24, every: 150, creads: 10_000,
			faults: 1500, flips: 50_000, burst: 1, kills: 100, holders: 40, appends: 500,
			seconds: 6, replays: 60, verbs: 7, thin: 1,
		}, nil
	case "nightly":
		return profile{
			crashes: 5_000_000, commits: 16, samples: 200, every: 100, creads: 200_000,
			faults: 50_000, flips: 1_000_000, burst: 32, kills: 2000, holders: 400,
			appends: 10_000, seconds: 300, replays: 200, verbs: 12, thin: 1,
		}, nil
	case "gate":
		return profile{
			crashes: 15_000, commits: 8, samples: 12, every: 150, creads: 500, faults: 500,
			flips: 10_000, burst: 1, kills: 30, holders: 8, appends: 200, seconds: 2,
			replays: 40, verbs: 3, thin: 9,
		}, nil
	}

	return profile{}, fmt.Errorf("profile %q does not exist: gate, ci or nightly", name)
}

// sections are the parts of a run in order.
var sections = []string{
	"traces", "crashes", "verbs", "creader", "faults", "flips", "kills", "holders", "conflicts",
	"writers",
}

// settings are the flags of the command line.
type settings struct {
	profile, only, out, traces, replay, crash, python string
	binary, verbs, record                             string
	seed                                              uint64
	seconds                                           float64
	limit                                             time.Duration
	workers, kills, flips, holders, creads            int
}

func main() {
	if isChild(os.Args) {
		if err := child(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}

	var s settings
	flag.StringVar(&s.profile, "profile", "ci", "how much is done: gate, ci or nightly")
	flag.StringVar(&s.only, "only", strings.Join(sections, ","), "parts to run; also swmr")
	flag.Float64Var(&s.seconds, "seconds", 0, "time for each crowd of processes, instead of what the profile says")
	flag.DurationVar(&s.limit, "limit", 0, "longest that any part of a profile takes, which it then leaves undone; 0 for no limit")
	flag.StringVar(&s.out, "out", os.TempDir(), "directory for traces of what was lost")
	flag.StringVar(&s.traces, "traces", "check/torture/testdata", "directory with traces of the C library")
	flag.Uint64Var(&s.seed, "seed", 1, "seed of everything")
	flag.IntVar(&s.workers, "workers", 2, "programs that are crashed at the same time")
	flag.StringVar(&s.python, "python", "", "interpreter that has blosc2, for the parts with the C library, which are left out without")
	flag.IntVar(&s.flips, "flips", 0, "bits that are changed, instead of what the profile says")
	flag.IntVar(&s.kills, "kills", 0, "processes that are killed, instead of what the profile says")
	flag.IntVar(&s.holders, "holders", 0, "holders of the lock that are killed, instead of what the profile says")
	flag.IntVar(&s.creads, "creads", 0, "states that the C library opens, instead of what the profile says")
	flag.StringVar(&s.binary, "cairn", "", "command whose verbs are crashed, instead of one built here")
	flag.StringVar(&s.verbs, "verbs", "", "text in the names of the verbs to crash, and of their targets")
	flag.StringVar(&s.record, "record", "", "directory for the traces of these verbs")
	flag.StringVar(&s.replay, "replay", "", "trace to replay one crash of, instead of all this")
	flag.StringVar(&s.crash, "crash", "", "the crash to replay, as a report has it")
	flag.Parse()

	lost, err := s.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if lost > 0 {
		os.Exit(1)
	}
}

// isChild reports whether the arguments are those of a child process.
func isChild(args []string) bool {
	return len(args) > 1 && slices.Contains([]string{childVerb, rowsVerb, watchVerb, holdVerb}, args[1])
}

func child(verb string, args []string) error {
	if verb == childVerb {
		return commitUntilKilled(args, os.Stdout)
	}
	return lockedChild(verb, args)
}

// run runs the selected parts and returns the number of losses.
func (s *settings) run() (int, error) {
	if s.replay != "" {
		return 0, replayCrash(s.replay, s.crash)
	}
	p, err := profileNamed(s.profile)
	if err != nil {
		return 0, err
	}

	p.kills = cmp.Or(s.kills, p.kills)
	p.flips = cmp.Or(s.flips, p.flips)
	p.holders = cmp.Or(s.holders, p.holders)
	p.seconds = cmp.Or(s.seconds, p.seconds)
	p.creads = cmp.Or(s.creads, p.creads)

	dir, err := os.MkdirTemp("", "cairn-torture-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)

	began := time.Now()
	r := newReport(s.profile, s.seed, s.out)
	l := newLibrary(s.python, s.traces)
	c := &crasher{report: r, dir: dir, samples: p.samples, every: p.every, workers: s.workers, limit: s.limit}
	for _, section := range strings.Split(s.only, ",") {
		if err := c.section(section, s, p, l); err != nil {
			return 0, errors.Join(err, l.close(), r.print(os.Stdout, began))
		}
	}
	return r.Lost, errors.Join(l.close(), r.print(os.Stdout, began))
}

func (c *crasher) section(name string, s *settings, p profile, l *library) (err error) {
	switch name {
	case "traces":
		c.report.Traces, err = replayTraces(s.traces, s.seed, p.replays)
		for _, t := range c.report.Traces {
			if reason := t.unexpected(); reason != "" {
				c.report.Lost++
				c.report.fail(failure{Section: "traces", Text: reason}, nil)
			}
		}
		return err
	case "crashes":
		return c.crashPrograms(s.seed, p.commits, p.crashes)
	case "verbs":
		n := p.verbs
		c.thin = p.thin
		return c.crashVerbs(s, storagetest.Sweep{Seed: s.seed, Subsets: n, Samples: 3 * n * n, Bytes: 5 * n * n})
	case "creader":
		if l == nil {
			return nil
		}
		return c.libraryReads(l, s.seed, p.commits, p.creads)
	case "faults":
		return c.faultPrograms(s.seed, 3, p.faults)
	case "flips":
		// Change bits in the files of programs.
		seed := s.seed
		points := p.flips
		f := &flips{}
		c.report.Flips = f
		rng := rand.New(rand.NewPCG(seed, 0xf11b))
		c.allot(1)
		for s := seed; f.Points < points && !c.over(); s++ {
			for _, kind := range kinds {
				if err := c.flipProgram(f, program{kind, s, 4}, min(points-f.Points, 2000), p.burst, rng); err != nil {
					return err
				}
			}
		}
		if f.Checked {
			c.report.Lost += f.Silent
		}
		return nil
	case "writers":
		seconds := p.seconds
		if s.limit > 0 {
			seconds = min(seconds, s.limit.Seconds()/float64(len(arrayCrowds)))
		}
		return c.crowds(l, arrayCrowds, seconds, p.appends)
	case "swmr":
		return c.crowds(l, swmrCrowds, p.seconds, p.appends)
	case "kills":
		return c.killRounds(l, s.seed, p.kills)
	case "conflicts":
		return c.conflictRounds(l)
	case "holders":
		return c.holderRounds(l, s.seed, p.holders)
	}

	return fmt.Errorf("part %q does not exist: %s", name, strings.Join(append(slices.Clone(sections), "swmr"), ", "))
}

// replayCrash rebuilds the state after a crash, and prints its content.
func replayCrash(name, text string) error {
	crash, err := storagetest.ParseCrash(text)
	if err != nil {
		return fmt.Errorf("crash %q: %w", text, err)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	log, _, err := storagetest.ReadTrace(f)
	if err != nil {
		return err
	}
	fmt.Print(log.Describe(crash))
	got, err := lookAtFrame(log.Image(crash), programName)
	fmt.Println(got, err)
	return nil
}
