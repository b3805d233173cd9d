package ndarray

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// testdata/numpy/selections.py computes NumPy's results for selections of arrays of 0, 1, 2 …
func TestSelectionsMatchNumPy(t *testing.T) {
	table, err := os.ReadFile("testdata/numpy/selections.txt")
	if err != nil {
		t.Fatal(err)
	}
	arrays := map[string]Array[int64]{}
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")
	for _, line := range lines {
		field := strings.Split(line, "\t")
		if len(field) != 3 {
			t.Fatalf("line %q", line)
		}
		a, ok := arrays[field[0]]
		if !ok {
			a = numbersOf(t, field[0])
			arrays[field[0]] = a
		}
		if got := selectionText(t, a, field[1]); got != field[2] {
			t.Errorf("%s[%s]: %s, NumPy gives %s", field[0], field[1], got, field[2])
		}
	}
	if len(lines) < 400 || len(arrays) < 10 {
		t.Fatalf("%d lines of %d arrays", len(lines), len(arrays))
	}
}

// numbersOf returns an array with the numbers of its items.
func numbersOf(t *testing.T, text string) Array[int64] {
	t.Helper()
	var shape Shape
	if err := json.Unmarshal([]byte(text), &shape); err != nil {
		t.Fatal(err)
	}
	values := make([]int64, product(shape))
	chunks := make(Shape, len(shape))
	for i := range values {
		values[i] = int64(i)
	}
	for i, n := range shape {
		chunks[i] = n/2 + 1
	}
	a, err := FromSlice(values, shape, &Options{ChunkShape: chunks})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// selectionText formats a selection of an array as the table does.
func selectionText(t *testing.T, a Array[int64], text string) string {
	selectors, err := Parse(text)
	if err != nil {
		return "error"
	}
	s, err := selectIn(a.geometry(), selectors)
	if err != nil {
		return "error"
	}
	values, err := a.Read(t.Context(), selectors...)
	if err != nil {
		t.Fatal(err)
	}
	sum := uint32(0)
	for _, v := range values {
		sum = sum*31 + uint32(v)
	}
	list := func(v []int64) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }
	return fmt.Sprintf("%s %s %d", list(s.Shape()), list(values[:min(6, len(values))]), sum)
}
