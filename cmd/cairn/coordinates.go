package main

import (
	"context"

	"github.com/cairn-go/cairn/internal/coords"
)

// A coordinate is what info tells about a dimension with coordinates.
type coordinate struct {
	Dim   string `json:"dim"`
	First string `json:"first"`
	Last  string `json:"last"`
	Units string `json:"units,omitempty"`
}

// coordinatesOf returns the coordinates of an open array. Those that cannot be read are left out:
// info describes damaged files too.
func coordinatesOf(ctx context.Context, o *openedSource) (all []coordinate) {
	for _, axis := range coords.New(o.src, o.sibling).Axes {
		if have, err := axis.HasCoordinates(ctx); err != nil || !have || axis.Len == 0 {
			continue
		}
		if first, last, err := axis.Ends(ctx); err == nil {
			all = append(all, coordinate{axis.Name, first, last, axis.Units(ctx)})
		}
	}
	return all
}

// coordinateLines prints a line per dimension with coordinates; the first has a name.
func coordinateLines(name string, all []coordinate, line func(name, format string, args ...any)) {
	for _, c := range all {
		units := c.Units
		if units != "" {
			units = " " + units
		}
		line(name, "%s: %s to %s%s", c.Dim, c.First, c.Last, units)
		name = ""
	}
}
