package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// ReadCSV returns the measures that [Report.CSV] wrote, with all rounds.
func ReadCSV(r io.Reader) ([]*Measure, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	for _, name := range []string{"workload", "operation", "data", "codec", "threads", "bytes", "peer", "seconds",
		"compressed"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("no column %q", name)
		}
	}
	type identity struct{ workload, op, data, place, codec, level, filter, threads, typeSize, count string }
	var all []*Measure
	known := map[identity]*Measure{}
	for i, line := range lines[1:] {
		text := func(name string) string { return line[column[name]] }
		k := identity{text("workload"), text("operation"), text("data"), text("place"), text("codec"), text("level"),
			text("filter"), text("threads"), text("typesize"), text("chunks")}
		m := known[k]
		if m == nil {
			m = &Measure{Workload: k.workload, Op: k.op, Data: k.data, Place: k.place, Codec: k.codec, Filter: k.filter}
			known[k], all = m, append(all, m)
		}
		var bad error
		number := func(name string) int64 {
			n, err := strconv.ParseInt(text(name), 10, 64)
			if err != nil {
				bad = err
			}
			return n
		}
		m.Level, m.Threads, m.TypeSize = int(number("level")), int(number("threads")), int(number("typesize"))
		m.Count, m.Bytes = number("chunks"), number("bytes")
		seconds, err := strconv.ParseFloat(text("seconds"), 64)
		if err != nil {
			bad = err
		}
		if m.Add(text("peer"), seconds, number("compressed")); bad != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, bad)
		}
	}
	return all, nil
}
