package chart

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// canvas is an image to draw on.
type canvas struct {
	img  *image.RGBA
	font font
}

func newCanvas(width, height int, background color.RGBA) *canvas {
	c := &canvas{image.NewRGBA(image.Rect(0, 0, width, height)), newFont()}
	draw.Draw(c.img, c.img.Bounds(), image.NewUniform(background), image.Point{}, draw.Src)
	return c
}

// blend mixes a colour into a pixel.
func (c *canvas) blend(x, y int, over color.RGBA, opacity float64) {
	if opacity <= 0 {
		return
	}
	under := c.img.RGBAAt(x, y)
	mix := func(u, o uint8) uint8 { return uint8(math.Round(float64(u)*(1-opacity) + float64(o)*opacity)) }
	c.img.SetRGBA(x, y, color.RGBA{mix(under.R, over.R), mix(under.G, over.G), mix(under.B, over.B), 255})
}

// frame draws the edge of a rectangle.
func (c *canvas) frame(x, y, width, height int, line color.RGBA) {
	for i := range width {
		c.img.SetRGBA(x+i, y, line)
		c.img.SetRGBA(x+i, y+height-1, line)
	}
	for i := range height {
		c.img.SetRGBA(x, y+i, line)
		c.img.SetRGBA(x+width-1, y+i, line)
	}
}

// text writes a line whose capitals have their upper left corner at (x, y), each pixel of the font
// size pixels wide.
func (c *canvas) text(x, y, size int, s string, fill color.RGBA) {
	for _, r := range s {
		g := c.font.glyph(r)
		for gy, row := range g {
			for gx := range glyphWidth {
				if row>>gx&1 == 0 {
					continue
				}
				for i := range size * size {
					c.img.SetRGBA(x+gx*size+i%size, y+gy*size+i/size, fill)
				}
			}
		}
		x += advance * size
	}
}

// textWidth returns how many pixels wide a line is.
func (c *canvas) textWidth(size int, s string) int {
	return max(0, len([]rune(s))*advance-1) * size
}

// centred writes a line whose middle is at x.
func (c *canvas) centred(x, y, size int, s string, fill color.RGBA) {
	c.text(x-c.textWidth(size, s)/2, y, size, s, fill)
}
