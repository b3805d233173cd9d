package derived

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The schema of a table is a JSON text. Stale parts are replaced in the text, so that the rest
// stays as python-blosc2 wrote it.

// edit is a replacement in the text.
type edit struct {
	from, to int
	text     string
}

// staleSchema returns the schema to write before the part changes. If the part is the array of
// valid rows, the number of rows is removed; otherwise the generated columns that depend on the
// part are marked.
func (p Part) staleSchema(text string) (string, error) {
	readable := WithoutNaN(text, func(word string) string { return strings.Repeat("1", len(word)) })
	members, err := members(readable, 0, '{')
	if err != nil {
		return "", fmt.Errorf("schema: %w", err)
	}

	var edits []edit
	for _, m := range members {
		switch {
		case m.key == "n_rows" && p.Name == ValidRows && text[m.from:m.to] != "null":
			edits = append(edits, edit{m.from, m.to, "null"})
		case m.key == "materialized_columns" && p.Name != ValidRows:
			more, err := p.staleGenerated(readable[m.from:m.to], m.from)
			if err != nil {
				return "", fmt.Errorf("schema: %w", err)
			}
			edits = append(edits, more...)
		}
	}

	for _, e := range slices.Backward(edits) {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return text, nil
}

// generated is a stored column that python-blosc2 computes from others.
type generated struct {
	Name    string   `json:"name"`
	Sources []string `json:"col_deps"`
	Stale   bool     `json:"stale"`
}

// staleGenerated marks the generated columns that depend on the part, directly or indirectly. list
// is the JSON list of generated columns, at offset at of the text.
func (p Part) staleGenerated(list []byte, at int) ([]edit, error) {
	if string(list) == "null" {
		return nil, nil
	}
	var columns []generated
	if err := json.Unmarshal(list, &columns); err != nil {
		return nil, err
	}

	places, err := members(list, at, '[')
	if err != nil {
		return nil, err
	}

	var reached []int
	dependents := map[string][]int{}
	seen := make([]bool, len(columns))

	reach := func(i int) {
		if !seen[i] {
			seen[i] = true
			reached = append(reached, i)
		}
	}

	for i, c := range columns {
		for _, source := range c.Sources {
			dependents[source] = append(dependents[source], i)
			if p.isOf(source) {
				reach(i)
			}
		}
	}

	for k := 0; k < len(reached); k++ { // reached grows
		for _, i := range dependents[columns[reached[k]].Name] {
			reach(i)
		}
	}

	var edits []edit
	for i := range columns {
		if seen[i] && !columns[i].Stale {
			e, err := markGenerated(list[places[i].from-at:places[i].to-at], places[i].from)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
	}
	return edits, nil
}

// markGenerated marks one column, a JSON object at offset at of the text.
func markGenerated(object []byte, at int) (edit, error) {
	fields, err := members(object, at, '{')
	if err != nil {
		return edit{}, err
	}

	for _, f := range slices.Backward(fields) {
		if f.key == "stale" {
			return edit{f.from, f.to, "true"}, nil
		}
	}
	return edit{at + 1, at + 1, `"stale": true, `}, nil
}

// member is a value in a JSON object or list, and its key in an object.
type member struct {
	key      string
	from, to int
}

// members returns the members of a JSON object or list at offset at of the text.
func members(text []byte, at int, open json.Delim) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if t != open {
		return nil, fmt.Errorf("begins with %v, want %v", t, open)
	}

	var found []member
	for d.More() {
		m := member{}
		if open == '{' {
			t, err := d.Token()
			if err != nil {
				return nil, err
			}
			m.key, _ = t.(string)
		}

		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		m.to = at + int(d.InputOffset())
		m.from = m.to - len(raw)
		found = append(found, m)
	}

	_, err = d.Token()
	return found, err
}

// WithoutNaN replaces the numbers that Python writes but JSON does not have: NaN, Infinity and
// -Infinity.
func WithoutNaN(text string, by func(word string) string) []byte {
	var out []byte
	quoted := false
	for len(text) > 0 {
		n := 1
		switch {
		case quoted && text[0] == '\\':
			n = min(2, len(text))
		case text[0] == '"':
			quoted = !quoted
		case !quoted:
			for _, word := range [...]string{"NaN", "-Infinity", "Infinity"} {
				if rest, ok := strings.CutPrefix(text, word); ok {
					out = append(out, by(word)...)
					text = rest
					n = 0
				}
			}
		}

		out = append(out, text[:n]...)
		text = text[n:]
	}
	return out
}
