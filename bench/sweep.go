package main

import (
	"fmt"

	"github.com/cairn-go/cairn/bench/data"
)

// A sweep says what a workload goes through: the data sets, and the parameters where it does not
// take those of the command line.
type sweep struct {
	planes bool                               // only data of several dimensions
	part   func(*data.Set) (*data.Set, error) // what is taken of a data set; nil for all

	codecs, filters []string
	levels, threads []int
	chunkSize       int
}

// onArrays are the parameters of workloads with arrays: codecs that differ much, one filter.
func (s *contest) onArrays() sweep {
	p := sweep{planes: true, filters: []string{"shuffle"}, levels: s.levels[:1], codecs: []string{}}
	for _, codec := range s.codecs {
		if codec == "lz4" || codec == "zstd" {
			p.codecs = append(p.codecs, codec)
		}
	}
	return p
}

// each passes every data set to the C side, and calls work with it and every combination of
// parameters.
func (s *contest) each(p sweep, work func(*data.Set, job) error) error {
	sets, err := s.dataSets()
	if err != nil {
		return err
	}
	for _, set := range sets {
		if p.planes && len(set.Shape) < 2 {
			continue
		}
		if p.part != nil {
			if set, err = p.part(set); err != nil {
				return err
			}
		}

		jobs, err := s.jobs(p, set.TypeSize)
		if err != nil {
			return err
		}
		if err := s.c.load(set.Bytes); err != nil {
			return err
		}
		for _, j := range jobs {
			if err := work(set, j); err != nil {
				return fmt.Errorf("%s %v: %w", set.Name, j, err)
			}
		}
	}
	return nil
}

// jobs returns every combination of parameters for items of a size.
func (c *config) jobs(p sweep, typeSize int) ([]job, error) {
	chunkSize := c.chunkSize
	if p.chunkSize > 0 {
		chunkSize = p.chunkSize
	}

	var out []job
	for _, codec := range or(p.codecs, c.codecs) {
		for _, filter := range or(p.filters, c.filters) {
			for _, level := range or(p.levels, c.levels) {
				for _, threads := range or(p.threads, c.threads) {
					j, err := newJob(codec, filter, level, threads, typeSize, chunkSize)
					if err != nil {
						return nil, err
					}
					out = append(out, j)
				}
			}
		}
	}
	return out, nil
}

// or returns the first list unless it is nil.
func or[T any](list, otherwise []T) []T {
	if list == nil {
		return otherwise
	}
	return list
}

// middle returns at most size bytes from the middle of a set.
func middle(set *data.Set, size int) *data.Set {
	part := *set
	size = min(size, len(part.Bytes)) / part.TypeSize * part.TypeSize
	at := (len(part.Bytes) - size) / 2 / part.TypeSize * part.TypeSize
	part.Bytes = part.Bytes[at : at+size]
	return &part
}
