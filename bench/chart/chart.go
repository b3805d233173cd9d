// Package chart draws the results of a benchmark run as SVG and PNG. It knows nothing of where the numbers come from.
package chart

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours can be told apart without seeing red and green.
var palette = []color.Color{
	color.RGBA{0x99, 0x99, 0x99, 0xff},
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
}

// Color returns the colour of a series; the same number is the same colour in every chart.
func Color(series int) color.Color { return palette[series%len(palette)] }

const dpi = 110

// newPlot makes an empty panel in the style of all of them.
func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = 11
	p.Title.Padding = 6
	p.BackgroundColor = color.White
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size = 10
		axis.Tick.Label.Font.Size = 9
		axis.LineStyle.Color = color.Gray{0x80}
		axis.Tick.LineStyle.Color = color.Gray{0x80}
	}
	p.Legend.TextStyle.Font.Size = 9
	p.Legend.Padding = 2
	p.Legend.ThumbnailWidth = 14
	for _, style := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font,
		&p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		style.Variant = "Sans"
	}
	return p
}

// save draws a grid of panels as NAME.svg and NAME.png in dir; each panel has the given size. Empty places are nil.
func save(dir, name string, panels [][]*plot.Plot, width, height vg.Length) error {
	w, h := width*vg.Length(len(panels[0])), height*vg.Length(len(panels))
	vector := vgsvg.New(w, h)
	render(draw.New(vector), panels)
	raster := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
	render(draw.New(raster), panels)
	for _, out := range []struct {
		ext   string
		write func(*os.File) error
	}{
		{".svg", func(f *os.File) error { _, err := vector.WriteTo(f); return err }},
		{".png", func(f *os.File) error { _, err := vgimg.PngCanvas{Canvas: raster}.WriteTo(f); return err }},
	} {
		f, err := os.Create(filepath.Join(dir, name+out.ext))
		if err != nil {
			return err
		}
		if err := out.write(f); err != nil {
			f.Close()
			return fmt.Errorf("%s%s: %w", name, out.ext, err)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func render(c draw.Canvas, panels [][]*plot.Plot) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	tiles := draw.Tiles{Rows: len(panels), Cols: len(panels[0]), PadX: 14, PadY: 14, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 10}
	for i, row := range plot.Align(panels, tiles, c) {
		for k, tile := range row {
			if panels[i][k] != nil {
				panels[i][k].Draw(tile)
			}
		}
	}
}
