package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/cairn-go/cairn/check/harness"
)

// A process cannot catch what ends it: running out of memory, a deadlock, a stack overflow. The
// cases are therefore run in child processes, each with every procs-th case. A child that dies is
// reported with the last case that it announced.

// announceEvery is the number of cases after which a child announces its position.
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
				"-hostile", c.hostile, "-only", c.only, fmt.Sprintf("-every=%v", c.every), "-stride",
				strconv.Itoa(c.stride),
				"-child", fmt.Sprintf("%d/%d", p, c.procs))
			cmd.Stdout = &out
			cmd.Stderr = &log
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

// lastWords returns the output of a process that died, and the case that it announced last.
func lastWords(text []byte) []byte {
	for _, word := range []string{"panic: ", "fatal error: "} {
		if i := bytes.Index(text, []byte(word)); i >= 0 {
			text = text[max(0, i-40):]
			break
		}
	}
	return text[:min(len(text), 4000)]
}
