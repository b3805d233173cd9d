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
	// values that they stand for otherwise, and returns its version too.
	Open func(ctx context.Context, path string, raw bool) (a Array, version string, err error)
}

// request is what the query of a request says.
type request struct {
	plane   Plane
	place   Place
	exact   bool
	raw     bool
	version string
}

// maxDims is more dimensions than any array has.
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
	r.plane.Y, r.plane.X = small("y"), small("x")
	r.place = Place{small("level"), integer("ty"), integer("tx")}
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
	switch r.version = q.Get("v"); q.Get("quality") {
	case "exact", "":
		r.exact = true
	case "sampled":
	default:
		return r, fmt.Errorf("quality=%q, want exact or sampled: %w", q.Get("quality"), cairn.ErrBounds)
	}
	return r, nil
}

// Serve answers with a tile: float32 in little-endian order, rows first.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, path string) error {
	want, err := parse(r.URL.Query())
	if err != nil {
		return err
	}
	a, version, err := h.Open(r.Context(), path, want.raw)
	if err != nil {
		return err
	}
	tag := strconv.Quote(version)
	if want.exact && r.Header.Get("If-None-Match") == tag {
		a.Release()
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	t, err := h.Tiles.Tile(r.Context(), a, want.plane, want.place, want.exact)
	if err != nil {
		return err
	}
	head := w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("X-Cairn-Shape", fmt.Sprintf("%d,%d", t.NY, t.NX))
	head.Set("X-Cairn-DType", "<f4")
	if low, high, ok := t.Range(); ok {
		head.Set("X-Cairn-Range", fmt.Sprintf("%g,%g", low, high))
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
	body := make([]byte, 0, 4*len(t.Values))
	for _, v := range t.Values {
		body = binary.LittleEndian.AppendUint32(body, math.Float32bits(v))
	}
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that has gone away is no fault
	}
	return nil
}
