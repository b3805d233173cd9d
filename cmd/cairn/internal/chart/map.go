// Package chart draws a world map of one field as an image: colours, coast lines, a grid of
// meridians and parallels, a colour bar, and labels in a small font of its own.
package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

// Map is a field on a regular grid of latitudes and longitudes. It is drawn in equirectangular
// projection.
type Map struct {
	Title, Subtitle string
	Unit            string // of the values, beside the colour bar
	Lats, Lons      int
	// rows from north to south, each from 180° W eastwards; the cells' centres
	Values []float32
	// a second field whose zero line is drawn, such as the elevation; or nil
	Outline   []float32
	Low, High float64 // values at the ends of the colour bar
	Step      float64 // between two labels of the colour bar
}

// The layout, in pixels.
const (
	mapWidth, mapHeight = 1080, 540
	left, top           = 64, 84
	barTop              = top + mapHeight + 58
	barHeight           = 18
	width               = left + mapWidth + 40
	height              = barTop + barHeight + 40
)

var (
	paper  = color.RGBA{252, 252, 250, 255}
	ink    = color.RGBA{32, 36, 44, 255}
	faint  = color.RGBA{110, 116, 126, 255}
	stroke = color.RGBA{24, 28, 36, 255}
)

// Draw returns the map. Values and Outline must have an item for each cell of the grid.
func (m *Map) Draw() *image.Paletted {
	c := newCanvas(width, height, paper)
	c.text(left, 20, 3, m.Title, ink)
	c.text(left, 54, 2, m.Subtitle, faint)
	m.paint(c)
	if m.Outline != nil {
		m.outline(c)
	}
	m.grid(c)
	m.bar(c)
	return indexed(c.img)
}

// paint colours the map area.
func (m *Map) paint(c *canvas) {
	for y := range mapHeight {
		for x := range mapWidth {
			v := m.sample(m.Values, float64(x)+0.5, float64(y)+0.5)
			c.img.SetRGBA(left+x, top+y, scaleColour((v-m.Low)/(m.High-m.Low)))
		}
	}
}

// sample interpolates a field at a point of the map area, in pixels.
func (m *Map) sample(field []float32, x, y float64) float64 {
	gx := x/mapWidth*float64(m.Lons) - 0.5
	gy := min(float64(m.Lats-1), max(0, y/mapHeight*float64(m.Lats)-0.5))
	fx, fy := math.Floor(gx), math.Floor(gy)
	x0 := (int(fx) + m.Lons) % m.Lons
	x1 := (x0 + 1) % m.Lons
	y0 := int(fy)
	y1 := min(y0+1, m.Lats-1)
	wx, wy := gx-fx, gy-fy
	north := float64(field[y0*m.Lons+x0])*(1-wx) + float64(field[y0*m.Lons+x1])*wx
	south := float64(field[y1*m.Lons+x0])*(1-wx) + float64(field[y1*m.Lons+x1])*wx
	return north*(1-wy) + south*wy
}

// outline draws the zero line of the second field, about a pixel wide: the distance to it is the
// value over the slope.
func (m *Map) outline(c *canvas) {
	for y := range mapHeight {
		for x := range mapWidth {
			px, py := float64(x)+0.5, float64(y)+0.5
			v := m.sample(m.Outline, px, py)
			dx := m.sample(m.Outline, px+0.5, py) - m.sample(m.Outline, px-0.5, py)
			dy := m.sample(m.Outline, px, py+0.5) - m.sample(m.Outline, px, py-0.5)
			slope := math.Hypot(dx, dy)
			if slope == 0 {
				continue
			}
			c.blend(left+x, top+y, stroke, 0.85*min(1, max(0, 1.25-math.Abs(v)/slope)))
		}
	}
}

// grid draws meridians and parallels every 30°, the frame and their labels.
func (m *Map) grid(c *canvas) {
	for lon := -180; lon <= 180; lon += 30 {
		x := (lon + 180) * mapWidth / 360
		if lon > -180 && lon < 180 {
			for y := range mapHeight {
				c.blend(left+x, top+y, stroke, dash(y, 0.30))
			}
		}
		if lon%60 == 0 {
			c.centred(left+x, top+mapHeight+10, 2, degrees(lon, "W", "E"), faint)
		}
	}
	for lat := -60; lat <= 60; lat += 30 {
		y := (90 - lat) * mapHeight / 180
		for x := range mapWidth {
			c.blend(left+x, top+y, stroke, dash(x, 0.30))
		}
		label := degrees(lat, "S", "N")
		c.text(left-8-c.textWidth(2, label), top+y-capHeight, 2, label, faint)
	}
	c.frame(left-1, top-1, mapWidth+2, mapHeight+2, ink)
}

// dash returns the opacity of a dashed line at a distance along it.
func dash(at int, opacity float64) float64 {
	if at%6 < 3 {
		return opacity
	}
	return 0
}

// degrees names a parallel or meridian.
func degrees(n int, negative, positive string) string {
	switch {
	case n < 0 && n > -180:
		return fmt.Sprintf("%d°%s", -n, negative)
	case n > 0 && n < 180:
		return fmt.Sprintf("%d°%s", n, positive)
	}
	return fmt.Sprintf("%d°", max(n, -n))
}

// bar draws the colour bar with its labels.
func (m *Map) bar(c *canvas) {
	const barLeft, barWidth = left + mapWidth/6, mapWidth * 2 / 3
	for x := range barWidth {
		fill := scaleColour((float64(x) + 0.5) / barWidth)
		for y := range barHeight {
			c.img.SetRGBA(barLeft+x, barTop+y, fill)
		}
	}
	c.frame(barLeft-1, barTop-1, barWidth+2, barHeight+2, ink)
	for v := m.Low; v <= m.High+m.Step/1e6; v += m.Step {
		x := barLeft + int(math.Round((v-m.Low)/(m.High-m.Low)*(barWidth-1)))
		for y := range 5 {
			c.img.SetRGBA(x, barTop+barHeight+1+y, ink)
		}
		label := fmt.Sprintf("%g", math.Abs(v))
		if v < 0 {
			label = "−" + label
		}
		c.centred(x, barTop+barHeight+10, 2, label, ink)
	}
	c.text(barLeft+barWidth+16, barTop+2, 2, m.Unit, ink)
}
