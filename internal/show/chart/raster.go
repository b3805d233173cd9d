package chart

import (
	"image"
	"image/color"
	"math"
)

// A raster is the pixels that a picture is painted on.
type raster struct {
	img  *image.RGBA
	font font
}

// blend mixes a colour into a pixel.
func (r *raster) blend(x, y int, over color.RGBA, opacity float64) {
	opacity *= float64(over.A) / 255
	if opacity <= 0 || !(image.Point{X: x, Y: y}).In(r.img.Rect) {
		return
	}
	blend(r.img, x, y, over, opacity)
}

func blend(img *image.RGBA, x, y int, over color.RGBA, opacity float64) {
	under := img.RGBAAt(x, y)
	mix := func(u, o uint8) uint8 { return uint8(math.Round(float64(u)*(1-opacity) + float64(o)*opacity)) }
	img.SetRGBA(x, y, color.RGBA{mix(under.R, over.R), mix(under.G, over.G), mix(under.B, over.B), 255})
}

// bounded returns a number of pixels between 0 and limit.
func bounded(v float64, limit int) int {
	return int(min(float64(limit), max(0, v)))
}

func (t rect) paint(r *raster) {
	size := r.img.Rect.Size()
	x0 := bounded(math.Round(t.x), size.X)
	x1 := bounded(math.Round(t.x+t.width), size.X)
	y0 := bounded(math.Round(t.y), size.Y)
	y1 := bounded(math.Round(t.y+t.height), size.Y)

	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			r.blend(x, y, t.fill, 1)
		}
	}
}

// paint covers the pixels near each segment. A pixel that several segments touch is painted once,
// so that joints of translucent lines look like the rest.
func (t line) paint(r *raster) {
	size := r.img.Rect.Size()
	cover := map[int]float64{}
	var order []int
	along := 0.0 // length of the line so far
	reach := t.Width/2 + 0.5

	for i := 0; i+3 < len(t.points); i += 2 {
		ax := t.points[i]
		ay := t.points[i+1]
		bx := t.points[i+2]
		by := t.points[i+3]

		length := math.Hypot(bx-ax, by-ay)
		if !(length < 1e9) {
			continue
		}

		x0 := bounded(math.Floor(min(ax, bx)-reach), size.X)
		x1 := bounded(math.Ceil(max(ax, bx)+reach), size.X)
		y0 := bounded(math.Floor(min(ay, by)-reach), size.Y)
		y1 := bounded(math.Ceil(max(ay, by)+reach), size.Y)

		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				px := float64(x) + 0.5 - ax
				py := float64(y) + 0.5 - ay
				at := 0.0
				if length > 0 {
					at = min(length, max(0, (px*(bx-ax)+py*(by-ay))/length))
					px, py = px-at*(bx-ax)/length, py-at*(by-ay)/length
				}

				opacity := min(1, reach-math.Hypot(px, py))
				if t.Dash > 0 && math.Mod(along+at, 2*t.Dash) >= t.Dash {
					continue
				}

				if k := y*size.X + x; opacity > 0 {
					if _, known := cover[k]; !known {
						order = append(order, k)
					}
					cover[k] = max(cover[k], opacity)
				}
			}
		}

		along += length
	}

	for _, k := range order {
		r.blend(k%size.X, k/size.X, t.Color, cover[k])
	}
}

func (t circle) paint(r *raster) {
	size := r.img.Rect.Size()
	reach := t.radius + 1
	for y := bounded(t.y-reach, size.Y); y < bounded(t.y+reach+1, size.Y); y++ {
		for x := bounded(t.x-reach, size.X); x < bounded(t.x+reach+1, size.X); x++ {
			distance := math.Hypot(float64(x)+0.5-t.x, float64(y)+0.5-t.y)
			r.blend(x, y, t.fill, min(1, t.radius+0.5-distance))
		}
	}
}

// paint draws the glyphs of a text: it looks for each pixel which one of the font's lies there.
func (t text) paint(r *raster) {
	scale := float64(fontScale(t.size))
	runes := []rune(t.s)
	width := textWidth(t.size, t.s)

	left := 0.0
	switch t.anchor {
	case Middle:
		left = -math.Floor(width / 2)
	case End:
		left = -width
	}

	top := -capHeight * scale
	bottom := top + glyphHeight*scale
	sin, cos := math.Sincos(t.degrees * math.Pi / 180)

	x := math.Round(t.x)
	y := math.Round(t.y)
	reach := max(math.Abs(left), math.Abs(left+width)) + max(-top, bottom)
	size := r.img.Rect.Size()
	x0 := bounded(x-reach, size.X)
	x1 := bounded(x+reach, size.X)
	y0 := bounded(y-reach, size.Y)
	y1 := bounded(y+reach, size.Y)

	for py := y0; py < y1; py++ {
		for px := x0; px < x1; px++ {
			dx := float64(px) + 0.5 - x
			dy := float64(py) + 0.5 - y
			gx := (cos*dx + sin*dy - left) / scale
			gy := (cos*dy - sin*dx - top) / scale

			if gx < 0 || gy < 0 || gy >= glyphHeight || gx >= float64(len(runes)*advance) {
				continue
			}

			glyph := r.font.glyph(runes[int(gx)/advance])
			if column := int(gx) % advance; column < glyphWidth && glyph[int(gy)]>>column&1 != 0 {
				r.blend(px, py, t.fill, 1)
			}
		}
	}
}

// fontScale returns how many pixels wide a pixel of the font is, for a font of a size.
func fontScale(size int) int { return max(1, (size+5)/10) }

// textWidth returns how many pixels wide a line of text is. Fonts of viewers are narrower.
func textWidth(size int, s string) float64 {
	return float64(max(0, len([]rune(s))*advance-1) * fontScale(size))
}

func (t bitmap) paint(r *raster) {
	from := t.img.Rect.Size()
	size := r.img.Rect.Size()
	for y := max(0, t.y); y < min(size.Y, t.y+t.height); y++ {
		for x := max(0, t.x); x < min(size.X, t.x+t.width); x++ {
			r.img.SetRGBA(x, y, t.img.RGBAAt((x-t.x)*from.X/t.width, (y-t.y)*from.Y/t.height))
		}
	}
}
