package main

import (
	"time"

	"github.com/cairn-go/cairn/bench/data"
)

// mostLevelBytes is the most bytes of a data set for the frontier: high levels are slow.
const mostLevelBytes = 4 << 20

// slowRound is the time of one round of C from which fewer rounds suffice: the clock does not limit
// their precision.
const slowRound = 400 * time.Millisecond

// frontier runs every codec at levels 1 to 9 with every filter: for charts of size against speed,
// and for the table of sizes.
func (s *contest) frontier() error {
	most := mostLevelBytes
	levels := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if s.quick {
		most = 1 << 20
		levels = []int{1, 3, 5, 7, 9}
	}
	part := func(set *data.Set) (*data.Set, error) { return middle(set, most), nil }
	return s.each(sweep{part: part, levels: levels, threads: []int{1}}, func(set *data.Set, j job) error {
		rounds := min(s.rounds, 3)
		began := time.Now()
		if _, err := s.cBuffer("levels", j).round(1); err != nil {
			return err
		}
		if s.quick || time.Since(began) > slowRound {
			rounds = 1
		}
		return s.buffer("levels", set, j, rounds)
	})
}
