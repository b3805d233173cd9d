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
			cmd := exec.Command(self, "-n", strconv.Itoa(c.n), "-seed", strconv.FormatUint(c.seed, 10), "-hostile", c.hostile, fmt.Sprintf("-every=%v", c.every), "-stride", strconv.Itoa(c.stride), "-child", fmt.Sprintf("%d/%d", p, c.procs))
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
				total.failed(failure{What: "exit", Detail: fmt.Sprintf("%v: %s", died, lastWords(log.Bytes()))})
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

// lastWords returns what a process that died said about it, and the case that it announced before.
func lastWords(text []byte) []byte {
	for _, word := range []string{"panic: ", "fatal error: "} {
		if i := bytes.Index(text, []byte(word)); i >= 0 {
			text = text[max(0, i-40):]
			break
		}
	}
	return text[:min(len(text), 4000)]
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
	l, err := newLab(c.seed, seeds)
	if err != nil {
		return err
	}
	one, n := l.plan(c)
	for k := first; k < n; k += step {
		if (k-first)/step%announceEvery == 0 {
			fmt.Fprintln(os.Stderr, "case", k)
		}
		one(k)
	}
	return json.NewEncoder(out).Encode(&l.counts)
}
