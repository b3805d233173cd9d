package chart

import (
	"math"
	"slices"
	"testing"
)

// TestScatter checks that points are where their values say: further right and up is more, in the
// same place in planes with the same values of X, and that names are on the side asked for.
func TestScatter(t *testing.T) {
	dir := t.TempDir()
	planes := []Plane{
		{"one", []Point{{Name: "a", X: 1, Y: 2, Color: 1}, {Name: "b", X: 3, Y: 20, Color: 2, Left: true, Below: true}}},
		{"two", []Point{{Name: "a", X: 1, Y: 0.5, Color: 1}, {Name: "b", X: 3, Y: 0.1, Color: 2, Hollow: true}}},
	}
	if err := Scatter(dir, "plane", "Title", "x", "y", planes); err != nil {
		t.Fatal(err)
	}

	all := readBack(t, dir, "plane")
	var dots, names []element
	for _, e := range all {
		switch {
		case e.name == "circle" && e.number(t, "r") == 6:
			dots = append(dots, e)
		case e.name == "text" && (e.text == "a" || e.text == "b"):
			names = append(names, e)
		}
	}
	if len(dots) != 4 || len(names) != 4 {
		t.Fatalf("%d dots and %d names, want 4", len(dots), len(names))
	}

	x := func(i int) float64 { return dots[i].number(t, "cx") }
	y := func(i int) float64 { return dots[i].number(t, "cy") }
	if x(0) >= x(1) || math.Abs(x(2)-x(0)-planeWidth) > 0.2 || math.Abs(x(3)-x(1)-planeWidth) > 0.2 {
		t.Errorf("dots at %v, %v, %v, %v", x(0), x(1), x(2), x(3))
	}
	if y(0) <= y(1) || y(2) >= y(3) {
		t.Errorf("dots at heights %v, %v, %v, %v", y(0), y(1), y(2), y(3))
	}
	if names[0].number(t, "x") <= x(0) || names[1].number(t, "x") >= x(1) || names[1].number(t, "y") <= y(1) {
		t.Error("a name is on the wrong side")
	}

	rings := slices.DeleteFunc(all, func(e element) bool { return e.name != "circle" || e.attributes["r"] != "3.5" })
	if len(rings) != 1 || rings[0].number(t, "cx") != x(3) {
		t.Errorf("%d rings, want one", len(rings))
	}
}
