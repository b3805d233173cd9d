package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/storage"
)

// Files of the C library have no checksums, so some changes of bits cannot be detected. This part
// counts them by codec.

// flipForeign changes single bits in files of the C library, points in all, and counts the
// undetected ones. They do not count as losses.
func (c *crasher) flipForeign(pattern string, seed uint64, points int) error {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0xf0e))
	for i, name := range names {
		c.allot(2 * len(names))
		f := &flips{}
		share := points*(i+1)/len(names) - points*i/len(names)
		if err := c.flipFile(f, name, share, rng); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		codec := codecOf(name)
		all := c.report.Foreign[codec]
		all.add(*f)
		c.report.Foreign[codec] = all
	}
	return nil
}

// codecOf returns the codec in the name of a golden: cover-007-zlib-….
func codecOf(name string) string {
	parts := strings.Split(filepath.Base(name), "-")
	return parts[min(2, len(parts)-1)]
}

func (c *crasher) flipFile(f *flips, name string, points int, rng *rand.Rand) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	m := storage.NewMemory()
	file, err := m.Create(programName)
	if err != nil {
		return err
	}
	if _, err := file.WriteAt(b, 0); err != nil {
		return err
	}
	want, err := lookAtFrame(m, programName)
	if err != nil {
		return err
	}
	whole := target{name: programName, size: int64(len(b))}
	for range points {
		if c.over() {
			break
		}
		undo, err := whole.flip(m, rng.Int64N(8*whole.size), 1)
		if err != nil {
			return err
		}
		got, err := lookAtFrame(m, programName)
		f.count(err, got == want)
		if err := undo(); err != nil {
			return err
		}
	}
	return nil
}
