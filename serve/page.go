package serve

import (
	"context"
	"net/http"

	"github.com/cairn-go/cairn/internal/show/viewing"
	"github.com/cairn-go/cairn/serve/internal/api"
	"github.com/cairn-go/cairn/serve/internal/page"
	"github.com/cairn-go/cairn/serve/internal/tiles"
)

// pageRoutes are the routes of the page, and of the pictures on it. The last one takes every path.
func (h *Handler) pageRoutes() ([]route, error) {
	site, err := page.New()
	if err != nil {
		return nil, err
	}

	pictures := &tiles.Handler{Open: h.openForTiles,
		Tiles: tiles.New(tiles.Options{CacheBytes: h.options.Memory / 8, Workers: h.options.Workers,
			Memory: h.limits.Memory.Size() / 2, Take: h.limits.Memory.Take})}
	return []route{
		{"tiles", "/api/v1/tiles", pictures.Serve},
		{"static", "/static", func(w http.ResponseWriter, r *http.Request, _ string) error {
			site.ServeHTTP(w, r)
			return nil
		}},
		{"page", "/", func(w http.ResponseWriter, r *http.Request, path string) error {
			if path != "" {
				return api.Failed(http.StatusNotFound, "there is no such address; see docs/serve.md")
			}
			site.ServeHTTP(w, r)
			return nil
		}},
	}, nil
}

// openForTiles opens an array for its pictures, of the values that its items stand for unless raw
// is set.
func (h *Handler) openForTiles(ctx context.Context, path string, raw bool, as string) (
	tiles.Array, string, error,
) {
	a, err := h.catalog.Array(ctx, path)
	if err != nil {
		return tiles.Array{}, "", err
	}

	array := tiles.Array{Source: a.Source, Key: a.Path + "\x00" + a.Version, Release: a.Release}
	if raw {
		array.Key += "\x00raw"
	} else {
		array.Source = a.Values()
	}

	if as != "" {
		array.Key += "\x00" + as
		if array.Source, err = viewing.As(array.Source, a.Meaning(), as); err != nil {
			a.Release()
			return tiles.Array{}, "", err
		}
	}
	return array, a.Version, nil
}
