package main

import "fmt"

// mostLevelBytes is how much of a data set the frontier uses: high levels are slow.
const mostLevelBytes = 8 << 20

// frontier runs every codec at levels 1 to 9, for charts of size against speed.
func (s *contest) frontier() error {
	sets, err := s.dataSets()
	if err != nil {
		return err
	}
	rounds, most, levels := min(s.rounds, 3), mostLevelBytes, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if s.quick {
		sets, rounds, most, levels = sets[:min(len(sets), 3)], 1, 1<<20, []int{1, 3, 5, 7, 9}
	}
	for _, set := range sets {
		part := *set
		part.data = part.data[:min(len(part.data), most)]
		if err := s.c.load(part.data); err != nil {
			return err
		}
		for _, codec := range s.codecs {
			for _, level := range levels {
				j, err := newJob(codec, "shuffle", level, 1, set.typeSize, s.chunkSize)
				if err != nil {
					return err
				}
				if err := s.buffer("levels", &part, j, rounds); err != nil {
					return fmt.Errorf("%s %v: %w", set.name, j, err)
				}
			}
		}
	}
	return nil
}
