package chart

import (
	"path/filepath"

	draw "github.com/cairn-go/cairn/internal/show/chart"
)

// A Point is a named pair of values. Color is its number in all charts; Below and Left say on which
// side of the point its name is, which is otherwise to the right and above. Hollow ones are rings.
type Point struct {
	Name        string
	X, Y        float64
	Color       int
	Below, Left bool
	Hollow      bool
}

// A Plane has points, their highest value of Y on top.
type Plane struct {
	Title  string
	Points []Point
}

// The layout of [Scatter], in pixels.
const (
	planeWidth  = 440
	planeHeight = 400
	planeLeft   = 64
	planeRight  = 16
	planeTop    = 66
	planeBottom = 56
)

// Scatter draws planes beside each other as NAME.svg in dir. X is linear, Y logarithmic, and all
// planes have the same axes of X.
func Scatter(dir, name, title, xLabel, yLabel string, planes []Plane) error {
	out := draw.NewPicture(planeWidth*len(planes), planeHeight, white)
	out.Text(float64(planeWidth*len(planes))/2, 22, 15, draw.Middle, 0, ink, title)

	x := draw.Axis{Low: planes[0].Points[0].X, High: planes[0].Points[0].X}
	for _, p := range planes {
		for _, at := range p.Points {
			x.Low = min(x.Low, at.X)
			x.High = max(x.High, at.X)
		}
	}
	space := (x.High - x.Low) / 8
	x.Low -= space
	x.High += 2 * space

	for i := range planes {
		drawPlane(out, float64(planeWidth*i), &planes[i], x, xLabel, yLabel)
	}
	return save(out, filepath.Join(dir, name+".svg"))
}

// drawPlane draws a plane with its left edge at from.
func drawPlane(out *draw.Picture, from float64, p *Plane, xs draw.Axis, xLabel, yLabel string) {
	ys := draw.Axis{Low: p.Points[0].Y, High: p.Points[0].Y, Log: true}
	for _, at := range p.Points {
		ys.Low = min(ys.Low, at.Y)
		ys.High = max(ys.High, at.Y)
	}
	ys.Low /= 1.3
	ys.High *= 1.3

	left := from + planeLeft
	right := from + planeWidth - planeRight
	end := float64(planeHeight - planeBottom)
	x := func(v float64) float64 { return left + xs.Position(v)*(right-left) }
	y := func(v float64) float64 { return end - ys.Position(v)*(end-planeTop) }

	out.Text((left+right)/2, planeTop-14, 13, draw.Middle, 0, ink, p.Title)
	for _, t := range xs.Marks(6) {
		out.Line(draw.Stroke{Color: paleLine, Width: 1}, x(t.At), planeTop, x(t.At), end)
		out.Text(x(t.At), end+16, 11, draw.Middle, 0, ink, t.Label)
	}
	for _, t := range ys.Marks(6) {
		out.Line(draw.Stroke{Color: paleLine, Width: 1}, left, y(t.At), right, y(t.At))
		out.Text(left-8, y(t.At)+4, 11, draw.End, 0, ink, t.Label)
	}
	out.Line(draw.Stroke{Color: ink, Width: 1}, left, planeTop, left, end, right, end)
	out.Text((left+right)/2, planeHeight-14, 12, draw.Middle, 0, ink, xLabel)
	out.Text(from+18, (planeTop+end)/2, 12, draw.Middle, -90, ink, yLabel)

	for _, at := range p.Points {
		px, py := x(at.X), y(at.Y)
		out.Circle(px, py, 7, white)
		out.Circle(px, py, 6, Color(at.Color))
		if at.Hollow {
			out.Circle(px, py, 3.5, white)
		}

		anchor := draw.Start
		dx := 9.0
		if at.Left {
			anchor = draw.End
			dx = -9
		}
		dy := -5.0
		if at.Below {
			dy = 14
		}
		out.Text(px+dx, py+dy, 12, anchor, 0, ink, at.Name)
	}
}
