package api

import (
	"net/http"

	"github.com/cairn-go/cairn/internal/described"
)

// A listing is the answer of List.
type listing struct {
	Path    string            `json:"path"`
	Kind    described.Kind    `json:"kind"`
	Entries []described.Entry `json:"entries"`
	More    bool              `json:"more"`
	// Links are those of a tree or group, with the first entries.
	Links   []described.Link `json:"links,omitempty"`
	LeftOut []string         `json:"left_out,omitempty"` // the first names that no path can have
	Without int64            `json:"left_out_count,omitempty"`
}

// List answers what is in a folder, a tree or a group, or what is found below it.
func (a *API) List(w http.ResponseWriter, r *http.Request, path string) error {
	const usual, most = 1000, 10_000
	q, err := query(r, "after", "limit", "search")
	if err != nil {
		return err
	}

	limit, err := number(q, "limit", usual, 1, most)
	if err != nil {
		return err
	}

	e, err := a.catalog.Stat(r.Context(), path)
	if err != nil {
		return err
	}

	l := listing{Path: path, Kind: e.Kind, Entries: []described.Entry{}}
	switch text := q.Get("search"); {
	case e.Kind == described.ArrayKind || e.Kind == described.FileKind || e.Kind == described.Unreadable:
		return Failed(http.StatusBadRequest, "this is no folder or tree; /api/v1/info tells about it")
	case text != "":
		l.Entries, err = a.catalog.Search(r.Context(), path, text, int(limit))
		l.More = len(l.Entries) == int(limit)
	default:
		l.Entries, l.More, err = a.catalog.List(r.Context(), path, q.Get("after"), int(limit))
		if err == nil && q.Get("after") == "" && path != "" {
			l.LeftOut, l.Without, err = a.catalog.LeftOut(r.Context(), path)
		}
		if err == nil && q.Get("after") == "" {
			l.Links, err = a.catalog.Links(r.Context(), path)
		}
	}

	if err != nil {
		return err
	}
	if l.Entries == nil {
		l.Entries = []described.Entry{}
	}

	w.Header().Set("Cache-Control", "private, no-cache")
	return writeJSON(w, r, l, "")
}
