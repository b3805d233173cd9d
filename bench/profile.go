package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

// profile runs only cairn, over all data sets, and writes a CPU profile of one direction.
func profile(c *config) error {
	sets, err := c.dataSets()
	if err != nil {
		return err
	}
	f, err := os.Create(c.profile)
	if err != nil {
		return err
	}
	defer f.Close()
	var work []func() error
	for _, set := range sets {
		jobs, err := c.jobs(set.TypeSize)
		if err != nil {
			return err
		}
		back := make([]byte, len(set.Bytes))
		for _, j := range jobs {
			s := &frameSide{job: j}
			compress := func() error {
				if err := s.prepare(); err != nil {
					return err
				}
				_, err := timed(wallClock, set.Bytes, j.chunkSize, func(i int, src []byte) error {
					_, err := s.compress(i, src)
					return err
				})
				return err
			}
			if err := compress(); err != nil {
				return err
			}
			switch c.profileTarget {
			case "compress":
				work = append(work, compress)
			case "decompress":
				work = append(work, func() error {
					_, err := timed(wallClock, back, j.chunkSize, s.decompress)
					return err
				})
			default:
				return fmt.Errorf("unknown direction %q", c.profileTarget)
			}
		}
	}
	runtime.GC()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for start := time.Now(); time.Since(start) < 5*time.Second; {
		for _, w := range work {
			if err := w(); err != nil {
				return err
			}
		}
	}
	return nil
}
