package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/cairn-go/cairn/check/harness"
)

// What takes the whole process down (memory that runs out, a deadlock, a stack that overflows)
// cannot be caught within it. So the work is done in processes of its own, each with every procs-th
// case; one that dies is reported with the last case it had announced.

// announceEvery is how often a child says where it is.
const announceEvery = 1000

func runChildren(c *config) (*counts, error) {
	total := newCounts()
	var mu sync.Mutex
	var wg sync.WaitGroup
	errs := make([]error, c.procs)
	for p := range c.procs {
		wg.Go(func() {
			var out, log bytes.Buffer
			cmd := harness.Self("-n", strconv.Itoa(c.n), "-seed", strconv.FormatUint(c.seed, 10),
				"-hostile", c.hostile, fmt.Sprintf("-every=%v", c.every), "-stride", strconv.Itoa(c.stride),
				"-child", fmt.Sprintf("%d/%d", p, c.procs))
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
				total.Failures.Add(failure{What: "exit", Detail: fmt.Sprintf("%v: %s", died, lastWords(log.Bytes()))})
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
