package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cairn-go/cairn/cmd/cairn/internal/outfile"
	"github.com/cairn-go/cairn/internal/chart"
	"github.com/cairn-go/cairn/ndarray"
)

// mapDay returns the day that is drawn: 15 July 2023 if there are two years.
func (d *demo) mapDay() int { return d.days * 560 / demoDays }

// draw reads one day and writes it as a map.
func (d *demo) draw(ctx context.Context) error {
	a, err := ndarray.OpenAs[float32](d.arrayPath(), &ndarray.OpenOptions{Workers: d.workers})
	if err != nil {
		return err
	}
	defer a.Close()
	day := d.mapDay()
	values, err := a.Read(ctx, ndarray.Index(int64(day)))
	if err != nil {
		return err
	}
	m := mapOf(day, values, d.field.Elevation())
	f, err := outfile.Create(d.mapPath(), d.force)
	if err != nil {
		return err
	}
	if err := encodeMap(f, m); err != nil {
		f.Abort()
		return err
	}
	if err := f.Commit(); err != nil {
		return err
	}
	d.printf("\nMap of %s\n  %s\n", demoBegin.AddDate(0, 0, day).Format("2 January 2006"), d.mapPath())
	return nil
}

// mapOf describes the map of one day.
func mapOf(day int, values, elevation []float32) *chart.Chart {
	colours, _ := chart.ColoursNamed("balance")
	return &chart.Chart{
		Title:    "Temperature at 2 m, " + demoBegin.AddDate(0, 0, day).Format("2 January 2006"),
		Subtitle: fmt.Sprintf("An invented planet: [%d, :, :] of temperature.b2nd", day),
		Scale:    &chart.Scale{Axis: chart.Axis{Label: "°C", Low: -40, High: 40}, Colours: colours},
		Panels: []chart.Panel{{
			X: chart.Axis{Kind: chart.Longitudes, Low: -180, High: 180},
			Y: chart.Axis{Kind: chart.Latitudes, Low: -90, High: 90},
			Field: &chart.Field{
				Rows: demoLats, Columns: demoLons, Values: widened(values), Outline: widened(elevation),
				Smooth: true, Around: true,
			},
			Grid: true,
		}},
	}
}

func widened(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

func encodeMap(w io.Writer, m *chart.Chart) error { return m.Draw().WritePNG(w) }
