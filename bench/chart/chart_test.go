package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// An element is the part of an SVG element that tests use.
type element struct {
	name, text string
	attributes map[string]string
}

func (e *element) number(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attributes[name], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatalf("%s of %v: %v", name, e, err)
	}
	return v
}

// readBack parses NAME.svg, and checks that all elements are within the picture.
func readBack(t *testing.T, dir, name string) []element {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name+".svg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []element
	decoder := xml.NewDecoder(f)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			all[max(0, len(all)-1)].text += strings.TrimSpace(string(token))
		}
		if len(all) == 0 {
			all = append(all, element{})
		}
	}
	width, height := all[0].number(t, "width"), all[0].number(t, "height")
	for i := range all {
		for x, y := range map[string]string{"x": "y", "x1": "y1", "x2": "y2", "cx": "cy"} {
			if e := &all[i]; e.attributes[x] != "" {
				if x, y := e.number(t, x), e.number(t, y); x < 0 || x > width || y < 0 || y > height {
					t.Errorf("%v is outside of %v × %v", e, width, height)
				}
			}
		}
	}
	return all
}

func filled(all []element, name string, c color.RGBA) (found []element) {
	for _, e := range all {
		if e.name == name && e.attributes["fill"] == fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) {
			found = append(found, e)
		}
	}
	return found
}

func wantTexts(t *testing.T, all []element, texts ...string) {
	t.Helper()
	for _, want := range texts {
		found := false
		for _, e := range all {
			found = found || e.name == "text" && e.text == want
		}
		if !found {
			t.Errorf("%q is not in the chart", want)
		}
	}
}

func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	dir := t.TempDir()
	g := Group{Title: "speed <of> everything", Categories: []string{"lz4", "a rather long name"}, Series: []Series{
		{Name: "one", Values: []float64{3, math.NaN()}, Color: 1}, {Name: "two", Values: []float64{200, 100}, Color: 2}}}
	if err := Bars(dir, "bars", "MB/s", false, 1, g, Group{Title: "nothing", Categories: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	all := readBack(t, dir, "bars")
	wantTexts(t, all, "speed <of> everything", "a rather long name", "two", "MB/s", "nothing")
	// The last rectangle of a colour is that of the legend.
	if one := filled(all, "rect", Color(1)); len(one) != 2 {
		t.Errorf("%d rectangles for a number and a place without one", len(one))
	}
	two := filled(all, "rect", Color(2))
	if ratio := two[0].number(t, "height") / two[1].number(t, "height"); math.Abs(ratio-2) > 0.01 {
		t.Errorf("twice the value is %.3f times as high", ratio)
	}
}

func TestLogAxisIsLogarithmic(t *testing.T) {
	dir := t.TempDir()
	g := Group{Categories: []string{"a", "b", "c"}, Series: []Series{{Name: "s", Values: []float64{1, 10, 100}, Color: 3}}}
	if err := Bars(dir, "bars", "", true, 0, g); err != nil {
		t.Fatal(err)
	}
	bars := filled(readBack(t, dir, "bars"), "rect", Color(3))
	first := bars[1].number(t, "height") - bars[0].number(t, "height")
	second := bars[2].number(t, "height") - bars[1].number(t, "height")
	if first < 10 || math.Abs(first-second) > 0.2 {
		t.Errorf("factors of ten are %.1f and %.1f pixels", first, second)
	}
}

func TestDotsAreAtTheirValues(t *testing.T) {
	dir := t.TempDir()
	g := Group{Title: "times", Categories: []string{"a", "b", "c", "d"}, Series: []Series{
		{Name: "s", Values: []float64{1, 10, 100, math.NaN()}, Color: 3}}}
	if err := Dots(dir, "dots", "times as long", g); err != nil {
		t.Fatal(err)
	}
	all := readBack(t, dir, "dots")
	wantTexts(t, all, "times", "times as long", "d", "s", "10")
	dots := filled(all, "circle", Color(3))[1:] // the first is that of the legend
	if len(dots) != 3 {
		t.Fatalf("%d dots for three values", len(dots))
	}
	first := dots[1].number(t, "cx") - dots[0].number(t, "cx")
	second := dots[2].number(t, "cx") - dots[1].number(t, "cx")
	if first < 10 || math.Abs(first-second) > 0.2 {
		t.Errorf("factors of ten are %.1f and %.1f pixels", first, second)
	}
}

func TestLinesGoThroughTheirPoints(t *testing.T) {
	dir := t.TempDir()
	line := Line{Name: "ours", X: []float64{1, 10, 1000}, Y: []float64{5, 50, 2}, Labels: []string{"1", "2", "level 9"}, Color: 1}
	point := Line{Name: "theirs", X: []float64{7}, Y: []float64{7}, Color: 2}
	rows := [][]Panel{{{Title: "left", X: "chunks", Y: "µs", Lines: []Line{line, point}}, {Title: "right", LinearX: true, Lines: []Line{line}}},
		{{Title: "alone", LinearX: true, Lines: []Line{point}}, {Title: "empty"}}}
	if err := Lines(dir, "lines", rows); err != nil {
		t.Fatal(err)
	}
	all := readBack(t, dir, "lines")
	wantTexts(t, all, "left", "right", "alone", "theirs", "level 9", "chunks")
	dots := filled(all, "circle", Color(1))
	if len(dots) != 6 {
		t.Fatalf("%d points", len(dots))
	}
	x := func(i int) float64 { return dots[i].number(t, "cx") }
	if ratio := (x(2) - x(0)) / (x(1) - x(0)); math.Abs(ratio-3) > 0.02 {
		t.Errorf("three decades are %.2f times as long as one", ratio)
	}
	if ratio := (x(5) - x(3)) / (x(4) - x(3)); math.Abs(ratio-111) > 2 {
		t.Errorf("on a linear axis 999 is %.1f times as long as 9", ratio)
	}
}
