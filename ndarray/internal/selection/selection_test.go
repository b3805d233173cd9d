package selection

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestSelectMatchesNumPy(t *testing.T) {
	shape := []int64{10, 20, 30}
	for _, c := range []struct{ text, want string }{
		{"", "[0 0 0] [10 20 30] [10 20 30]"},
		{"2:4", "[2 0 0] [4 20 30] [2 20 30]"},
		{"-3:", "[7 0 0] [10 20 30] [3 20 30]"},
		{":-3, 5", "[0 5 0] [7 6 30] [7 30]"},
		{"..., -1", "[0 0 29] [10 20 30] [10 20]"},
		{"1, ..., 2", "[1 0 2] [2 20 3] [20]"},
		{"1,2,3", "[1 2 3] [2 3 4] []"},
		{"1,2,3,...", "[1 2 3] [2 3 4] []"},
		{"...", "[0 0 0] [10 20 30] [10 20 30]"},
		{":, 18:99, 40:50", "[0 18 30] [10 20 30] [10 2 0]"},
		{"5:2", "[5 0 0] [5 20 30] [0 20 30]"},
		{"-99:99:1", "[0 0 0] [10 20 30] [10 20 30]"},
		{"[0:1,]", "[0 0 0] [1 20 30] [1 20 30]"},
		{" - 1 ", "error"},
		{"::", "[0 0 0] [10 20 30] [10 20 30]"},
	} {
		selectors, err := Parse(c.text)
		got := "error"
		if err == nil {
			s, err := Choose(shape, selectors)
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
				continue
			}
			got = fmt.Sprint(s.Start, s.Stop, s.Shape())
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestSelectRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
	}{
		{"10", cairn.ErrBounds},
		{"-11", cairn.ErrBounds},
		{"1,1,1", cairn.ErrBounds},
		{"..., ...", cairn.ErrBounds},
		{"[0, 10]", cairn.ErrBounds},
		{"[-11]", cairn.ErrBounds},
		{"[True, False]", cairn.ErrBounds},
		{"None, 1, 1, 1", cairn.ErrBounds},
	} {
		if _, err := chosen([]int64{10, 20}, c.text); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.text, err, c.want)
		}
	}
	if _, err := Choose([]int64{10, 20}, []Selector{{HasStep: true}}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("a step of 0: %v", err)
	}
	many := Selector{Kind: List, List: make([]int64, 1<<20)}
	if _, err := Choose([]int64{1, 1, 1, 1}, []Selector{many, many, many, many}); !errors.Is(err, cairn.ErrBounds) {
		t.Errorf("2^80 items: %v", err)
	}
	for _, text := range []string{"[[1]", "[1]]", "[1, True]", "[1:2], [:", "[1][2]",
		"[None, [1, 2]", "[1, , 2]",
		"none", "[[[1]]]", ",", "1,,2", "a", "1:2:3:4",
		"::0", "[1", "1.5", "99999999999999999999", ".."} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%q parsed as %v", text, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "10:20, :, -5, ...", "[::2]",
		"-9223372036854775808:9223372036854775807", "::-1,", "a",
		"::-9223372036854775808", "[1, -2, 5], None", "[True, False], newaxis, ...", "[[1,2],3]", "[]"} {
		f.Add(text, int64(7))
	}
	f.Fuzz(func(t *testing.T, text string, extent int64) {
		selectors, err := Parse(text)
		if err != nil {
			return
		}
		// The text of a selector parses to the same selector.
		printed := fmt.Sprint(selectors)
		for i, s := range selectors {
			again, err := Parse(s.String())
			if err != nil || len(again) != 1 || !reflect.DeepEqual(again[0], s) {
				t.Fatalf("%q: selector %d prints as %q, which parses as %v, %v", text, i, s, again, err)
			}
		}
		extent &= math.MaxInt64
		shape := []int64{extent, 1, extent / 2, 0}
		s, err := Choose(shape, selectors)
		if err != nil {
			return
		}
		for i := range shape {
			if s.Start[i] < 0 || s.Start[i] > s.Stop[i] || s.Stop[i] > shape[i] {
				t.Fatalf("%s of %v: %v to %v", printed, shape, s.Start, s.Stop)
			}
		}
		if slices.ContainsFunc(s.Shape(), func(n int64) bool { return n < 0 }) {
			t.Fatalf("%s of %v: shape %v", printed, shape, s.Shape())
		}
	})
}

func chosen(shape []int64, text string) (Selection, error) {
	selectors, err := Parse(text)
	if err != nil {
		return Selection{}, err
	}
	return Choose(shape, selectors)
}
