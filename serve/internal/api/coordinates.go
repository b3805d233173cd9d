package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/parallel"
)

type coordinateList struct {
	described.Coordinate
	Start  int64    `json:"start"`
	Values []string `json:"values"`
}

// Coordinates answers with coordinates of a dimension, as texts.
func (a *API) Coordinates(w http.ResponseWriter, r *http.Request, path string) error {
	q, err := query(r, "dim", "start", "stop")
	if err != nil {
		return err
	}

	array, err := a.catalog.Array(r.Context(), path)
	if err != nil {
		return err
	}
	defer array.Release()

	ctx, done, err := a.forCoordinates(r.Context())
	if err != nil {
		return err
	}
	defer done()

	axes := array.Coordinates().Axes
	i := dimension(axes, q.Get("dim"))
	if i < 0 {
		return Failed(http.StatusBadRequest, "dim is "+strconv.Quote(q.Get("dim"))+", must be the number or name of a dimension")
	}

	axis := axes[i]
	start, err := number(q, "start", 0, 0, axis.Len)
	if err != nil {
		return err
	}

	stop, err := number(q, "stop", min(start+a.limits.Items, axis.Len), start, min(start+a.limits.Items, axis.Len))
	if err != nil {
		return err
	}

	have, err := axis.HasCoordinates(ctx)
	if err != nil {
		return err
	}
	if !have {
		return Failed(http.StatusNotFound, "this dimension has no coordinates")
	}

	l := coordinateList{Start: start}
	if l.Coordinate, err = described.CoordinateOf(ctx, axis, i); err != nil {
		return err
	}
	if l.Values, err = axis.Texts(ctx, start, stop); err != nil {
		return err
	}

	// The version of the array does not cover its coordinates, which have files of their own.
	w.Header().Set("Cache-Control", "private, no-cache")
	body := encode(l)
	if notModified(w, r, hash(string(body))) {
		return nil
	}

	w.Header().Set("Content-Type", "application/json")
	return writeText(w, r, body)
}

// coordinateBytes is the memory for reading coordinates: an encoded chunk of them, and their texts.
const coordinateBytes = 24 << 20

// forCoordinates waits for the memory to read coordinates of an array with the context that it
// returns. They are arrays of their own, much smaller than the one that they belong to.
func (a *API) forCoordinates(ctx context.Context) (with context.Context, done func(), err error) {
	done, err = a.limits.Memory.Take(ctx, min(coordinateBytes, a.limits.Memory.Size()/2))
	return parallel.AtMost(ctx, 1), done, err
}

// dimension returns the number of a dimension that a text names, or -1.
func dimension(axes []*coords.Axis, text string) int {
	for i, axis := range axes {
		if axis.Name == text && text != "" {
			return i
		}
	}
	if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(axes) {
		return i
	}
	return -1
}
