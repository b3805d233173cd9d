package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars is a plotter of vertical bars that stand on base, which a logarithmic axis needs to be above zero.
type bars struct {
	values        []float64
	base          float64
	width, offset vg.Length
	color         color.Color
}

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, v := range b.values {
		if math.IsNaN(v) || v < b.base {
			continue
		}
		left := x(float64(i)) + b.offset - b.width/2
		b.rectangle(c, left, left+b.width-1, y(b.base), y(v))
	}
}

// Thumbnail implements plot.Thumbnailer.
func (b *bars) Thumbnail(c *draw.Canvas) { b.rectangle(*c, c.Min.X, c.Max.X, c.Min.Y, c.Max.Y) }

func (b *bars) rectangle(c draw.Canvas, left, right, bottom, top vg.Length) {
	c.FillPolygon(b.color, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}
