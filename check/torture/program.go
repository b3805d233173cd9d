package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cairn-go/cairn/storage"
)

// A program is a random sequence of changes and commits of one frame or array. It is deterministic.
type program struct {
	Kind    string `json:"kind"` // one of kinds
	Seed    uint64 `json:"seed"`
	Commits int    `json:"commits"`
}

// kinds are the kinds of programs, by what they change.
var kinds = []string{"contiguous", "sparse", "array", "sparse array"}

// programName is the name of the frame that programs change.
const programName = "f.b2frame"

// A subject is the frame or array that a program changes, with a plain copy of its expected
// content. A failed change does not change the copy.
type subject interface {
	change() error
	commit(ctx context.Context) error
	compact(ctx context.Context) error
	rollback() error
	close() error
	want() content // content of the copy
	keep()         // makes the copy the state for rollback
}

// A twin is the plain copy, current and committed.
type twin[C interface{ Clone() C }] struct{ copy, kept C }

// then applies a change to the copy if the change of the subject succeeded.
func (t *twin[C]) then(err error, change func(*C)) error {
	if err != nil {
		return err
	}

	change(&t.copy)
	return nil
}

func (t *twin[C]) keep() { t.kept = t.copy.Clone() }

func (t *twin[C]) rolledBack(err error) error {
	return t.then(err, func(c *C) { *c = t.kept.Clone() })
}

// A commit is a range of operations that makes another state durable.
type commit struct {
	what          string
	from, to      int // number of file operations before it began and after it ended
	before, after content
}

// A history is the record of a run of a program.
type history struct {
	commits []commit
	sure    content   // state that must be found at the end
	maybe   []content // states that may be found instead, because a commit failed
	errors  int       // number of errors
}

// allowed reports whether a state may be found at the end.
func (h *history) allowed(c content) bool {
	for _, m := range h.maybe {
		if c == m {
			return true
		}
	}
	return c == h.sure
}

// A runner runs a program on a file system.
type runner struct {
	program
	fsys     storage.FS
	count    func() int // operations on fsys so far
	tolerant bool       // failures are expected
	told     func(int)  // is called with the number of commits after each; may be nil
	history  history
	rng      *rand.Rand
}

// run runs the program on a file system, of which count counts the operations.
func (p program) run(fsys storage.FS, count func() int, tolerant bool) (history, error) {
	r := &runner{program: p, fsys: fsys, count: count, tolerant: tolerant}
	return r.run()
}

// run runs the program. An unexpected error ends it.
func (r *runner) run() (history, error) {
	r.rng = rand.New(rand.NewPCG(r.Seed, 0x70))
	s, err := r.create(r.fsys, r.rng)
	if err == nil {
		err = r.work(s)
	} else if r.tolerant {
		r.history.errors++
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("program %q with seed %d: %w", r.Kind, r.Seed, err)
	}
	return r.history, err
}

func (p program) create(fsys storage.FS, rng *rand.Rand) (subject, error) {
	switch p.Kind {
	case "contiguous", "sparse":
		return createFrame(fsys, rng, p.Kind == "sparse")
	case "array", "sparse array":
		return createArray(fsys, rng, p.Kind == "sparse array")
	}
	return nil, fmt.Errorf("kind %q does not exist", p.Kind)
}

func (r *runner) work(s subject) error {
	for range r.Commits {
		for range 1 + r.rng.IntN(4) {
			if err := r.expect(s.change()); err != nil {
				return err
			}
		}
		if r.rng.IntN(8) == 0 {
			if err := r.expect(s.rollback()); err != nil {
				return err
			}
		}

		what := "commit"
		do := s.commit
		if r.rng.IntN(6) == 0 {
			what = "compact"
			do = s.compact
		}
		if err := r.decide(s, what, func() error { return do(context.Background()) }); err != nil {
			return err
		}
	}

	if err := r.expect(s.change()); err != nil {
		return err
	}
	if r.rng.IntN(4) == 0 {
		if err := r.expect(s.rollback()); err != nil {
			return err
		}
	}
	return r.decide(s, "close", s.close)
}

// expect returns an unexpected error.
func (r *runner) expect(err error) error {
	if err == nil || r.tolerant {
		if err != nil {
			r.history.errors++
		}
		return nil
	}
	return err
}

// decide calls do, which makes staged changes durable.
func (r *runner) decide(s subject, what string, do func() error) error {
	h := &r.history
	c := commit{what: what, from: r.count(), before: h.sure, after: s.want()}
	err := do()
	c.to = r.count()
	h.commits = append(h.commits, c)
	if err != nil {
		h.maybe = append(h.maybe, c.after)
		return r.expect(err)
	}
	s.keep()
	h.sure = c.after
	h.maybe = nil
	if r.told != nil {
		r.told(len(h.commits))
	}
	return nil
}

// at returns the states that may be found after k operations.
func (h *history) at(k int, within bool) (before, after content) {
	for _, c := range h.commits {
		switch {
		case k <= c.from:
			return c.before, c.before
		case k < c.to || within && k == c.to:
			return c.before, c.after
		}
	}
	return h.sure, h.sure
}

// errDiffers means that a crash left a wrong state.
var errDiffers = errors.New("neither of the states")
