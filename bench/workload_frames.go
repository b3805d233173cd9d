package main

import (
	"strings"

	"github.com/cairn-go/cairn/bench/data"
	"github.com/cairn-go/cairn/bench/result"
)

// frames compresses and decompresses every data set with every job.
func (s *contest) frames() error {
	var loaded *data.Set
	return s.each(sweep{}, func(set *data.Set, j job) error {
		if s.has["python"] && set != loaded {
			if err := s.python.load(set); err != nil {
				return err
			}
			loaded = set
		}
		return s.buffer("frames", set, j, s.rounds)
	})
}

// buffer compares one combination, with a container for the workload frames, else without.
func (s *contest) buffer(workload string, set *data.Set, j job, rounds int) error {
	ours, err := cairnSide(workload, j, set.Bytes)
	if err != nil {
		return err
	}

	contenders := []contender{s.cBuffer(workload, j), ours}
	frames := workload == "frames"
	if s.has["python"] && frames {
		contenders = append(contenders, contender{result.Python, func(reps int) (answer, error) {
			return s.python.timed(j, reps, map[string]any{"do": "frames"})
		}})
	}
	if s.has["plain"] && frames && j.threads == 1 && j.filterName == "shuffle" {
		plain, ok, err := plainGo(j, set.Bytes)
		if err != nil {
			return err
		}
		if ok {
			contenders = append(contenders, plain)
		}
	}
	if frames && j.threads == 2 && strings.HasPrefix(set.Name, "arange") {
		contenders = append(contenders, contender{result.Memcpy, func(reps int) (answer, error) { return s.c.command("memcpy", j.threads, reps) }})
	}

	return s.compete(rounds, []*result.Measure{j.measure(workload, "compress", set), j.measure(workload, "decompress", set)}, contenders...)
}

func (s *contest) cBuffer(workload string, j job) contender {
	if workload == "levels" {
		workload = "chunks"
	}
	return contender{result.C, func(reps int) (answer, error) {
		return s.c.command(append(append([]any{workload}, j.numbers()...), j.chunkSize, reps)...)
	}}
}
