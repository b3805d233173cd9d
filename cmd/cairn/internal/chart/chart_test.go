package chart

import (
	"image/color"
	"math"
	"strings"
	"testing"
)

// lightness returns the first coordinate of a colour in Oklab.
func lightness(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return 0.2104542553*l + 0.7936177850*m - 0.0040720468*s
}

func TestColourScaleGetsLighterTowardsItsMiddle(t *testing.T) {
	const steps = 400
	last := -1.0
	for i := range steps + 1 {
		l := lightness(scaleColour(float64(i) / steps))
		rising := i <= steps/2
		if i > 0 && (rising && l < last-0.004 || !rising && l > last+0.004) {
			t.Fatalf("at %.3f lightness goes from %.3f to %.3f", float64(i)/steps, last, l)
		}
		last = l
	}
	if l := lightness(scaleColour(0.5)); l < 0.93 {
		t.Errorf("the middle has lightness %.2f", l)
	}
	if scaleColour(-3) != scaleColour(0) || scaleColour(7) != scaleColour(1) {
		t.Error("values outside are not clamped")
	}
}

func TestFontDrawsEveryCharacterThatLabelsUse(t *testing.T) {
	f := newFont()
	const text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:-−+/%()°×=?'[]_"
	seen := map[[glyphHeight]uint8]rune{}
	for _, r := range text {
		g, ok := f[r]
		if !ok {
			t.Errorf("no glyph for %q", r)
		}
		if other, ok := seen[g]; ok && string([]rune{r, other}) != "0O" {
			t.Errorf("%q looks like %q", r, other)
		}
		seen[g] = r
	}
	if f.glyph('漢') != f['?'] {
		t.Error("an unknown character is not a question mark")
	}
	for _, sheet := range []string{capitals, smalls, signs} {
		lines := strings.Split(sheet, "\n")
		if len(lines)%(1+glyphHeight) != 0 {
			t.Errorf("sheet %.10q has %d lines", sheet, len(lines))
		}
	}
}

func TestMapShowsValuesOutlineAndLabels(t *testing.T) {
	const lats, lons = 18, 36
	m := Map{Title: "Title", Subtitle: "Below", Unit: "K", Lats: lats, Lons: lons, Low: -10, High: 10, Step: 5,
		Values: make([]float32, lats*lons), Outline: make([]float32, lats*lons)}
	for i := range m.Values {
		m.Values[i] = -10
		if i >= lats*lons/2 {
			m.Values[i] = 10
		}
		m.Outline[i] = float32(i%lons) - lons/4 // a meridian at 90° W
	}
	img := m.Draw()
	at := func(x, y int) color.RGBA { return img.At(x, y).(color.RGBA) }
	if b := img.Bounds(); b.Dx() != width || b.Dy() != height {
		t.Fatalf("image of %v", b)
	}
	if got := at(left+700, top+30); got != scaleColour(0) {
		t.Errorf("north is %v", got)
	}
	if got := at(left+700, top+mapHeight-25); got != scaleColour(1) {
		t.Errorf("south is %v", got)
	}
	dark := 0
	for x := range mapWidth / 3 {
		if l := lightness(at(left+x, top+mapHeight-25)); l < lightness(scaleColour(1))-0.05 {
			dark++
		}
	}
	if dark < 1 || dark > 6 {
		t.Errorf("the outline darkens %d pixels of a line across it", dark)
	}
	for name, area := range map[string][4]int{"title": {left, 20, 200, 40}, "subtitle": {left, 54, 200, 70}, "scale": {left, barTop + barHeight + 8, width, height}} {
		inked := 0
		for y := area[1]; y < area[3]; y++ {
			for x := area[0]; x < area[2]; x++ {
				if at(x, y) != paper {
					inked++
				}
			}
		}
		if inked < 50 {
			t.Errorf("%s: %d pixels are inked", name, inked)
		}
	}
}
