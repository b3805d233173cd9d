package chart

import (
	"image"
	"image/color"
	"math"
)

// image colours the cells in a size in pixels. In a vector graphic, the image is the field.
func (f *Field) image(s *Scale, width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			var v float64
			if f.Smooth {
				v = f.sample(f.Values, f.place(x, y, width, height))
			} else {
				v = f.Values[y*f.Rows/height*f.Columns+x*f.Columns/width]
			}
			img.SetRGBA(x, y, s.ColorOf(v))
		}
	}

	if f.Outline != nil {
		// Draw the zero line of the second field, about a pixel wide: the distance to it is
		// the value over the slope.
		size := img.Rect.Size()
		stroke := color.RGBA{24, 28, 36, 255}

		// half a pixel, in cells
		hx := float64(f.Columns) / float64(size.X) / 2
		hy := float64(f.Rows) / float64(size.Y) / 2

		for y := range size.Y {
			for x := range size.X {
				p := f.place(x, y, size.X, size.Y)
				v := f.sample(f.Outline, p)
				dx := f.sample(f.Outline, place{p.x + hx, p.y}) - f.sample(f.Outline, place{p.x - hx, p.y})
				dy := f.sample(f.Outline, place{p.x, p.y + hy}) - f.sample(f.Outline, place{p.x, p.y - hy})

				slope := math.Hypot(dx, dy)
				if opacity := 0.85 * min(1, max(0, 1.25-math.Abs(v)/slope)); slope > 0 && opacity > 0 {
					blend(img, x, y, stroke, opacity)
				}
			}
		}
	}
	return img
}

// A place is a point of a field in cells; (0, 0) is the centre of the first one.
type place struct{ x, y float64 }

// place returns the middle of a pixel.
func (f *Field) place(x, y, width, height int) place {
	return place{
		(float64(x)+0.5)/float64(width)*float64(f.Columns) - 0.5,
		(float64(y)+0.5)/float64(height)*float64(f.Rows) - 0.5,
	}
}

// sample interpolates between four cells. A cell without a value leaves its corner without one.
func (f *Field) sample(values []float64, at place) float64 {
	gx := at.x
	gy := min(float64(f.Rows-1), max(0, at.y))
	if !f.Around {
		gx = min(float64(f.Columns-1), max(0, gx))
	}

	fx := math.Floor(gx)
	fy := math.Floor(gy)

	x0 := (int(fx) + f.Columns) % f.Columns
	x1 := x0 + 1
	if x1 == f.Columns {
		if x1 = x0; f.Around {
			x1 = 0
		}
	}

	y0 := int(fy)
	y1 := min(y0+1, f.Rows-1)

	wx := gx - fx
	wy := gy - fy

	top := values[y0*f.Columns+x0]*(1-wx) + values[y0*f.Columns+x1]*wx
	bottom := values[y1*f.Columns+x0]*(1-wx) + values[y1*f.Columns+x1]*wx
	return top*(1-wy) + bottom*wy
}
