package cells

import (
	"math"
)

// A character of Braille has 2 × 4 dots.
const (
	dotsAcross = 2
	dotsDown   = 4
	braille    = 0x2800
)

// bit returns the bit of a dot in the number of the character.
func bit(x, y int) rune {
	return [dotsDown][dotsAcross]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}[y][x]
}

// drawLines draws the series. Where they cross, the last one has the colour. Several series without
// colours, or in ASCII, are drawn with characters of their own.
func (p *panel) drawLines(out *canvas, left, top int) {
	for i := range p.of.Lines {
		l := &p.of.Lines[i]
		set := p.dots(out, left, top, l.Color)
		if l.Lows != nil {
			// Draw the lowest and the highest values, and what is between.
			for k := range l.X {
				x := p.of.X.Position(l.X[k]) * float64(p.width*dotsAcross-1)
				high := (1 - p.of.Y.Position(l.Highs[k])) * float64(p.lines*dotsDown-1)
				low := (1 - p.of.Y.Position(l.Lows[k])) * float64(p.lines*dotsDown-1)
				if x != x || high != high || low != low {
					continue
				}
				for y := max(0, int(high)); y <= min(p.lines*dotsDown, int(low)); y++ {
					set(int(math.Round(x)), y)
				}
			}
		}

		px := math.NaN()
		py := math.NaN()
		for k := range l.X {
			x := p.of.X.Position(l.X[k]) * float64(p.width*dotsAcross-1)
			y := (1 - p.of.Y.Position(l.Y[k])) * float64(p.lines*dotsDown-1)
			if math.Abs(x) > 1e6 || math.Abs(y) > 1e6 {
				x = math.NaN()
				y = math.NaN()
			}

			if px == px && x == x && y == y {
				// Set the dots of a straight line.
				const mostSteps = 4000 // ends may be far outside
				steps := int(min(mostSteps, math.Ceil(max(math.Abs(x-px), math.Abs(y-py)))))
				for i := range steps + 1 {
					t := 0.0
					if steps > 0 {
						t = float64(i) / float64(steps)
					}
					set(int(math.Round(px+t*(x-px))), int(math.Round(py+t*(y-py))))
				}
			} else if x == x && y == y {
				set(int(math.Round(x)), int(math.Round(y)))
			}
			if px, py = x, y; y != y {
				px = y
			}
		}
	}
}

// dots returns a function that sets a dot of a series. Dots outside are left out.
func (p *panel) dots(out *canvas, left, top, series int) func(x, y int) {
	fill := seriesColor(series, p.screen)
	marks := p.screen.ASCII || p.screen.Depth == NoColor && len(p.of.Lines) > 1

	return func(x, y int) {
		if x < 0 || y < 0 || x >= p.width*dotsAcross || y >= p.lines*dotsDown {
			return
		}
		c := out.at(left+x/dotsAcross, top+y/dotsDown)
		if marks {
			*c = cell{r: p.screen.mark(series), fg: fill}
			return
		}
		if c.r < braille || c.r > braille+0xff {
			c.r = braille
		}
		c.r |= bit(x%dotsAcross, y%dotsDown)
		c.fg = fill
	}
}
