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
