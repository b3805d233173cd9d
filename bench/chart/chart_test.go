package chart

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readBack checks that both files are there and can be read, and returns the text of the SVG.
func readBack(t *testing.T, dir, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string]bool{}
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			r, g, b, _ := picture.At(x, y).RGBA()
			colours[string([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})] = true
		}
	}
	r, g, b, _ := Color(1).RGBA()
	if !colours[string([]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})] {
		t.Error("nothing is drawn in the series' colour")
	}
	text, err := os.ReadFile(filepath.Join(dir, name+".svg"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBars(t *testing.T) {
	for _, log := range []bool{false, true} {
		dir := t.TempDir()
		g := Group{Title: "speed of everything", Categories: []string{"lz4", "a rather long name"}, Series: []Series{
			{Name: "one", Values: []float64{3, math.NaN()}, Color: 1}, {Name: "two", Values: []float64{200, 0.5}, Color: 2}}}
		if err := Bars(dir, "bars", "MB/s", log, 1, g, Group{Title: "nothing", Categories: []string{"x"}}); err != nil {
			t.Fatal(err)
		}
		text := readBack(t, dir, "bars")
		for _, want := range []string{"speed of everything", "a rather long name", "two", "MB/s"} {
			if !strings.Contains(text, want) {
				t.Errorf("log %v: %q is not in the chart", log, want)
			}
		}
	}
}

func TestLines(t *testing.T) {
	dir := t.TempDir()
	line := Line{Name: "ours", X: []float64{1, 10, 1000}, Y: []float64{5, 50, 2}, Labels: []string{"1", "2", "level 9"}, Color: 1}
	point := Line{Name: "theirs", X: []float64{7}, Y: []float64{7}, Color: 2}
	rows := [][]Panel{{{Title: "left", X: "chunks", Y: "µs", Lines: []Line{line, point}}, {Title: "right", LinearX: true, Lines: []Line{line}}},
		{{Title: "alone", LinearX: true, Lines: []Line{point}}, {Title: "empty"}}}
	if err := Lines(dir, "lines", rows); err != nil {
		t.Fatal(err)
	}
	text := readBack(t, dir, "lines")
	for _, want := range []string{"left", "right", "alone", "theirs", "level 9", "chunks"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the chart", want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0, 45, "0 10 20 30 40"}, {79.1, 80.9, "79.5 80 80.5"}, {5, 5, "5"}} {
		var got []string
		for _, tick := range (round{}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("ticks of %v to %v are %v, want %v", c.low, c.high, got, c.want)
		}
	}
	var got []string
	for _, tick := range (decades{}).Ticks(10, 3000) {
		got = append(got, tick.Label)
	}
	if strings.Join(got, ",") != "10,20,50,100,200,500,1 k,2 k" {
		t.Errorf("ticks are %q", got)
	}
}
