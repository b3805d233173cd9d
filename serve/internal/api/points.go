package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/internal/show/viewing"
	"github.com/cairn-go/cairn/ndarray"
)

// Points answers with the items at some places.
func (a *API) Points(w http.ResponseWriter, r *http.Request, path string) error {
	q, err := query(r, "at", "raw", "as")
	if err != nil {
		return err
	}

	at := q["at"]
	if len(at) == 0 || int64(len(at)) > a.limits.Items {
		return Failed(http.StatusBadRequest, "name from 1 to "+strconv.FormatInt(a.limits.Items, 10)+" places as at=1,2,3")
	}

	array, err := a.catalog.Array(r.Context(), path)
	if err != nil {
		return err
	}
	defer array.Release()

	if notModified(w, r, array.Version+"-"+hash(append(at, q.Get("raw"), q.Get("as"))...)) {
		return nil
	}

	raw, err := number(q, "raw", 0, 0, 1)
	if err != nil {
		return err
	}

	src := array.Source
	if raw == 0 {
		src = array.Values()
	}

	if how := q.Get("as"); how != "" {
		if src, err = viewing.As(src, array.Meaning(), how); err != nil {
			return err
		}
	}

	size := int64(src.DType().Size())
	if size > a.limits.Bytes/int64(len(at)) {
		return Failed(http.StatusRequestEntityTooLarge, "these items have more bytes than an answer may have")
	}

	ctx, done, err := array.Take(r.Context(), a.limits.Memory, int64(len(at))*(size+200))
	if err != nil {
		return err
	}
	defer done()

	values := make([]any, len(at))
	items := make([]byte, size)
	for i, text := range at {
		if err := readPoint(ctx, src, items, text); err != nil {
			return err
		}
		values[i] = item.JSON(src.DType(), items)
	}
	return writeJSON(w, r, map[string]any{"values": values, "dtype": src.DType().String()}, "")
}

// readPoint reads the item at a place such as "1,2,3".
func readPoint(ctx context.Context, src ndarray.Source, dst []byte, text string) error {
	shape := src.Shape()
	var parts []string
	if strings.TrimSpace(text) != "" {
		parts = strings.Split(text, ",")
	}

	if len(parts) != len(shape) {
		return Failed(http.StatusBadRequest, "at="+text+" has "+strconv.Itoa(len(parts))+" indexes, the array "+
			strconv.Itoa(len(shape))+" dimensions")
	}

	start := make([]int64, len(parts))
	stop := make([]int64, len(parts))
	for i, part := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || n < 0 || n >= shape[i] {
			return Failed(http.StatusBadRequest, "at="+text+": "+strconv.Quote(part)+" is no index from 0 to "+
				strconv.FormatInt(shape[i]-1, 10))
		}
		start[i] = n
		stop[i] = n + 1
	}
	return src.ReadBytes(ctx, dst, start, stop)
}
