package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// programMemory is what a process of a job may take besides what its plan states: the program, as
// docs/jobs.md says.
const programMemory = 24 << 20

// plans are flags and inputs of jobs whose workers are measured.
var plans = []string{
	"-codec lz4 -level 9 a.b2nd",
	"-chunks 128,64,64 a.b2nd",
	"-calc sqrt(abs(x))*2+y x=a.b2nd y=b.b2nd",
	"-reduce mean,std -axis 0 a.b2nd",
	"-codec zstd a.zarr",
	"-concat a.b2nd b.b2nd",
}

// measureJobs runs jobs by one process each, and compares the memory of it with that of the plan.
func (r *runner) measureJobs() (failed []error, err error) {
	fmt.Println("workers of jobs\n    MiB  bound")
	for i, words := range plans {
		job := fmt.Sprintf("%d.job", i)
		out := fmt.Sprintf("job%d.b2nd", i)
		if strings.Contains(words, "-reduce") {
			out = fmt.Sprintf("job%d.b2z", i)
		}

		// The job is named before the inputs.
		fields := strings.Fields(words)
		at := slices.IndexFunc(fields, func(s string) bool { return strings.HasSuffix(s, ".b2nd") || strings.HasSuffix(s, ".zarr") })
		args := append(append(append([]string{"job", "plan", "-json", "-memory", "256M", "-workers", fmt.Sprint(r.workers)},
			fields[:at]...), job), append(fields[at:], out)...)

		c := r.process(args...)
		c.Stdout = nil
		text, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("cairn %s: %w", strings.Join(args, " "), err)
		}
		var plan struct{ Memory int64 }
		if err := json.Unmarshal(text, &plan); err != nil {
			return nil, fmt.Errorf("cairn %s: %q: %w", strings.Join(args, " "), text, err)
		}

		peak, err := r.peakOf("job", "work", "-q", job)
		if err != nil {
			return nil, err
		}

		bound := plan.Memory + programMemory
		fmt.Printf("%7.1f %6d  cairn job work, %s\n", float64(peak)/(1<<20), bound>>20, words)
		if peak > bound {
			failed = append(failed, fmt.Errorf("a job of %s took %d MiB, its plan and the program have %d MiB", words, peak>>20, bound>>20))
		}
		if _, err := r.peakOf("job", "seal", "-q", job); err != nil {
			return nil, err
		}
	}
	return failed, nil
}
