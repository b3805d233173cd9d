package described

import (
	"context"

	"github.com/cairn-go/cairn/internal/cf/coords"
)

// A Coordinate says where the coordinates of a dimension begin and end.
type Coordinate struct {
	Dim   string `json:"dim"`
	Axis  int    `json:"axis"` // the number of the dimension
	Kind  string `json:"kind"` // "number", "time" or "text"
	Units string `json:"units,omitempty"`
	First string `json:"first"`
	Last  string `json:"last"`
}

// AddCoordinates adds the coordinates of an array. Those that cannot be read are left out: damaged
// files are described too.
func (a *Array) AddCoordinates(ctx context.Context, axes []*coords.Axis) {
	for i, axis := range axes {
		if have, err := axis.HasCoordinates(ctx); err != nil || !have || axis.Len == 0 {
			continue
		}

		c, err := CoordinateOf(ctx, axis, i)
		if err != nil {
			continue
		}
		a.Coordinates = append(a.Coordinates, c)
	}
}

// CoordinateOf describes the coordinates of a dimension, which has some.
func CoordinateOf(ctx context.Context, axis *coords.Axis, i int) (c Coordinate, err error) {
	c = Coordinate{Dim: axis.Name, Axis: i, Kind: "number", Units: axis.Units(ctx)}
	switch {
	case axis.IsTime(ctx):
		c.Kind = "time"
	case axis.IsText(ctx):
		c.Kind = "text"
	}

	if axis.Len > 0 {
		c.First, c.Last, err = axis.Ends(ctx)
	}
	return c, err
}
