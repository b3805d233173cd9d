package chart

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strings"
)

// A Picture is a list of things to draw, in the order in which they cover each other. Coordinates
// are pixels from the upper left corner.
type Picture struct {
	width, height int
	things        []thing
}

// A thing can be drawn in both formats.
type thing interface {
	svg(out *bytes.Buffer)
	paint(r *raster)
}

// NewPicture returns a picture of one colour.
func NewPicture(width, height int, background color.RGBA) *Picture {
	p := &Picture{width: width, height: height}
	p.Rect(0, 0, float64(width), float64(height), background)
	return p
}

// An Anchor says which point of a text is given.
type Anchor string

// The points of a text on its base line.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// A Stroke says how a line looks.
type Stroke struct {
	Color color.RGBA // not multiplied with A, the opacity
	Width float64
	Dash  float64 // length of dashes and of the gaps between them, or 0
}

type (
	rect struct {
		x, y, width, height float64
		fill                color.RGBA
	}
	line struct {
		Stroke
		points []float64 // x and y of each
	}
	circle struct {
		x, y, radius float64
		fill         color.RGBA
	}
	text struct {
		x, y    float64
		size    int
		anchor  Anchor
		degrees float64 // clockwise
		fill    color.RGBA
		s       string
	}
	bitmap struct {
		x, y, width, height int
		img                 *image.RGBA
	}
)

// Rect fills a rectangle.
func (p *Picture) Rect(x, y, width, height float64, fill color.RGBA) {
	p.things = append(p.things, rect{x, y, width, height, fill})
}

// Line draws lines from point to point, each an x and a y.
func (p *Picture) Line(s Stroke, points ...float64) {
	if len(points) >= 4 && s.Width > 0 {
		p.things = append(p.things, line{s, points})
	}
}

// Circle fills a circle.
func (p *Picture) Circle(x, y, radius float64, fill color.RGBA) {
	p.things = append(p.things, circle{x, y, radius, fill})
}

// Text writes a line of text whose base line is at y. The size is that of a font in pixels; degrees
// turn the text clockwise around the anchor.
func (p *Picture) Text(x, y float64, size int, a Anchor, degrees float64, fill color.RGBA, s string) {
	if s != "" {
		p.things = append(p.things, text{x, y, size, a, degrees, fill, s})
	}
}

// bitmap draws an image over a rectangle.
func (p *Picture) bitmap(x, y, width, height int, img *image.RGBA) {
	p.things = append(p.things, bitmap{x, y, width, height, img})
}

// WriteSVG writes the picture as SVG. Texts need a font of the viewer.
func (p *Picture) WriteSVG(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "+
		"viewBox=\"0 0 %[1]d %[2]d\" font-family=\"Liberation Sans, Arial, sans-serif\">\n", p.width, p.height)

	for _, t := range p.things {
		t.svg(&out)
	}

	out.WriteString("</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// css writes a colour, with its opacity if it is not 1, as attributes of an element.
func css(attribute string, c color.RGBA) string {
	s := fmt.Sprintf("%s=\"#%02x%02x%02x\"", attribute, c.R, c.G, c.B)
	if c.A != 255 {
		s += fmt.Sprintf(" %s-opacity=\"%.2f\"", attribute, float64(c.A)/255)
	}
	return s
}

func (r rect) svg(out *bytes.Buffer) {
	fmt.Fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>\n", r.x, r.y, r.width,
		r.height, css("fill", r.fill))
}

func (l line) svg(out *bytes.Buffer) {
	if len(l.points) == 4 {
		fmt.Fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", l.points[0], l.points[1],
			l.points[2], l.points[3])
	} else {
		out.WriteString("<polyline fill=\"none\" stroke-linejoin=\"round\" points=\"")
		for i := 0; i+1 < len(l.points); i += 2 {
			fmt.Fprintf(out, "%.1f,%.1f ", l.points[i], l.points[i+1])
		}
		out.Truncate(out.Len() - 1)
		out.WriteByte('"')
	}

	fmt.Fprintf(out, " %s stroke-width=\"%g\"", css("stroke", l.Color), l.Width)
	if l.Dash > 0 {
		fmt.Fprintf(out, " stroke-dasharray=\"%g %[1]g\"", l.Dash)
	}
	out.WriteString("/>\n")
}

func (c circle) svg(out *bytes.Buffer) {
	fmt.Fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" %s/>\n", c.x, c.y, c.radius, css("fill", c.fill))
}

func (t text) svg(out *bytes.Buffer) {
	fmt.Fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" %s", t.x, t.y, t.size,
		t.anchor, css("fill", t.fill))
	if t.degrees != 0 {
		fmt.Fprintf(out, " transform=\"rotate(%g %.1f %.1f)\"", t.degrees, t.x, t.y)
	}
	out.WriteString(">")
	_ = xml.EscapeText(out, []byte(t.s)) // writing to a buffer cannot fail
	out.WriteString("</text>\n")
}

func (b bitmap) svg(out *bytes.Buffer) {
	var data strings.Builder
	encoder := base64.NewEncoder(base64.StdEncoding, &data)
	_ = encodePNG(encoder, b.img)
	_ = encoder.Close()

	fmt.Fprintf(out, "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" "+
		"style=\"image-rendering:pixelated\" href=\"data:image/png;base64,%s\"/>\n", b.x, b.y, b.width,
		b.height, data.String())
}

// WritePNG writes the picture as PNG.
func (p *Picture) WritePNG(w io.Writer) error { return encodePNG(w, p.Image()) }

// Image returns the picture as pixels.
func (p *Picture) Image() *image.RGBA {
	r := &raster{image.NewRGBA(image.Rect(0, 0, p.width, p.height)), newFont()}
	for _, t := range p.things {
		t.paint(r)
	}
	return r.img
}

// encodePNG writes an image with a palette, which takes a third of the bytes.
func encodePNG(w io.Writer, img *image.RGBA) error {
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(w, withPalette(img))
}

// withPalette returns an image in its 256 most frequent colours. Nearly all pixels of a chart have
// one of them; the others, at edges of lines, get the nearest.
func withPalette(img *image.RGBA) *image.Paletted {
	const most = 256

	out := image.NewPaletted(img.Rect, nil)
	pixel := func(i int) color.RGBA {
		return color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3]}
	}

	counts := map[color.RGBA]int{}
	var found []color.RGBA // in the order in which they occur
	for i := range out.Pix {
		c := pixel(i)
		if counts[c] == 0 {
			found = append(found, c)
		}
		counts[c]++
	}

	if len(found) > most {
		slices.SortStableFunc(found, func(a, b color.RGBA) int { return cmp.Compare(counts[b], counts[a]) })
		found = found[:most]
	}

	index := map[color.RGBA]uint8{}
	for i, c := range found {
		out.Palette = append(out.Palette, c)
		index[c] = uint8(i)
	}

	for i := range out.Pix {
		c := pixel(i)
		k, known := index[c]
		if !known {
			k = uint8(out.Palette.Index(c))
			index[c] = k
		}
		out.Pix[i] = k
	}
	return out
}
