package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/job"
)

// counts are what happened in all schedules.
type counts struct {
	Schedules, Sealed, Cancelled, Replanned     int
	Processes, Kills, Stops, WokenLate, LetDown int
	Failed                                      int
	Failures                                    harness.Failures[string]
}

// run runs the schedules.
func run(c *harness.Schedules) (*counts, error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "jobs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	s, err := newSite(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.server.Close()

	total := &counts{}
	var mu sync.Mutex
	c.Run(func(claim func() (uint64, bool)) {
		for seed, ok := claim(); ok; seed, ok = claim() {
			r := &schedule{site: s, seed: seed}
			err := r.run(ctx)
			mu.Lock()

			total.Schedules++
			total.Processes += r.Processes
			total.Kills += r.Kills
			total.Stops += r.Stops
			total.WokenLate += r.WokenLate
			total.LetDown += r.LetDown
			total.Sealed += r.Sealed
			total.Cancelled += r.Cancelled
			total.Replanned += r.Replanned
			if err != nil {
				total.Failed++
				total.Failures.Add(fmt.Sprintf("seed %d: %v", r.seed, err))
			}

			mu.Unlock()
		}
	})
	return total, nil
}

// A schedule is what happens to one job.
type schedule struct {
	*site
	seed uint64
	rand *rand.Rand
	at   *place
	job  *job.Job

	mu sync.Mutex
	counts
	wrong []string
}

// complain notes what must not happen.
func (r *schedule) complain(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

func (r *schedule) run(ctx context.Context) (err error) {
	r.rand = rand.New(rand.NewPCG(r.seed, 1))
	c := r.cases[r.seed%uint64(len(r.cases))]
	if r.at, err = r.place(c, fmt.Sprint(r.seed), r.rand.IntN(3) > 0); err != nil {
		return err
	}
	defer r.at.remove()
	if r.job, err = r.at.plan(ctx); err != nil {
		return err
	}

	var late sync.WaitGroup
	wake := make(chan struct{})
	for range 2 {
		r.start(&late, r.order("work"), wake)
	}

	cancelled := r.disturb(ctx, &late, wake)
	if cancelled && r.rand.IntN(2) == 0 {
		if cancelled, err = r.replan(ctx, &late, wake); err != nil {
			r.complain("second plan: %v", err)
		}
	}

	close(wake)
	late.Wait()

	// Check the output, also after more processes.
	for range 2 {
		got := r.check(ctx)
		if (got != "") == cancelled {
			r.complain("cancelled: %v, and there is an output: %v", cancelled, got != "")
		}
		var more sync.WaitGroup
		r.start(&more, r.order("work"), nil)
		r.start(&more, r.order("seal"), nil)
		r.start(&more, r.order("cancel"), nil)
		more.Wait()
	}
	if cancelled {
		r.Cancelled++
	} else {
		r.Sealed++
	}

	if len(r.wrong) > 0 {
		return fmt.Errorf("%s: %q", c.name, r.wrong)
	}
	return nil
}

// disturb lets processes work on the job until it is sealed or cancelled, and reports which.
func (r *schedule) disturb(ctx context.Context, late *sync.WaitGroup, wake chan struct{}) (cancelled bool) {
	for round := 0; round < 3; round++ {
		var soon sync.WaitGroup
		for range 1 + r.rand.IntN(3) {
			r.start(&soon, r.order("work"), nil)
		}
		for range r.rand.IntN(3) {
			r.start(&soon, r.order("seal"), nil)
		}
		if r.rand.IntN(3) == 0 { // a sealer that sleeps through what comes
			r.start(late, r.order("seal"), wake)
		}
		if r.rand.IntN(12) == 0 {
			r.start(&soon, r.order("cancel"), nil)
		}
		soon.Wait()
		r.check(ctx)
	}

	for _, do := range []string{"work", "seal"} {
		o := r.order(do)
		o.Tasks = nil
		o.Calm = true
		var calm sync.WaitGroup
		r.start(&calm, o, nil)
		calm.Wait()
	}

	status, err := r.job.Status(ctx)
	if err != nil || status.Sealed == status.Cancelled {
		r.complain("after work and seal without faults: %+v, %v", status, err)
	}
	return status.Cancelled
}

// replan puts another plan of the same output in place of one that was cancelled.
func (r *schedule) replan(ctx context.Context, late *sync.WaitGroup, wake chan struct{}) (cancelled bool, err error) {
	if err := r.at.bucket(r.at.job).Delete(ctx, "plan.json"); err != nil {
		return true, err
	}
	if r.job, err = r.at.plan(ctx); err != nil {
		return true, err
	}
	r.Replanned++
	return r.disturb(ctx, late, wake), nil
}

// check compares the output, if there is one, and returns its digest.
func (r *schedule) check(ctx context.Context) string {
	got, err := r.at.digest(ctx)
	if err != nil || got != "" && got != r.at.c.want {
		r.complain("the output is wrong: %v", err)
	}
	return got
}

// order returns an order for a process.
func (r *schedule) order(do string) *order {
	o := &order{Do: do, Job: r.at.job, Far: r.at.far, Server: r.at.server, Seed: r.rand.Uint64()}
	if n := r.job.Plan().Tasks; do == "work" && n > 0 && r.rand.IntN(3) == 0 {
		for range 1 + r.rand.IntN(6) {
			o.Tasks = append(o.Tasks, r.rand.Int64N(n))
		}
	}
	return o
}

// mostLife is how long a process lives at most before it is killed or stopped.
const mostLife = 120 * time.Millisecond

// start starts a process, and kills or stops some of them underway. A process that is stopped
// continues after a while, or when wake is closed, if that is not nil. In a directory it always
// continues after a while: others may wait for the lock that it holds.
func (r *schedule) start(group *sync.WaitGroup, o *order, wake chan struct{}) {
	text, err := json.Marshal(o)
	if err != nil {
		r.complain("%v", err)
		return
	}

	fate := r.rand.IntN(4)
	life := time.Duration(r.rand.Int64N(int64(mostLife)))
	nap := time.Duration(r.rand.Int64N(int64(mostLife)))
	if o.Calm {
		fate = 3
	}

	var answer, complaint bytes.Buffer
	cmd := harness.Self(harness.ChildFlag, string(text))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stdout = &answer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		r.complain("start: %v", err)
		return
	}

	group.Go(func() {
		ended := make(chan struct{})
		go func() { r.meet(cmd, ended, wake, fate, life, nap) }()
		_ = cmd.Wait() // what it prints tells more
		close(ended)
		r.mu.Lock()
		r.Processes++
		if bytes.Contains(answer.Bytes(), []byte(errStorage.Error())) {
			r.LetDown++
		}
		r.mu.Unlock()

		if complaint.Len() > 0 {
			r.complain("%s: %s", o.Do, complaint.Bytes())
		}
		if o.Calm && !bytes.HasPrefix(answer.Bytes(), []byte("ok")) && !bytes.Contains(answer.Bytes(), []byte("cancelled")) {
			r.complain("%s without faults: %s", o.Do, answer.Bytes())
		}
	})
}

// meet lets a process meet its fate.
func (r *schedule) meet(cmd *exec.Cmd, ended, wake chan struct{}, fate int, life, nap time.Duration) {
	switch {
	case wake != nil && canStop() && r.at.server != "":
		if !within(ended, life) && stop(cmd.Process) == nil {
			<-wake
			r.count(&r.WokenLate)
			_ = continued(cmd.Process) // it may have ended before it was stopped
		}
	case fate == 0:
		if !within(ended, life) && cmd.Process.Kill() == nil {
			r.count(&r.Kills)
		}
	case fate == 1 && canStop():
		if !within(ended, life) && stop(cmd.Process) == nil {
			time.Sleep(nap)
			r.count(&r.Stops)
			_ = continued(cmd.Process)
		}
	}
}

func (r *schedule) count(n *int) {
	r.mu.Lock()
	*n++
	r.mu.Unlock()
}

// within reports whether a process ends within a time.
func within(ended chan struct{}, d time.Duration) bool {
	select {
	case <-ended:
		return true
	case <-time.After(d):
		return false
	}
}
