package main

import (
	"bytes"
	"fmt"

	"github.com/cairn-go/cairn/bench/result"
	"github.com/cairn-go/cairn/internal/filterchain"
	"github.com/cairn-go/cairn/shuffle"
)

// filterRuns is the number of runs per reading: one run is too short for the clock.
const filterRuns = 20

// filtersAlone compares byte and bit shuffle and their inverses for common type sizes. Both sides
// write planes without padding.
func (s *contest) filtersAlone() error {
	data := kind("walk.f8", 1<<20).Bytes
	if err := s.c.load(data); err != nil {
		return err
	}

	for _, name := range []string{"shuffle", "bitshuffle"} {
		for _, typeSize := range []int{2, 4, 8, 16} {
			ours, err := newFilterSide(name, typeSize, data[:blockSize])
			if err != nil {
				return err
			}

			measures := make([]*result.Measure, 2)
			for i, op := range []string{"forward", "back"} {
				measures[i] = &result.Measure{Workload: "filters", Op: op, Data: fmt.Sprintf("typesize %d", typeSize), Filter: name, TypeSize: typeSize, Bytes: blockSize}
			}
			err = s.compete(max(s.rounds, 7), measures, // rounds are short
				contender{result.C, func(reps int) (answer, error) {
					return s.c.command("filter", name, typeSize, blockSize, filterRuns, reps)
				}},
				contender{result.Cairn, ours.round})
			if err != nil {
				return fmt.Errorf("%s %d: %w", name, typeSize, err)
			}
		}
	}
	return nil
}

// A filterSide holds a block and the filtered block.
type filterSide struct {
	chain   filterchain.Chain
	ctx     shuffle.Context
	scratch filterchain.Scratch
	block   []byte
	there   []byte
	back    []byte
}

func newFilterSide(name string, typeSize int, block []byte) (*filterSide, error) {
	spec, err := shuffle.ParseSpec(name)
	if err != nil {
		return nil, err
	}
	f := &filterSide{block: block, back: make([]byte, len(block)), ctx: shuffle.Context{TypeSize: typeSize}}
	if err := f.chain.Set(shuffle.Pipeline{5: spec}, nil); err != nil {
		return nil, err
	}
	out, _, err := f.chain.Forward(&f.scratch, block, 1, &f.ctx)
	f.there = bytes.Clone(out)
	return f, err
}

// round returns the fastest readings.
func (f *filterSide) round(reps int) (answer, error) {
	times, err := fastest(reps, f.reading)
	if err == nil && !bytes.Equal(f.block, f.back) {
		err = errChanged
	}
	return answer{Seconds: times}, err
}

// reading returns the mean time of filterRuns runs for each direction.
func (f *filterSide) reading() ([]float64, error) {
	forward, err := since(func() error {
		for range filterRuns {
			if _, _, err := f.chain.Forward(&f.scratch, f.block, 1, &f.ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	backward, err := since(func() error {
		for range filterRuns {
			if err := f.chain.Backward(f.back, &f.scratch, f.there, len(f.there), 1, &f.ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return []float64{forward / filterRuns, backward / filterRuns}, err
}
