package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"sync"
)

// What takes the whole process down (memory that runs out, a deadlock, a stack that overflows) cannot be caught within it. So the work is done in processes of its
// own, each with every procs-th case; one that dies is reported with the last case it had announced.

// announceEvery is how often a child says where it is.
const announceEvery = 1000

func runChildren(c *config) (*counts, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	total := newCounts()
	var mu sync.Mutex
	var wg sync.WaitGroup
	errs := make([]error, c.procs)
	for p := range c.procs {
		wg.Go(func() {
			var out, log bytes.Buffer
			cmd := exec.Command(self, "-n", strconv.Itoa(c.n), "-seed", strconv.FormatUint(c.seed, 10), "-hostile", c.hostile, "-child", fmt.Sprintf("%d/%d", p, c.procs))
			cmd.Stdout, cmd.Stderr = &out, &log
			died := cmd.Run()
			var part counts
			if err := json.Unmarshal(out.Bytes(), &part); err != nil && died == nil {
				errs[p] = err
				return
			}
			mu.Lock()
			defer mu.Unlock()
			total.add(&part)
			if died != nil {
				total.Exits++
				text := log.Bytes()
				total.failed(failure{What: "exit", Detail: fmt.Sprintf("%v: %s", died, text[max(0, len(text)-4000):])})
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return total, nil
}

// runChild does the share of one child.
func runChild(c *config, out io.Writer) error {
	var first, step int
	if _, err := fmt.Sscanf(c.child, "%d/%d", &first, &step); err != nil || step < 1 {
		return fmt.Errorf("-child %q", c.child)
	}
	seeds, err := loadSeeds(c)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400)
	l := newLab(c.seed, seeds)
	for k := first; k < c.n; k += step {
		if (k-first)/step%announceEvery == 0 {
			fmt.Fprintln(os.Stderr, "case", k)
		}
		l.try(k)
	}
	return json.NewEncoder(out).Encode(&l.counts)
}
