package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/show/viewing"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/catalog"
)

// A part is what a request selects of an array.
type part struct {
	*coords.Array
	from      *catalog.Array
	selection string
	bytes     int64
	piece     int64 // how many of them are read at a time
	items     int64
	computed  bool // items are what the parameter as says
	release   func()
}

// part opens the array of a path and selects what the parameter s says. Finding coordinates reads
// arrays, which takes memory for the moment.
func (a *API) part(ctx context.Context, path string, q url.Values) (*part, error) {
	s, err := coords.Parse(q.Get("s"))
	if err != nil {
		return nil, Failed(http.StatusBadRequest, "s: "+err.Error())
	}

	array, err := a.catalog.Array(ctx, path)
	if err != nil {
		return nil, err
	}

	p := &part{from: array, selection: q.Get("s"), release: array.Release}
	choose := func() error {
		reading, done, err := a.forCoordinates(ctx)
		if err != nil {
			return err
		}

		p.Array, err = array.Coordinates().Select(reading, s)
		done()
		if err != nil {
			return err
		}

		if name := q.Get("field"); name != "" {
			p.View = p.View.Field(name)
			err = p.View.Err()
		} else {
			err = p.values(q)
		}

		how := q.Get("as")
		if err != nil || how == "" {
			return err
		}
		return p.as(how, q.Get("format"))
	}

	if err := choose(); err != nil {
		array.Release()
		return nil, err
	}

	p.items = p.View.Len()
	p.bytes = p.items * int64(p.View.TypeSize())
	return p, nil
}

// values takes the values that the items stand for, unless the parameter raw asks for the items. An
// array for download keeps its items, and the attributes that say what they stand for.
func (p *part) values(q url.Values) error {
	raw, err := number(q, "raw", 0, 0, 1)
	if err == nil && raw == 0 && q.Get("format") != "b2nd" {
		p.Array = p.Array.Values()
	}
	return err
}

// as takes the numbers that the parameter as says to stand for dates or complex numbers.
func (p *part) as(how, format string) error {
	if format == "csv" || format == "b2nd" || format == "png" {
		return Failed(http.StatusBadRequest, "as is for raw items, npy and json")
	}

	src, err := viewing.As(p.View, p.Items, how)
	if err != nil {
		return err
	}

	numbers := *p.Array
	numbers.View = ndarray.ViewOf(src)
	p.Array = &numbers
	p.computed = true
	return p.View.Err()
}
