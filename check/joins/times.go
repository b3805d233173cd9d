package main

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/cf/cftime"
)

//go:embed times.py
var timesSource string

// A timeCase is a number in units, and the times that the others make of it: "" for none.
type timeCase struct {
	Units    string  `json:"units"`
	Calendar string  `json:"calendar"`
	Value    float64 `json:"value"`
	CFTime   string  `json:"cftime"`
	Xarray   string  `json:"xarray"`
}

// times compares the times of n numbers.
func times(python string, seed uint64, n int) (err error) {
	p, versions, err := harness.Python(python, timesSource)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	fmt.Printf("seed %d, %s\n", seed, versions)

	counts := map[string]int{}
	for k := range n {
		var c timeCase
		if err := p.Call(map[string]any{"op": "draw", "seed": seed, "case": k}, &c); err != nil {
			return err
		}
		verdict := c.compare()
		counts[verdict]++
		if verdict == "other" {
			fmt.Printf("case %d: %v %q, calendar %q: %s, cftime has %s, xarray %s\n",
				k, c.Value, c.Units, c.Calendar, c.text(), c.CFTime, c.Xarray)
		}
	}

	fmt.Printf("%d times: %v\n", n, counts)
	if counts["other"] > 0 {
		return fmt.Errorf("%d times differ", counts["other"])
	}
	return nil
}

// time returns the time that cairn makes of the number.
func (c timeCase) time() (s cftime.Scale, t cftime.Time, ok bool) {
	s, ok = cftime.ParseScale(c.Units, c.Calendar)
	if ok {
		t, ok = s.Float(c.Value, 53)
	}
	return s, t, ok
}

func (c timeCase) text() string {
	if s, t, ok := c.time(); ok {
		return s.Calendar.Format(t, cftime.Micros)
	}
	return "no time"
}

// compare says how the time of cairn relates to the others.
func (c timeCase) compare() string {
	s, t, ok := c.time()
	switch {
	case !ok && c.CFTime == "" && c.Xarray == "":
		return "no time for all"
	case !ok:
		return "other"
	case c.CFTime == "" && c.Xarray == "":
		return "a time for cairn alone"
	}

	for _, text := range []string{c.Xarray, c.CFTime} { // cftime ignores what follows the date
		if text == "" {
			continue
		}
		want, _, err := s.Calendar.Span(text)
		if err == nil && c.near(t, want) {
			return "equal"
		}
	}
	return "other"
}

// near reports whether times are as near as rounding of the number brings them.
func (c timeCase) near(a, b cftime.Time) bool {
	apart := math.Abs(float64(a.Seconds-b.Seconds) + float64(a.Nanos-b.Nanos)/1e9)
	allowed := 2e-6
	if c.Value != math.Trunc(c.Value) {
		unit := 86400.0 // the longest, in seconds
		if strings.HasPrefix(c.Units, "common") {
			unit *= 365
		}
		allowed = max(allowed, math.Abs(c.Value)*0x1p-48*unit)
	}
	return apart <= allowed
}
