package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/show/viewing"
	"github.com/cairn-go/cairn/serve/internal/catalog"
)

// Info answers what a path is.
func (a *API) Info(w http.ResponseWriter, r *http.Request, path string) error {
	if _, err := query(r); err != nil {
		return err
	}

	e, err := a.catalog.Stat(r.Context(), path)
	if err != nil {
		return err
	}

	if e.Kind != described.ArrayKind {
		// Describe what is not an array.
		attributes, err := a.catalog.Attributes(r.Context(), e.Path)
		if err != nil && e.Kind != described.Unreadable && e.Kind != described.FileKind {
			return err
		}

		t := &described.Tree{Entry: e, Attributes: described.Attributes(attributes)}
		if e.Kind == described.TreeKind || e.Kind == described.GroupKind {
			if t.Only, err = a.catalog.Only(r.Context(), e.Path); err != nil {
				return err
			}
			if t.Links, err = a.catalog.Links(r.Context(), e.Path); err != nil {
				return err
			}
		}

		w.Header().Set("Cache-Control", "private, no-cache")
		return writeJSON(w, r, t, "")
	}

	array, err := a.catalog.Array(r.Context(), path)
	if err != nil {
		return err
	}
	defer array.Release()

	if notModified(w, r, array.Version) {
		return nil
	}

	d := described.Of(r.Context(), array.Source)
	e.Shape, e.DType, e.Fault, e.Version = d.Shape, d.DType, cmp.Or(e.Fault, a.catalog.Hide(d.Fault)), array.Version
	d.Entry = e // the array may have changed since
	d.As, d.Dates = viewing.AsNames(array.DType(), array.Meaning())
	d.Growing = a.catalog.Growing(array)
	if d.Reduce, err = a.reduction(r.Context(), array); err != nil {
		return err
	}

	ctx, done, err := a.forCoordinates(r.Context())
	if err != nil {
		return err
	}
	defer done()

	d.AddCoordinates(ctx, array.Coordinates().Axes)
	return writeJSON(w, r, d, "")
}

// reduction returns how tiles of an array show several items. Finding out reads some of them; if
// that takes too much memory, or fails, they are taken for ordinary numbers.
func (a *API) reduction(ctx context.Context, array *catalog.Array) (string, error) {
	m := array.Meaning()
	single, err := array.Derived("single", func() (any, error) {
		reading, done, err := array.Take(ctx, a.limits.Memory, 1<<20)
		if err != nil {
			return false, err
		}
		defer done()
		return viewing.Single(reading, array.Source, m)
	})

	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil && single.(bool):
		return "nearest", nil
	}
	return "mean", nil
}
