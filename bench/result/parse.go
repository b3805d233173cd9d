package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// ParseCSV returns the measures of a file that [Report.CSV] rendered, of this version or another
// that has the same columns in any order.
func ParseCSV(r io.Reader) ([]*Measure, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("the file of rounds is empty")
	}

	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	for _, name := range csvColumns {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("the file of rounds has no column %q", name)
		}
	}

	p := rowParser{column: column, of: map[string]*Measure{}}
	for i, line := range lines[1:] {
		if err := p.row(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return p.measures, nil
}

// A rowParser adds rounds to the measure that they belong to.
type rowParser struct {
	column   map[string]int
	of       map[string]*Measure // by what identifies it
	measures []*Measure
}

func (p *rowParser) row(line []string) error {
	var failed error
	text := func(name string) string { return line[p.column[name]] }
	number := func(name string) int64 {
		n, err := strconv.ParseInt(text(name), 10, 64)
		if err != nil {
			failed = err
		}
		return n
	}

	key := Measure{Workload: text("workload"), Op: text("operation"), Data: text("data"),
		Place: text("place"), Codec: text("codec"), Level: int(number("level")),
		Filter: text("filter"), Threads: int(number("threads")), TypeSize: int(number("typesize")),
		Count: number("chunks"), Bytes: number("bytes")}
	seconds, err := strconv.ParseFloat(text("seconds"), 64)
	if err != nil {
		return err
	}
	size := number("compressed")
	if failed != nil {
		return failed
	}

	id := key.id()
	m := p.of[id]
	if m == nil {
		m = &key
		p.of[id] = m
		p.measures = append(p.measures, m)
	}
	m.Add(text("peer"), seconds, size)
	return nil
}

// id identifies a measure in runs of different versions.
func (m *Measure) id() string {
	return fmt.Sprintf("%q", []any{m.Workload, m.Op, m.Data, m.Place, m.Codec, m.Level, m.Filter,
		m.Threads, m.TypeSize, m.Count, m.Bytes})
}
