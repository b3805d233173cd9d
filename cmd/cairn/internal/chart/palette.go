package chart

import (
	"image"
	"image/color"
)

// The palette of a map: steps of the scale, steps of grey for lines drawn over it, and the colours
// of the page. An image of at most 256 colours takes a quarter of the bytes.
const (
	scaleSteps = 160
	greySteps  = 12
)

func palette() color.Palette {
	p := color.Palette{paper, ink, faint}
	for i := range scaleSteps {
		p = append(p, scaleColour(float64(i)/(scaleSteps-1)))
	}
	for i := range greySteps {
		grey := uint8(19 * i)
		p = append(p, color.RGBA{stroke.R + grey, stroke.G + grey, stroke.B + grey, 255})
	}
	return p
}

// indexed returns an image in the nearest colours of the palette.
func indexed(img *image.RGBA) *image.Paletted {
	out := image.NewPaletted(img.Rect, palette())
	nearest := map[color.RGBA]uint8{}
	for i := range out.Pix {
		rgba := color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3]}
		index, known := nearest[rgba]
		if !known {
			index = uint8(out.Palette.Index(rgba))
			nearest[rgba] = index
		}
		out.Pix[i] = index
	}
	return out
}
