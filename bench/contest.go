package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cairn-go/cairn/bench/result"
)

// A contest is a run under way.
type contest struct {
	*config
	c       *driver
	python  *snake            // nil if it takes no part
	has     map[string]bool   // which of the peers besides C take part
	pending []*result.Measure // begun by rounds that span several measures
	report  *result.Report
}

// A contender is a peer in one comparison: round does all operations once, or reps times, and tells
// the time of one.
type contender struct {
	peer  string
	round func(reps int) (answer, error)
}

const mostReps = 3000

// compete lets contenders take turns and adds a round to every measure each time. measures are the
// operations of the contenders' answers, in that order. Who begins changes from round to round.
func (s *contest) compete(rounds int, measures []*result.Measure, contenders ...contender) error {
	reps := make([]int, len(contenders))
	for i, c := range contenders { // the first round warms up, and says how often to repeat
		a, err := c.round(1)
		if err != nil {
			return fmt.Errorf("%s: %w", c.peer, err)
		}
		total := 1e-9
		for _, t := range a.Seconds {
			total += t
		}
		reps[i] = min(max(int(s.roundTime/total), 1), mostReps)
	}
	for round := range rounds {
		for turn := range contenders {
			i := (turn + round) % len(contenders)
			a, err := contenders[i].round(reps[i])
			if err != nil {
				return fmt.Errorf("%s: %w", contenders[i].peer, err)
			}
			if len(a.Seconds) != len(measures) {
				return fmt.Errorf("%s answers with %d times, not %d", contenders[i].peer, len(a.Seconds), len(measures))
			}
			for op, m := range measures {
				m.Add(contenders[i].peer, a.Seconds[op], a.Size)
			}
		}
	}
	s.keep(measures...)
	return nil
}

// keep puts measures into the report and shows them.
func (s *contest) keep(measures ...*result.Measure) {
	for _, m := range measures {
		inOrder(m)
		s.report.Measures = append(s.report.Measures, m)
		fmt.Fprintln(os.Stderr, m.Line())
	}
}

// inOrder sorts sides as reports show them: C, then cairn, then whoever else took part.
func inOrder(m *result.Measure) {
	var sorted []result.Side
	for _, peer := range result.Names() {
		if side := m.Side(peer); side != nil {
			sorted = append(sorted, *side)
		}
	}
	m.Sides = sorted
}

// fastest repeats a piece of work and returns the shortest time of each of its parts, which work
// tells by the times between them.
func fastest(reps int, work func() ([]float64, error)) ([]float64, error) {
	var best []float64
	for range reps {
		got, err := work()
		if err != nil {
			return nil, err
		}
		if best == nil {
			best = got
		}
		for i := range got {
			best[i] = min(best[i], got[i])
		}
	}
	return best, nil
}

// since returns the seconds that work takes.
func since(work func() error) (float64, error) {
	t := time.Now()
	err := work()
	return time.Since(t).Seconds(), err
}

var errChanged = errors.New("the data came back changed")
