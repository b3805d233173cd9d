package chart

import (
	"image/color"
	"math"
	"slices"
	"strings"
)

// anchor is a colour that a map passes through, in Oklab: lightness and two opponent axes (green to
// red, blue to yellow).
type anchor struct {
	at      float64 // 0 to 1
	l, a, b float64
}

// A colourMap is a row of the table of maps.
type colourMap struct {
	name string
	// the middle is a colour of its own, for zero
	diverging bool
	even      bool // equal steps of values are equal distances in Oklab, wherever the anchors are
	anchors   []anchor
	places    string // instead of anchors: see fillKnown
}

// colourMaps lists the maps; the first is for values without a middle.
func colourMaps() []colourMap {
	return []colourMap{
		// Lightness rises evenly, while the hue goes from violet through sea green to yellow.
		{name: "lagoon", even: true, anchors: []anchor{
			{0.00, 0.22, 0.055, -0.105},
			{0.22, 0.37, 0.005, -0.125},
			{0.45, 0.53, -0.070, -0.060},
			{0.65, 0.68, -0.115, 0.040},
			{0.83, 0.82, -0.085, 0.125},
			{1.00, 0.96, -0.030, 0.125},
		}},

		// From black through the colours of hot iron.
		{name: "ember", even: true, anchors: []anchor{
			{0.00, 0.08, 0.000, -0.010},
			{0.22, 0.29, 0.085, -0.085},
			{0.45, 0.49, 0.155, -0.010},
			{0.66, 0.66, 0.135, 0.105},
			{0.84, 0.82, 0.035, 0.145},
			{1.00, 0.97, -0.015, 0.080},
		}},
		{name: "grey", even: true, anchors: []anchor{{0, 0.1, 0, 0}, {1, 0.97, 0, 0}}},

		// A diverging map. Its middle is the lightest, so that lightness alone tells how far from
		// the middle a value is; hue tells the side. Each side runs through a second hue, which
		// keeps neighbouring values apart.
		{name: "balance", diverging: true, anchors: []anchor{
			{0.000, 0.24, 0.060, -0.130}, // night violet
			{0.140, 0.38, -0.005, -0.160},
			{0.280, 0.58, -0.065, -0.115}, // sea blue
			{0.400, 0.79, -0.065, -0.045},
			{0.500, 0.965, -0.012, 0.022}, // pale
			{0.600, 0.88, 0.000, 0.115},   // straw
			{0.720, 0.74, 0.085, 0.125},   // amber
			{0.860, 0.53, 0.165, 0.090},   // brick
			{1.000, 0.29, 0.120, 0.025},   // dark wine
		}},
		{name: "compass", even: true, anchors: compass()},

		{name: "viridis", places: viridis},
		{name: "magma", places: magma},
		{name: "inferno", places: inferno},
		{name: "plasma", places: plasma},
		{name: "cividis", places: cividis},
		{name: "RdBu", diverging: true, places: rdbu},
	}
}

// compass is a cyclic map: a circle of hues around grey, tilted so that opposite directions differ
// in lightness too.
func compass() (anchors []anchor) {
	const steps = 24
	for i := range steps + 1 {
		at := float64(i) / steps
		sin, cos := math.Sincos(2 * math.Pi * at)
		anchors = append(anchors, anchor{at, 0.62 - 0.2*cos, -0.025 + 0.085*sin, 0.095*cos*0.6 - 0.05*cos*cos})
	}
	return anchors
}

// mapSteps is the number of colours of a map. A picture with other colours beside them still has
// less than 256.
const mapSteps = 160

// Colours is a colour map: a colour for each number from 0 to 1.
type Colours struct {
	table     [mapSteps]color.RGBA
	diverging bool
}

// ColoursNamed returns the colour map of a name, in upper or lower case, or false if no map has it.
// With -r behind the name, or _r as in Matplotlib, the ends of the map are swapped.
func ColoursNamed(name string) (*Colours, bool) {
	base, backwards := strings.CutSuffix(strings.ReplaceAll(name, "_", "-"), "-r")
	for _, m := range colourMaps() {
		if !strings.EqualFold(m.name, base) {
			continue
		}

		c := &Colours{diverging: m.diverging}
		m.fill(&c.table)
		if backwards {
			slices.Reverse(c.table[:])
		}
		return c, true
	}
	return nil, false
}

// ColourNames lists the names of colour maps; the first is for values without a middle.
func ColourNames() (names []string) {
	for _, m := range colourMaps() {
		names = append(names, m.name)
	}
	return names
}

// Diverging reports whether the middle of the map stands for zero.
func (c *Colours) Diverging() bool { return c.diverging }

// At returns the colour at t, which is clamped to 0…1.
func (c *Colours) At(t float64) color.RGBA {
	last := len(c.table) - 1
	return c.table[int(math.Round(min(1, max(0, t))*float64(last)))]
}

// fill computes the colours.
func (m *colourMap) fill(table *[mapSteps]color.RGBA) {
	if m.places != "" {
		fillKnown(table[:], m.places)
		return
	}

	last := float64(len(table) - 1)
	if !m.even {
		for i := range table {
			p := m.at(float64(i) / last)
			table[i] = oklab(p.l, p.a, p.b)
		}
		return
	}

	const fine = 4096
	lengths := make([]float64, fine+1) // from the beginning
	before := m.at(0)
	for i := 1; i <= fine; i++ {
		p := m.at(float64(i) / fine)
		lengths[i] = lengths[i-1] + math.Sqrt(square(p.l-before.l)+square(p.a-before.a)+square(p.b-before.b))
		before = p
	}

	k := 0
	for i := range table {
		want := float64(i) / last * lengths[fine]
		for k < fine && lengths[k] < want {
			k++
		}
		p := m.at(float64(k) / fine)
		table[i] = oklab(p.l, p.a, p.b)
	}
}

// at returns the point of the path at t: on straight lines between the anchors.
func (m *colourMap) at(t float64) anchor {
	i := 1
	for i < len(m.anchors)-1 && m.anchors[i].at < t {
		i++
	}

	p := m.anchors[i-1]
	q := m.anchors[i]
	w := (t - p.at) / (q.at - p.at)
	return anchor{t, p.l + w*(q.l-p.l), p.a + w*(q.a-p.a), p.b + w*(q.b-p.b)}
}

// oklab converts to sRGB; what lies outside is clipped.
func oklab(l, a, b float64) color.RGBA {
	lc := cube(l + 0.3963377774*a + 0.2158037573*b)
	mc := cube(l - 0.1055613458*a - 0.0638541728*b)
	sc := cube(l - 0.0894841775*a - 1.2914855480*b)
	return color.RGBA{
		R: gamma(4.0767416621*lc - 3.3077115913*mc + 0.2309699292*sc),
		G: gamma(-1.2684380046*lc + 2.6097574011*mc - 0.3413193965*sc),
		B: gamma(-0.0041960863*lc - 0.7034186147*mc + 1.7076147010*sc),
		A: 255,
	}
}

func square(x float64) float64 { return x * x }
func cube(x float64) float64   { return x * x * x }

// gamma encodes linear light for sRGB.
func gamma(x float64) uint8 {
	x = min(1, max(0, x))
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * x))
}

// The colours of pages and lines.
var (
	paper = color.RGBA{252, 252, 250, 255}
	ink   = color.RGBA{32, 36, 44, 255}
	faint = color.RGBA{110, 116, 126, 255}
	pale  = color.RGBA{226, 228, 230, 255}
)

// Absent is the colour of places without a value.
func Absent() color.RGBA { return color.RGBA{214, 214, 214, 255} }

// Series returns the colour of a series; a number has the same colour in all charts. Colour-blind
// readers can tell the first eight apart.
func Series(number int) color.RGBA {
	all := []color.RGBA{
		{0x00, 0x72, 0xb2, 255}, {0xd5, 0x5e, 0x00, 255}, {0x00, 0x9e, 0x73, 255}, {0xcc, 0x79, 0xa7, 255},
		{0xe6, 0x9f, 0x00, 255}, {0x56, 0xb4, 0xe9, 255}, {0x00, 0x00, 0x00, 255}, {0x99, 0x99, 0x99, 255},
	}
	return all[number%len(all)]
}
