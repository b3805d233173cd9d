package api

import (
	"context"
	"net/http"

	"github.com/cairn-go/cairn/internal/cf"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/viewing"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/shuffle"
)

// A description is the answer of Info. Fields that are not known are left out.
type description struct {
	catalog.Entry
	Fields   []field  `json:"fields,omitempty"` // of structures
	ItemSize int      `json:"itemsize,omitempty"`
	Chunks   []int64  `json:"chunks,omitempty"` // shapes
	Blocks   []int64  `json:"blocks,omitempty"`
	Codec    string   `json:"codec,omitempty"`
	Level    int      `json:"level,omitempty"`
	Filters  []string `json:"filters,omitempty"`
	Codecs   []string `json:"codecs,omitempty"` // of Zarr
	Bytes    int64    `json:"bytes"`            // of all items
	Stored   int64    `json:"stored,omitempty"` // bytes, as far as they are known
	Ratio    float64  `json:"ratio,omitempty"`
	Version  string   `json:"version,omitempty"`
	Growing  bool     `json:"growing,omitempty"` // has grown lately
	Dims     []string `json:"dims,omitempty"`
	Title    string   `json:"title,omitempty"`
	Units    string   `json:"units,omitempty"`
	Packing  *packing `json:"packing,omitempty"`
	Reduce   string   `json:"reduce,omitempty"` // what suits tiles: "mean" or "nearest"
	// numbers that stand for the values, the usual ones first
	As          []string       `json:"as,omitempty"`
	Dates       bool           `json:"dates,omitempty"` // seconds are those of dates
	Attributes  map[string]any `json:"attributes,omitempty"`
	Coordinates []coordinate   `json:"coordinates,omitempty"`
	// Only is the path of the only array of a tree or group that is data.
	Only string `json:"only,omitempty"`
}

// A packing says which values the items stand for.
type packing struct {
	Note    string  `json:"note"`   // in words
	Values  string  `json:"values"` // dtype of the values
	Factor  float64 `json:"factor"` // a value is an item times factor, plus offset
	Offset  float64 `json:"offset"`
	Missing []any   `json:"missing,omitempty"` // finite items that stand for no value
}

// packingOf describes what items stand for, or returns nil if they are the values.
func packingOf(m *cf.Meaning) *packing {
	if m.Plain() {
		return nil
	}
	p := &packing{Note: m.Note(), Values: m.Values.String(), Factor: 1}
	if m.Packing != nil {
		p.Factor, p.Offset = m.Packing.Factor, m.Packing.Offset
	}
	for _, n := range m.Missing {
		if n.Float-n.Float == 0 { // JSON has no infinity
			p.Missing = append(p.Missing, n.Value())
		}
	}
	return p
}

type field struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
}

type coordinate struct {
	Dim   string `json:"dim"`
	Axis  int    `json:"axis"`
	Kind  string `json:"kind"` // "number", "time" or "text"
	Units string `json:"units,omitempty"`
	First string `json:"first"`
	Last  string `json:"last"`
}

// Info answers what a path is.
func (a *API) Info(w http.ResponseWriter, r *http.Request, path string) error {
	if _, err := query(r); err != nil {
		return err
	}
	e, err := a.catalog.Stat(r.Context(), path)
	if err != nil {
		return err
	}
	d := &description{Entry: e}
	if e.Kind != catalog.KindArray {
		attributes, err := a.catalog.Attributes(r.Context(), path)
		if err != nil && e.Fault == "" && e.Kind != catalog.KindFile {
			return err
		}
		d.Attributes, _ = item.Meta(attributes).(map[string]any)
		if e.Kind == catalog.KindTree || e.Kind == catalog.KindGroup {
			if d.Only, err = a.catalog.Only(r.Context(), path); err != nil {
				return err
			}
		}
		w.Header().Set("Cache-Control", "private, no-cache")
		return writeJSON(w, r, d, "")
	}
	array, err := a.catalog.Array(r.Context(), path)
	if err != nil {
		return err
	}
	defer array.Release()
	if notModified(w, r, array.Version) {
		return nil
	}
	if d.Reduce, err = a.reduction(r.Context(), array); err != nil {
		return err
	}
	ctx, done, err := a.forCoordinates(r.Context())
	if err != nil {
		return err
	}
	defer done()
	d.describe(ctx, array)
	d.Growing = a.catalog.Growing(array)
	return writeJSON(w, r, d, "")
}

// reduction returns how tiles of an array show several items. Finding out reads some of them; if
// that takes too much memory, or fails, they are taken for ordinary numbers.
func (a *API) reduction(ctx context.Context, array *catalog.Array) (string, error) {
	m := array.Meaning()
	single, err := array.Keep("single", func() (any, error) {
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

// describe adds what an open array tells.
func (d *description) describe(ctx context.Context, a *catalog.Array) {
	dtype := a.DType()
	d.Shape, d.DType, d.ItemSize, d.Bytes, d.Version = append(ndarray.Shape{}, a.Shape()...), dtype.String(), dtype.Size(), a.Bytes(), a.Version
	for _, f := range dtype.Fields() {
		d.Fields = append(d.Fields, field{f.Name, f.Type.String()})
	}
	switch {
	case a.Blosc2 != nil:
		info := a.Blosc2.Info()
		d.Chunks, d.Blocks = a.Grid()
		d.Codec, d.Level, d.Stored = info.Codec.String(), info.Level, info.CBytes
		for _, f := range info.Pipeline {
			if f.ID != shuffle.IDNone {
				d.Filters = append(d.Filters, f.String())
			}
		}
	case a.Zarr != nil:
		info := a.Zarr.Info()
		d.Chunks, d.Blocks, d.Codecs = info.Chunks, info.Inner, info.Codecs
	}
	if d.Stored > 0 {
		d.Ratio = float64(d.Bytes) / float64(d.Stored)
	}
	d.Packing = packingOf(a.Meaning())
	d.As, d.Dates = viewing.AsNames(dtype, a.Meaning())
	c := a.Coordinates()
	d.Title, d.Units, d.Dims = c.Title, c.Units, a.Labels.Dims
	d.Attributes, _ = item.Meta(a.Labels.Attributes).(map[string]any)
	for i, axis := range c.Axes {
		if have, err := axis.HasCoordinates(ctx); err != nil || !have || axis.Len == 0 {
			continue
		}
		if first, last, err := axis.Ends(ctx); err == nil {
			d.Coordinates = append(d.Coordinates, coordinate{axis.Name, i, kindOf(ctx, axis), axis.Units(ctx), first, last})
		}
	}
}

// kindOf returns what the coordinates of an axis are.
func kindOf(ctx context.Context, axis *coords.Axis) string {
	if axis.IsTime(ctx) {
		return "time"
	}
	if axis.IsText(ctx) {
		return "text"
	}
	return "number"
}
