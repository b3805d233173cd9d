package main

import (
	"testing"
)

// TestProgramsBehaveLikeTheDenseModel runs some programs; the command runs thousands.
func TestProgramsBehaveLikeTheDenseModel(t *testing.T) {
	n := 500
	if testing.Short() {
		n = 60
	}
	if err := compareAllWithModel(1, 0, n); err != nil {
		t.Fatal(err)
	}
}

// TestEveryVerbIsDrawn checks that every verb is drawn.
func TestEveryVerbIsDrawn(t *testing.T) {
	seen := map[verb]int{}
	for i := range 300 {
		for _, s := range draw(2, i, verbs).Steps {
			seen[s.Do]++
			for _, inner := range s.Steps {
				seen[inner.Do]++
			}
		}
	}
	for _, v := range verbs {
		if seen[v] == 0 {
			t.Errorf("no step does %q", v)
		}
	}
}

// TestShrinkKeepsFailures shrinks programs that fail for a known reason, and checks the remaining
// steps.
func TestShrinkKeepsFailures(t *testing.T) {
	fails := func(p *program) *difference {
		for i, s := range p.Steps {
			if s.Do == doFill {
				return &difference{i, "it fills"}
			}
		}
		return nil
	}
	shrunk := 0
	for i := range 40 {
		p := draw(3, i, verbs)
		d := fails(p)
		if d == nil {
			continue
		}
		shrunk++
		p, d = shrink(p, d, fails)
		if len(p.Steps) != 1 || p.Steps[0].Do != doFill || p.Place != inMemory || p.Size != 1 {
			t.Errorf("program %d shrinks to %+v", i, p)
		}
		if d.step != 0 {
			t.Errorf("program %d: %+v", i, d)
		}
	}
	if shrunk < 5 {
		t.Fatalf("only %d programs fill", shrunk)
	}
}

// TestDifferencesAreSeen compares results that differ in each possible way.
func TestDifferencesAreSeen(t *testing.T) {
	for _, text := range []string{
		compare(result{data: []byte{1}}, result{data: []byte{2}}),
		compare(result{data: []byte{1}, shape: []int64{1}}, result{data: []byte{1}}),
		compare(result{err: errBounds}, result{data: []byte{1}}),
		compare(result{data: []byte{1}}, result{err: errBounds}),
		compare(result{}, result{err: errFailed}),
		compare(result{err: errBounds}, result{err: errFailed}),
	} {
		if text == "" {
			t.Error("a difference is not seen")
		}
	}
	if text := compare(result{data: []byte{1}, shape: []int64{}}, result{data: []byte{1}}); text != "" {
		t.Error(text)
	}
}

// TestLensFollowsNumPy checks selections whose results are known.
func TestLensFollowsNumPy(t *testing.T) {
	at := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		key   []axisKey
		shape []int64
		at    []int
	}{
		{[]axisKey{{Kind: "index", Start: at(-1)}}, []int64{4}, []int{8, 9, 10, 11}},
		{[]axisKey{{Kind: "range", Step: -1}, {Kind: "index", Start: at(1)}}, []int64{3}, []int{9, 5, 1}},
		{[]axisKey{{Kind: "list", List: []int64{2, 0, 2}}, {Kind: "range", Start: at(1), Step: 2}}, []int64{3, 2}, []int{9, 11, 1, 3, 9, 11}},
		{[]axisKey{{Kind: "ellipsis"}, {Kind: "mask", List: []int64{0, 1, 0, 1}}}, []int64{3, 2}, []int{1, 3, 5, 7, 9, 11}},
		{[]axisKey{{Kind: "new"}, {Kind: "range", Start: at(5)}}, []int64{1, 0, 4}, []int{}},
		{[]axisKey{{Kind: "range", Start: at(-2), Stop: at(-10), Step: -1}}, []int64{2, 4}, []int{4, 5, 6, 7, 0, 1, 2, 3}},
	} {
		l, err := whole([]int64{3, 4}).selectKey(c.key)
		if err != nil || !equal(l.shape, c.shape) || !equal(l.at, c.at) {
			t.Errorf("%+v: %v %v, %v", c.key, l.shape, l.at, err)
		}
	}
}

func equal[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
