package tiles

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
)

// A Handler answers requests for tiles.
type Handler struct {
	Tiles *Tiles
	// Open opens an array of a path, of the items as they are stored if raw is set and of the
	// values that they stand for otherwise, or of the numbers for these that as names, and returns
	// its version too.
	Open func(ctx context.Context, path string, raw bool, as string) (a Array, version string, err error)
}

// request is what the query of a request says.
type request struct {
	plane   Plane
	place   Place
	sampled bool
	nearest bool
	wide    bool // float64
	raw     bool
	as      string
	version string
}

// maxDims is the most dimensions in a request, more than any array has.
const maxDims = 64

// parse reads a query such as y=1&x=2&at=31,0,0&level=3&ty=0&tx=1&quality=exact.
func parse(q url.Values) (r request, err error) {
	integer := func(name string) int64 {
		v, bad := strconv.ParseInt(q.Get(name), 10, 64)
		if bad != nil && err == nil {
			err = fmt.Errorf("%s=%q is no integer: %w", name, q.Get(name), cairn.ErrBounds)
		}
		return v
	}

	small := func(name string) int {
		v := integer(name)
		if (v < 0 || v >= maxDims) && err == nil {
			err = fmt.Errorf("%s=%d: %w", name, v, cairn.ErrBounds)
		}
		return int(v)
	}

	r.plane.Y = small("y")
	r.plane.X = small("x")
	r.place.TY = integer("ty")
	r.place.TX = integer("tx")
	if err != nil {
		return r, err
	}

	r.place.Levels, err = parseLevels(q.Get("level"))
	if err != nil {
		return r, err
	}

	indices := strings.Split(q.Get("at"), ",")
	if len(indices) > maxDims {
		return r, fmt.Errorf("at has %d indices: %w", len(indices), cairn.ErrBounds)
	}

	for _, text := range indices {
		v, bad := strconv.ParseInt(text, 10, 64)
		if bad != nil {
			return r, fmt.Errorf("at=%q is no list of integers: %w", q.Get("at"), cairn.ErrBounds)
		}
		r.plane.At = append(r.plane.At, v)
	}

	switch text := q.Get("raw"); text {
	case "", "0", "1":
		r.raw = text == "1"
	default:
		return r, fmt.Errorf("raw=%q, want 0 or 1: %w", text, cairn.ErrBounds)
	}

	r.version = q.Get("v")
	r.as = q.Get("as")
	for _, c := range []struct {
		name, usual, other string
		is                 *bool // the other one
	}{{"quality", "exact", "sampled", &r.sampled}, {"reduce", "mean", "nearest", &r.nearest}, {"dtype", "f4", "f8", &r.wide}} {
		switch text := q.Get(c.name); text {
		case "", c.usual:
		case c.other:
			*c.is = true
		default:
			return r, fmt.Errorf("%s=%q, want %s or %s: %w", c.name, text, c.usual, c.other, cairn.ErrBounds)
		}
	}
	return r, nil
}

// parseLevels reads a level, or that of rows and that of columns.
func parseLevels(text string) (l Levels, err error) {
	rows, columns, two := strings.Cut(text, ",")
	if !two {
		columns = rows
	}

	for _, part := range []struct {
		text  string
		level *int
	}{{rows, &l.Y}, {columns, &l.X}} {
		if *part.level, err = strconv.Atoi(part.text); err != nil || *part.level < 0 || *part.level >= maxDims {
			return l, fmt.Errorf("level=%q is neither a level nor two, of rows and columns: %w", text, cairn.ErrBounds)
		}
	}
	return l, nil
}

// Serve answers with a tile: floats in little-endian order, rows first.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, path string) error {
	want, err := parse(r.URL.Query())
	if err != nil {
		return err
	}

	a, version, err := h.Open(r.Context(), path, want.raw, want.as)
	if err != nil {
		return err
	}

	a.Nearest = want.nearest

	tag := strconv.Quote(version)
	if !want.sampled && r.Header.Get("If-None-Match") == tag {
		a.Release()
		w.WriteHeader(http.StatusNotModified)
		return nil
	}

	t, err := h.Tiles.Tile(r.Context(), a, want.plane, want.place, !want.sampled)
	if err != nil {
		return err
	}

	head := w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("X-Cairn-Shape", fmt.Sprintf("%d,%d", t.NY, t.NX))

	body, dtype, bits := t.floats(want.wide)
	head.Set("X-Cairn-DType", dtype)
	if low, high, ok := t.Range(); ok {
		head.Set("X-Cairn-Range", strconv.FormatFloat(low, 'g', -1, bits)+","+strconv.FormatFloat(high, 'g', -1, bits))
	}

	switch {
	case !t.Exact: // the exact one may be there soon
		head.Set("X-Cairn-Quality", "sampled")
		head.Set("X-Cairn-Samples", strconv.Itoa(t.Samples))
		head.Set("Cache-Control", "no-store")
	case want.version == version:
		head.Set("X-Cairn-Quality", "exact")
		head.Set("Cache-Control", "private, max-age=31536000, immutable")
	default:
		head.Set("X-Cairn-Quality", "exact")
		head.Set("Cache-Control", "private, no-cache")
		head.Set("ETag", tag)
	}

	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone away is no fault
	}
	return nil
}

// floats returns the values as little-endian floats of 64 bits, or of 32.
func (t *Tile) floats(wide bool) (body []byte, dtype string, bits int) {
	if wide {
		body = make([]byte, 0, 8*len(t.Values))
		for _, v := range t.Values {
			body = binary.LittleEndian.AppendUint64(body, math.Float64bits(v))
		}
		return body, "<f8", 64
	}

	body = make([]byte, 0, 4*len(t.Values))
	for _, v := range t.Values {
		body = binary.LittleEndian.AppendUint32(body, math.Float32bits(float32(v)))
	}
	return body, "<f4", 32
}
