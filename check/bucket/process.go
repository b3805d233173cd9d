package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"

	"github.com/cairn-go/cairn/check/harness"
)

// A process is a place for a child process. When that is killed, another one takes its place.
type process struct {
	alive sync.RWMutex // held to replace the child

	mu      sync.Mutex
	cmd     *exec.Cmd
	jobs    *json.Encoder
	close   func() error
	log     *bytes.Buffer // what the child prints as errors
	ended   chan struct{}
	last    int
	pending map[int]*running
	killed  bool
}

// A running job collects the events of its process.
type running struct {
	job
	events []event
	killed bool          // the process was killed before it was done
	over   chan struct{} // closed when there are no more events
}

// start starts a child.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.cmd = harness.Self(harness.ChildFlag)
	p.log = new(bytes.Buffer)
	p.ended = make(chan struct{})
	p.cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=400")
	p.cmd.Stderr = p.log
	p.pending = map[int]*running{}
	p.killed = false

	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.jobs = json.NewEncoder(in)
	p.close = in.Close

	if err := p.cmd.Start(); err != nil {
		return err
	}
	go p.collect(out, p.ended)
	return nil
}

// collect hands the events of a child on until it ends.
func (p *process) collect(out io.Reader, ended chan struct{}) {
	defer close(ended)
	for events := json.NewDecoder(out); ; {
		var e event
		if err := events.Decode(&e); err != nil {
			break // it has ended
		}
		p.mu.Lock()
		if r := p.pending[e.ID]; r != nil {
			r.events = append(r.events, e)
			if e.Kind == done {
				close(r.over)
				delete(p.pending, e.ID)
			}
		}
		p.mu.Unlock()
	}

	_ = p.cmd.Wait() // it has no other way to fail than on stderr
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(p.pending)) {
		r := p.pending[id]
		r.killed = true
		if !p.killed {
			r.events = append(r.events, event{Kind: wrong, Message: fmt.Sprintf("the process has ended: %s", p.log)})
		}
		close(r.over)
	}
	p.pending = map[int]*running{}
}

// run starts a job.
func (p *process) run(j job) (*running, error) {
	p.alive.RLock()
	defer p.alive.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	j.ID = p.last
	r := &running{job: j, over: make(chan struct{})}
	p.pending[j.ID] = r
	return r, p.jobs.Encode(j)
}

// kill kills the child, and starts another one.
func (p *process) kill() error {
	p.alive.Lock()
	defer p.alive.Unlock()
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	if err := p.cmd.Process.Kill(); err != nil {
		return err
	}
	<-p.ended
	_ = p.close()
	return p.start()
}

// stop ends the child once its jobs are done.
func (p *process) stop() error {
	err := p.close()
	<-p.ended
	if p.log.Len() > 0 {
		err = errors.Join(err, errors.New(p.log.String()))
	}
	return err
}
