package main

import (
	"errors"
	"io/fs"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/harness"
)

// counts are the results of a run. They are printed as JSON.
type counts struct {
	Seed     uint64         `json:"seed"`
	Cases    int            `json:"cases"`
	Calls    int            `json:"calls"` // of entry points
	Panics   int            `json:"panics"`
	Memory   int            `json:"memory"`  // calls beyond the budget
	Slow     int            `json:"slow"`    // calls beyond the time limit
	Leaks    int            `json:"leaks"`   // cases that left goroutines
	Exits    int            `json:"exits"`   // processes that died
	Unsound  int            `json:"unsound"` // repaired files that are not sound
	Opened   int            `json:"opened"`  // cases whose damaged file opens
	Seeds    int            `json:"seeds"`
	MaxAlloc uint64         `json:"max_alloc"` // most bytes that one call allocated
	MaxOver  float64        `json:"max_share"` // largest share of its budget that a call used
	Damage   map[string]int `json:"damage"`    // number of uses of each kind
	Answers  map[string]int `json:"answers"`   // of entry points, by kind of error
	// one error without a kind for each entry point
	Others   map[string]string         `json:"others"`
	Failures harness.Failures[failure] `json:"failures"`
}

// failure describes one failed case.
type failure struct {
	Case   int    `json:"case"`
	Seed   string `json:"seed_file"`
	Damage string `json:"damage"`
	Entry  string `json:"entry"`
	What   string `json:"what"`
	Detail string `json:"detail"`
}

func newCounts() *counts {
	return &counts{Damage: map[string]int{}, Answers: map[string]int{}, Others: map[string]string{}}
}

func (c *counts) good() bool {
	return c.Panics+c.Memory+c.Slow+c.Leaks+c.Exits+c.Unsound == 0
}

func (c *counts) add(o *counts) {
	c.Cases += o.Cases
	c.Calls += o.Calls
	c.Panics += o.Panics
	c.Memory += o.Memory
	c.Slow += o.Slow
	c.Leaks += o.Leaks
	c.Exits += o.Exits
	c.Unsound += o.Unsound
	c.Opened += o.Opened
	c.Seeds = max(c.Seeds, o.Seeds)
	c.MaxAlloc = max(c.MaxAlloc, o.MaxAlloc)
	c.MaxOver = max(c.MaxOver, o.MaxOver)

	for k, n := range o.Damage {
		c.Damage[k] += n
	}
	for k, n := range o.Answers {
		c.Answers[k] += n
	}
	for k, text := range o.Others {
		c.Others[k] = text
	}

	c.Failures.Add(o.Failures...)
}

// answer returns the name of the kind of an error.
func answer(err error) string {
	for _, kind := range []struct {
		err  error
		name string
	}{
		{cairn.ErrChecksum, "checksum"}, {cairn.ErrCorrupt, "corrupt"}, {cairn.ErrLimit, "limit"}, {cairn.ErrUnsupported, "unsupported"},
		{cairn.ErrNotFound, "not found"}, {cairn.ErrBounds, "bounds"}, {cairn.ErrType, "type"}, {fs.ErrNotExist, "no file"},
	} {
		if errors.Is(err, kind.err) {
			return kind.name
		}
	}
	if err == nil {
		return "ok"
	}
	return "other"
}
