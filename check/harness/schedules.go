package harness

import (
	"flag"
	"os"
	"sync"
)

// ChildFlag begins the arguments of a child process.
const ChildFlag = "-child"

// IsChild reports whether this process is a child, which has n arguments besides.
func IsChild(n int) bool { return len(os.Args) == 2+n && os.Args[1] == ChildFlag }

// Schedules are runs of which each has a seed of its own.
type Schedules struct {
	N     int
	Seed  uint64 // of the first; the next ones follow
	Lanes int    // how many run at the same time
}

// Parse sets schedules to what the command line says.
func (s *Schedules) Parse() {
	flag.IntVar(&s.N, "n", s.N, "run `N` schedules")
	flag.Uint64Var(&s.Seed, "seed", s.Seed, "`SEED` of the first schedule; the next ones follow")
	flag.IntVar(&s.Lanes, "lanes", s.Lanes, "run `N` schedules at the same time")
	flag.Parse()
}

// Run calls lane as often as there are lanes, at the same time, with a function that hands out
// seeds until there are none.
func (s *Schedules) Run(lane func(claim func() (seed uint64, ok bool))) {
	var mu sync.Mutex
	next := 0
	claim := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return s.Seed + uint64(next-1), next <= s.N
	}

	var lanes sync.WaitGroup
	for range s.Lanes {
		lanes.Go(func() { lane(claim) })
	}
	lanes.Wait()
}
