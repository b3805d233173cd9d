package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cairn-go/cairn/bench/result"
)

// A contest is the state of a run.
type contest struct {
	*config
	c       *driver
	python  *snake            // nil without Python peers
	has     map[string]bool   // peers that take part, besides C
	pending []*result.Measure // measures that span several rounds, not yet complete
	report  *result.Report
}

// A contender is a peer in one comparison. round runs all operations reps times, and returns the
// time of one.
type contender struct {
	peer  string
	round func(reps int) (answer, error)
}

const mostReps = 3000

// compete lets the contenders take turns, and adds the measures to the report.
func (s *contest) compete(rounds int, measures []*result.Measure, contenders ...contender) error {
	if err := s.takeTurns(rounds, measures, contenders...); err != nil {
		return err
	}
	s.keep(measures...)
	return nil
}

// takeTurns runs rounds in which the contenders take turns, and adds each round to every measure.
// measures are the operations of the contenders' answers, in that order. Another contender begins
// in each round.
func (s *contest) takeTurns(rounds int, measures []*result.Measure, contenders ...contender) error {
	reps := make([]int, len(contenders))
	for i, c := range contenders { // the first round warms up and determines the repetitions
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
	return nil
}

// keep adds measures to the report and prints them.
func (s *contest) keep(measures ...*result.Measure) {
	for _, m := range measures {
		inOrder(m)
		s.report.Measures = append(s.report.Measures, m)
		fmt.Fprintln(os.Stderr, m.Line())
	}
}

// figure adds a figure to the report and prints it.
func (s *contest) figure(name, what string, value float64, unit string) {
	s.report.Figures = append(s.report.Figures, result.Figure{Name: name, What: what, Value: value, Unit: unit})
	fmt.Fprintf(os.Stderr, "%s, %s: %.2f %s\n", name, what, value, unit)
}

// inOrder sorts the sides of a measure for reports: C, cairn, then the other peers.
func inOrder(m *result.Measure) {
	var sorted []result.Side
	for _, peer := range result.Names() {
		if side := m.Side(peer); side != nil {
			sorted = append(sorted, *side)
		}
	}
	m.Sides = sorted
}

// fastest calls work reps times and returns the shortest time of each part. work returns the times
// of its parts.
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

// repeated calls work reps times, and answers with the shortest time.
func repeated(reps int, work func() error) (answer, error) {
	times, err := fastest(reps, func() ([]float64, error) {
		t, err := since(work)
		return []float64{t}, err
	})
	return answer{Seconds: times}, err
}

// since calls work and returns its duration in seconds.
func since(work func() error) (float64, error) {
	t := time.Now()
	err := work()
	return time.Since(t).Seconds(), err
}

var errChanged = errors.New("the data came back changed")
