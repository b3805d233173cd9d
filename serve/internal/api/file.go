package api

import (
	"mime"
	"net/http"
	"strings"
)

// mostRanges bounds the ranges of a request.
const mostRanges = 32

// File answers with a file, or ranges of it.
func (a *API) File(w http.ResponseWriter, r *http.Request, path string) error {
	if strings.Count(r.Header.Get("Range"), ",") >= mostRanges {
		return Failed(http.StatusRequestedRangeNotSatisfiable, "too many ranges in one request")
	}

	f, e, err := a.catalog.File(r.Context(), path)
	if err != nil {
		return err
	}
	defer f.Close()

	head := w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.Name}))
	head.Set("ETag", `"`+e.Version+`"`)
	head.Set("Cache-Control", "private, no-cache")
	http.ServeContent(w, r, "", e.Changed, f)
	return nil
}
