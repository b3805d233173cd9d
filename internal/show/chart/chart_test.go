package chart

import (
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"slices"
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

func colours(t *testing.T, name string) *Colours {
	t.Helper()
	c, ok := ColoursNamed(name)
	if !ok {
		t.Fatalf("no colour map %s", name)
	}
	return c
}

func TestColourMaps(t *testing.T) {
	rising := func(c *Colours, from, to, sign float64) bool {
		last := lightness(c.At(from))
		for i := range 100 {
			l := lightness(c.At(from + (to-from)*float64(i)/99))
			if sign*(l-last) < -0.004 {
				return false
			}
			last = l
		}
		return true
	}
	for _, name := range ColourNames() {
		c, back := colours(t, name), colours(t, name+"-r")
		if c.At(0) != back.At(1) || c.At(-3) != c.At(0) || c.At(7) != c.At(1) {
			t.Errorf("%s: ends are wrong", name)
		}
		switch name {
		case "balance", "RdBu":
			if !rising(c, 0, 0.5, 1) || !rising(c, 0.5, 1, -1) || lightness(c.At(0.5)) < 0.93 {
				t.Errorf("%s does not get lighter towards its middle", name)
			}
		case "compass":
			if c.At(0) != c.At(1) {
				t.Errorf("%s is not cyclic", name)
			}
		default:
			if !rising(c, 0, 1, 1) || lightness(c.At(1))-lightness(c.At(0)) < 0.5 {
				t.Errorf("%s does not get lighter", name)
			}
		}
	}
	if _, ok := ColoursNamed("rainbow"); ok {
		t.Error("an unknown map is found")
	}
	if c, ok := ColoursNamed("rdbu_r"); !ok || *c != *colours(t, "RdBu-r") {
		t.Error("rdbu_r is not RdBu with its ends swapped")
	}
}

// TestKnownColourMaps compares maps with those that Matplotlib has for the same names, whose 256
// colours testdata/colourmaps.py has written into testdata/matplotlib.txt.
func TestKnownColourMaps(t *testing.T) {
	text, err := os.ReadFile("testdata/matplotlib.txt")
	if err != nil {
		t.Fatal(err)
	}

	maps := colourMaps()
	for line := range strings.Lines(string(text)) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		if len(digits) != 256*6 {
			t.Fatalf("%s has %d digits", name, len(digits))
		}
		at := slices.IndexFunc(maps, func(m colourMap) bool { return m.name == name })
		if at < 0 {
			t.Fatalf("no colour map %s", name)
		}

		table := make([]color.RGBA, 256)
		fillKnown(table, maps[at].places)
		for i, c := range table {
			want, err := hex.DecodeString(digits[6*i:][:6])
			if err != nil {
				t.Fatal(err)
			}
			for n, got := range []uint8{c.R, c.G, c.B} {
				if d := int(got) - int(want[n]); d < -1 || d > 1 {
					t.Errorf("%s: channel %d of colour %d is %d, want %d", name, n, i, got, want[n])
				}
			}
		}
	}
}

func TestFontDrawsEveryCharacterThatLabelsUse(t *testing.T) {
	f := newFont()
	const text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:-−+/%()°×=?'[]_" +
		`!"#$&*;<>@\^{|}~µ²³⁻¹±…`
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
	for _, sheet := range []string{capitals, smalls, signs, more} {
		lines := strings.Split(sheet, "\n")
		if len(lines)%(1+glyphHeight) != 0 {
			t.Errorf("sheet %.10q has %d lines", sheet, len(lines))
		}
	}
}

func TestTicks(t *testing.T) {
	at := func(year int, month, day, hour float64) float64 {
		return (float64(year)-1970)*365.2425*86400 + month*30.44*86400 + day*86400 + hour*3600
	}
	for _, c := range []struct {
		axis Axis
		most int
		want string
	}{
		{Axis{Low: 0, High: 45}, 5, "0 10 20 30 40"},
		{Axis{Low: 45, High: 0}, 5, "0 10 20 30 40"},
		{Axis{Low: -0.3, High: 0.3}, 4, "−0.2 0 0.2"},
		{Axis{Low: 79.1, High: 80.9}, 5, "79.5 80.0 80.5"},
		{Axis{Low: 5, High: 5}, 5, "5"},
		{Axis{Low: 1e9, High: 4e9}, 4, "1e9 2e9 3e9 4e9"},
		{Axis{Low: 0, High: 3.1e-7}, 4, "0 1e−7 2e−7 3e−7"},
		{Axis{Low: 10, High: 3000, Log: true}, 9, "10 20 50 100 200 500 1000 2000"},
		{Axis{Low: 1e-6, High: 1e6, Log: true}, 5, "1e−6 0.001 1 1000 1e6"},
		{Axis{Low: -180, High: 180, Kind: Longitudes}, 7, "180° 120°W 60°W 0° 60°E 120°E 180°"},
		{Axis{Low: 0, High: 360, Kind: Longitudes}, 5, "0° 90°E 180° 90°W 0°"},
		{Axis{Low: 45.2, High: 47.9, Kind: Latitudes}, 5, "46°N 47°N"},
		{Axis{Low: at(2022, 0, 0, 0), High: at(2024, 0, 0, 0), Kind: Times}, 5,
			"2022-01 2022-07 2023-01 2023-07 2024-01"},
		{Axis{Low: at(1800, 0, 0, 0), High: at(2024, 0, 0, 0), Kind: Times}, 5, "1800 1850 1900 1950 2000"},
		{Axis{Low: 0, High: 9 * 86400, Kind: Times}, 6, "1970-01-01 1970-01-03 1970-01-05 1970-01-07 1970-01-09"},
		{Axis{Low: 1577836800, High: 1577836800 + 50*86400, Kind: Times}, 4,
			"2020-01-01 2020-01-16 2020-02-01 2020-02-16"},
		{Axis{Low: 1577836800, High: 1577836800 + 35*86400, Kind: Times}, 20,
			"2020-01-01 2020-01-03 2020-01-05 2020-01-07 2020-01-09 2020-01-11 2020-01-13 2020-01-15 2020-01-17 " +
				"2020-01-19 2020-01-21 2020-01-23 2020-01-25 2020-01-27 2020-01-29 2020-02-01 2020-02-03 2020-02-05"},
		{Axis{Low: 0, High: 86400, Kind: Times}, 5, "01-01 00:00 01-01 06:00 01-01 12:00 01-01 18:00 01-02 00:00"},
		{Axis{Low: 0, High: 1, Kind: Times}, 3, "00:00:00.000 00:00:00.500 00:00:01.000"},
		{Axis{Low: math.NaN(), High: math.NaN()}, 5, "NaN"},
		{Axis{Low: math.Inf(-1), High: math.Inf(1)}, 5, "−Inf"},
		{Axis{Low: 1e300, High: 2e300, Kind: Times}, 2, "1e300 1.5e300 2e300"},
	} {
		var labels []string
		for _, m := range c.axis.Marks(c.most) {
			labels = append(labels, m.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("ticks of %v to %v: %s, want %s", c.axis.Low, c.axis.High, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -12.5: "−12.5", 3.14159265: "3.142", 123456: "123456",
		1e-7:         "1e−7",
		math.Inf(-1): "−Inf", math.MaxFloat64: "1.798e308", 0.1 + 0.2: "0.3"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) is %s, want %s", v, got, want)
		}
	}
}

// example is a chart of each kind of panel.
func example(t *testing.T) *Chart {
	const rows, columns = 18, 36
	f := &Field{Rows: rows, Columns: columns, Values: make([]float64, rows*columns),
		Outline: make([]float64, rows*columns)}
	for i := range f.Values {
		f.Values[i] = -10
		if i >= rows*columns/2 {
			f.Values[i] = 10
		}
		if i%columns == columns-1 {
			f.Values[i] = math.NaN()
		}
		f.Outline[i] = float64(i%columns) - columns/4 + 0.5
	}
	return &Chart{
		Title: "Title <&>", Subtitle: "Below", Width: 440, Height: 700,
		Scale: &Scale{Axis: Axis{Low: -10, High: 10, Label: "K"}, Colours: colours(t, "balance")},
		Panels: []Panel{
			{X: Axis{Low: 0, High: columns, Label: "x"}, Y: Axis{Low: rows, High: 0, Label: "y"}, Field: f},
			{
				X: Axis{Low: 0, High: 4}, Y: Axis{Low: 0, High: 10},
				Lines: []Line{
					{Name: "one", X: []float64{0, 1, 2, 3, 4}, Y: []float64{1, math.NaN(), 5, 50, 6}, Points: true},
					{Name: "two", X: []float64{0, 4}, Y: []float64{-1e300, math.Inf(1)}, Color: 1,
						Lows: []float64{1, 2}, Highs: []float64{4, 5}},
				},
			},
			{X: Axis{Low: 0, High: 3}, Y: Axis{Low: 0, High: 4}, Bars: &Bars{Counts: []float64{1, 0, 4}, Color: 2}},
		},
	}
}

func TestChartAsPixels(t *testing.T) {
	c := example(t)
	p := c.Draw()
	img := p.Image()
	l := c.layout()
	at := func(panel int, x, y float64) color.RGBA {
		a := l.area(panel)
		return img.RGBAAt(a.left+int(x*float64(a.width)), a.top+int(y*float64(a.height)))
	}
	scale := c.Scale.Colours
	for _, w := range []struct {
		what      string
		got, want color.RGBA
	}{
		{"north", at(0, 0.5, 0.2), scale.At(0)},
		{"south", at(0, 0.5, 0.8), scale.At(1)},
		{"no value", at(0, 0.99, 0.5), Absent()},
		{"a bar", at(2, 0.1, 0.9), Series(2)},
		{"above a bar", at(2, 0.1, 0.6), paper},
		{"the highest bar", at(2, 0.9, 0.02), Series(2)},
		{"a point", at(1, 0.5, 0.5), Series(0)},
	} {
		if w.got != w.want {
			t.Errorf("%s is %v, want %v", w.what, w.got, w.want)
		}
	}
	dark := 0
	a := l.area(0)
	for x := range a.width / 2 {
		if lightness(img.RGBAAt(a.left+x, a.top+a.height-5)) < lightness(scale.At(1))-0.05 {
			dark++
		}
	}
	if dark < 1 || dark > 6 {
		t.Errorf("the outline darkens %d pixels of a line across it", dark)
	}
	var first, second bytes.Buffer
	if err := p.WritePNG(&first); err != nil {
		t.Fatal(err)
	}
	if err := example(t).Draw().WritePNG(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("a second picture differs (%v)", err)
	}
	if back, err := png.Decode(&first); err != nil || back.Bounds() != img.Bounds() {
		t.Errorf("the file has %v (%v)", back.Bounds(), err)
	}
}

func TestChartAsSVG(t *testing.T) {
	var out bytes.Buffer
	if err := example(t).Draw().WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	var texts []string
	for d := xml.NewDecoder(&out); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
		case xml.CharData:
			texts = append(texts, string(token))
		}
	}
	if elements["image"] != 3 || elements["polyline"] == 0 || elements["circle"] < 3 || elements["rect"] < 3 {
		t.Errorf("elements: %v", elements)
	}
	for _, want := range []string{"Title <&>", "Below", "one", "two", "K", "x", "−10", "NaN"} {
		if !strings.Contains(strings.Join(texts, "|"), want) {
			t.Errorf("%q is not in the picture", want)
		}
	}
}

// TestChartOfAnySize draws charts that are too small for their parts, or have none.
func TestChartOfAnySize(t *testing.T) {
	for _, size := range []int{1, 40, 300} {
		c := example(t)
		c.Width, c.Height, c.Columns = size, size, 2
		img := c.Draw().Image()
		if size == 300 && img.Rect.Dx() != 300 {
			t.Errorf("%v, want a width of 300", img.Rect)
		}
	}
	(&Chart{}).Draw().Image()
	one := &Chart{Panels: []Panel{{Field: &Field{Rows: 1, Columns: 1, Values: []float64{1}, Smooth: true}}},
		Scale: &Scale{Colours: colours(t, "grey")}}
	one.Draw().Image()
}

// TestLinesAreClipped checks segments against a rectangle.
func TestLinesAreClipped(t *testing.T) {
	c := clipper{0, 0, 10, 10}
	for _, s := range [][]float64{ // from, to, clipped
		{1, 1, 9, 9, 1, 1, 9, 9}, {-5, 5, 15, 5, 0, 5, 10, 5}, {5, -10, 5, 5, 5, 0, 5, 5},
		{-5, -5, 20, 20, 0, 0, 10, 10},
		{-5, 0, -1, 9}, {0, 11, 10, 12}, {-8, 5, 5, 18},
	} {
		x0, y0, x1, y1, ok := c.segment(s[0], s[1], s[2], s[3])
		if ok != (len(s) > 4) || ok && (x0 != s[4] || y0 != s[5] || x1 != s[6] || y1 != s[7]) {
			t.Errorf("%v: %v %v %v %v, %v", s, x0, y0, x1, y1, ok)
		}
	}
}

func TestWholeTicks(t *testing.T) {
	for _, high := range []float64{0.5, 2.5, 11.5, 99.5} {
		a := Axis{Low: -0.5, High: high, Whole: true}
		ticks := a.Marks(9)
		if len(ticks) == 0 || len(ticks) > 13 {
			t.Errorf("up to %v: %v", high, ticks)
		}
		for _, tick := range ticks {
			if tick.At != math.Trunc(tick.At) || strings.Contains(tick.Label, ".") {
				t.Errorf("up to %v: a tick at %v, %q", high, tick.At, tick.Label)
			}
		}
	}
}
