package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
)

const (
	ink      = "#222222"
	faint    = "#808080"
	paleLine = "#e4e4e4"
)

// A picture collects the elements of an SVG document. Coordinates are pixels from the upper left.
type picture struct {
	width, height float64
	body          bytes.Buffer
}

func newPicture(width, height float64) *picture {
	p := &picture{width: width, height: height}
	p.rect(0, 0, width, height, "#ffffff")
	return p
}

// save writes the document as NAME.svg in dir.
func (p *picture) save(dir, name string) error {
	return os.WriteFile(filepath.Join(dir, name+".svg"), p.svg(), 0o666)
}

// svg returns the document.
func (p *picture) svg() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %[1]g %[2]g\" "+
		"font-family=\"Liberation Sans, Arial, sans-serif\">\n", p.width, p.height)
	out.Write(p.body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

func (p *picture) rect(x, y, width, height float64, fill string) {
	fmt.Fprintf(&p.body, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height, fill)
}

// line draws a line; dash is an SVG dash array, or empty.
func (p *picture) line(x1, y1, x2, y2 float64, stroke string, width float64, dash string) {
	fmt.Fprintf(&p.body, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%g\"", x1, y1, x2, y2, stroke, width)
	if dash != "" {
		fmt.Fprintf(&p.body, " stroke-dasharray=\"%s\"", dash)
	}
	p.body.WriteString("/>\n")
}

func (p *picture) circle(x, y, radius float64, fill string) {
	fmt.Fprintf(&p.body, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\"/>\n", x, y, radius, fill)
}

// dot draws a circle with a pale edge, so that dots on top of each other stay apart.
func (p *picture) dot(x, y, radius float64, fill string) {
	p.circle(x, y, radius+1, "#ffffff")
	p.circle(x, y, radius, fill)
}

// text writes a line of text; anchor, as in SVG, says whether its start, middle or end is at x.
func (p *picture) text(x, y float64, size int, anchor, fill, s string) {
	p.turned(x, y, size, anchor, fill, 0, s)
}

// upward writes a line of text that reads from bottom to top, with its middle at (x, y).
func (p *picture) upward(x, y float64, size int, s string) {
	p.turned(x, y, size, "middle", ink, -90, s)
}

// slanted writes a line of text that rises to its end at (x, y).
func (p *picture) slanted(x, y float64, size int, s string) {
	p.turned(x, y, size, "end", ink, -30, s)
}

func (p *picture) turned(x, y float64, size int, anchor, fill string, degrees int, s string) {
	if s == "" {
		return
	}
	fmt.Fprintf(&p.body, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"%s\"", x, y, size, anchor, fill)
	if degrees != 0 {
		fmt.Fprintf(&p.body, " transform=\"rotate(%d %.1f %.1f)\"", degrees, x, y)
	}
	p.body.WriteString(">")
	_ = xml.EscapeText(&p.body, []byte(s)) // writing to a buffer cannot fail
	p.body.WriteString("</text>\n")
}
