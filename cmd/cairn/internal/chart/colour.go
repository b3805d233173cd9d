package chart

import (
	"image/color"
	"math"
)

// anchor is a colour that a scale passes through, in Oklab: lightness and two opponent axes (green
// to red, blue to yellow).
type anchor struct {
	at      float64 // 0 to 1
	l, a, b float64
}

// temperature is a diverging scale. Its middle is the lightest, so that lightness alone tells how
// far from the middle a value is; hue tells the side. Each side runs through a second hue, which
// keeps neighbouring values apart.
var temperature = [...]anchor{
	{0.000, 0.24, 0.060, -0.130}, // night violet
	{0.140, 0.38, -0.005, -0.160},
	{0.280, 0.58, -0.065, -0.115}, // sea blue
	{0.400, 0.79, -0.065, -0.045},
	{0.500, 0.965, -0.012, 0.022}, // pale
	{0.600, 0.88, 0.000, 0.115},   // straw
	{0.720, 0.74, 0.085, 0.125},   // amber
	{0.860, 0.53, 0.165, 0.090},   // brick
	{1.000, 0.29, 0.120, 0.025},   // dark wine
}

// scaleColour returns the colour at t, which is clamped to 0…1.
func scaleColour(t float64) color.RGBA {
	t = min(1, max(0, t))
	i := 1
	for i < len(temperature)-1 && temperature[i].at < t {
		i++
	}
	p, q := temperature[i-1], temperature[i]
	w := (t - p.at) / (q.at - p.at)
	return oklab(p.l+w*(q.l-p.l), p.a+w*(q.a-p.a), p.b+w*(q.b-p.b))
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

func cube(x float64) float64 { return x * x * x }

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
