package api

import (
	"math"
	"net/http"

	"github.com/cairn-go/cairn/chunk"
)

// A chunkInfo describes a chunk.
type chunkInfo struct {
	// bytes as stored; 0 of a chunk that is only an index entry
	CBytes  int64   `json:"cbytes"`
	Ratio   float64 `json:"ratio"`             // of decoded bytes to these; 0 if there are none
	Special string  `json:"special,omitempty"` // "zeros", "nan", "value" or "uninit"
	Fault   string  `json:"fault,omitempty"`
}

type chunkList struct {
	First  int64       `json:"first"`
	Total  int64       `json:"total"`
	Chunks []chunkInfo `json:"chunks"` // in C order over the grid of chunks
	More   bool        `json:"more"`
}

// Chunks answers with the sizes of chunks. Of formats other than Blosc2 it tells of none.
func (a *API) Chunks(w http.ResponseWriter, r *http.Request, path string) error {
	const usual, most = 1000, 10_000
	q, err := query(r, "first", "limit")
	if err != nil {
		return err
	}

	first, err := number(q, "first", 0, 0, math.MaxInt64)
	if err != nil {
		return err
	}

	limit, err := number(q, "limit", usual, 1, most)
	if err != nil {
		return err
	}

	array, err := a.catalog.Array(r.Context(), path)
	if err != nil {
		return err
	}
	defer array.Release()

	if notModified(w, r, array.Version+"-"+hash(q.Get("first"), q.Get("limit"))) {
		return nil
	}

	l := chunkList{First: first, Chunks: []chunkInfo{}}
	if u := array.Blosc2; u != nil {
		view := u.Frame().Snapshot()
		l.Total = min(u.NumChunks(), int64(view.NumChunks()))
		for i := first; i < l.Total && int64(len(l.Chunks)) < limit; i++ {
			if err := r.Context().Err(); err != nil {
				return err
			}

			info, err := view.Peek(int(i))
			if err != nil {
				l.Chunks = append(l.Chunks, chunkInfo{Fault: "unreadable"})
				continue
			}

			c := chunkInfo{CBytes: int64(info.CBytes)}
			if info.CBytes > 0 {
				c.Ratio = float64(info.NBytes) / float64(info.CBytes)
			}
			if info.Kind != chunk.SpecialNone {
				c.Special = info.Kind.String()
			}

			l.Chunks = append(l.Chunks, c)
		}
	}

	l.More = first+int64(len(l.Chunks)) < l.Total
	return writeJSON(w, r, l, "")
}
