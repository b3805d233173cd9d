package main

import (
	"fmt"
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
	sets, err := s.dataSets()
	if err != nil {
		return err
	}
	most, levels := mostLevelBytes, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if s.quick {
		sets, most, levels = sets[:min(len(sets), 3)], 1<<20, []int{1, 3, 5, 7, 9}
	}
	for _, set := range sets {
		part := middle(set, most)
		if err := s.c.load(part.Bytes); err != nil {
			return err
		}
		for _, codec := range s.codecs {
			for _, filter := range s.filters {
				for _, level := range levels {
					if err := s.frontierCell(part, codec, filter, level); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (s *contest) frontierCell(set *data.Set, codec, filter string, level int) error {
	j, err := newJob(codec, filter, level, 1, set.TypeSize, s.chunkSize)
	if err != nil {
		return err
	}
	rounds := min(s.rounds, 3)
	began := time.Now()
	if _, err := s.cBuffer("levels", j).round(1); err != nil {
		return err
	}
	if s.quick || time.Since(began) > slowRound {
		rounds = 1
	}
	if err := s.buffer("levels", set, j, rounds); err != nil {
		return fmt.Errorf("%s %v: %w", set.Name, j, err)
	}
	return nil
}
