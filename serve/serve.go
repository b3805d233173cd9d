// Package serve serves arrays on the web: an HTTP handler with a page to look at them in a browser,
// an API, every array as a Zarr array, and the files themselves.
//
//	h, err := serve.New([]serve.Root{{Path: "data"}}, nil)
//	err = http.ListenAndServe("127.0.0.1:8080", h)
//
// It reads only, and nothing outside of the roots. docs/serve.md describes the routes.
package serve

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/api"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/serve/internal/limits"
	"github.com/cairn-go/cairn/serve/internal/zarrview"
)

// A Root is something that is served under a name: a file or folder, or an array of the program.
type Root struct {
	// Name is the first element of its paths, without slashes; "" means the last element of Path.
	Name string
	// Path is a file or folder. Links in it are followed, but none below it.
	Path string
	// Source is served instead of Path if it is not nil. An array of package ndarray is read in the
	// state that it has when a request begins. Another source must not change, unless it has a
	// method Version() string, whose result changes with its items.
	Source ndarray.Source
}

// Options are the options of a handler. Nil and the zero value mean the defaults.
type Options struct {
	// Hosts are the names by which the server may be addressed, without ports, besides localhost
	// and the addresses of the own machine 127.0.0.1 and ::1; "*" means any. Other requests are
	// refused, so that no web page can reach the server through a name of its own (DNS rebinding).
	Hosts []string
	// Origins are the web sites whose pages may read what is served, such as
	// "https://example.org"; "*" means any.
	Origins []string
	// Token is required as "Authorization: Bearer TOKEN" if it is not empty.
	Token string
	// Links are folders below which external links and virtual datasets of HDF5 may lead into other
	// files. They must be folders that are served, or below such. Without them no file leads into
	// another one.
	Links []string

	// Memory is how many bytes the handler may use; 0 means 1 GiB. Requests may have 5/8 of it, and
	// tiles and encoded chunks that are kept between them somewhat more than an eighth. Another
	// eighth is for decoded chunks, which the process keeps (ndarray.SetCacheBytes), and the rest
	// for garbage. A process that is to stay below it sets a limit as well, such as 15/16 of it
	// (debug.SetMemoryLimit).
	Memory   int64
	MaxBytes int64         // bytes of items in one answer; 0 means 256 MiB
	Timeout  time.Duration // for one answer; 0 means a minute
	Requests int           // in progress at a time; 0 means 256; others wait
	// PerClient bounds the requests of one address in progress and waiting; 0 means 128. Others are
	// answered with status 429.
	PerClient int
	Workers   int          // goroutines of one read; 0 means one per CPU, at most 4
	Open      int          // arrays and trees that stay open between requests; 0 means 64
	Log       *slog.Logger // a line for each request; nil means none
}

func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}

	defaults := func(v *int64, usual int64) {
		if *v == 0 {
			*v = usual
		}
	}

	defaults(&all.Memory, 1<<30)
	defaults(&all.MaxBytes, min(256<<20, all.Memory/2))
	if all.Timeout == 0 {
		all.Timeout = time.Minute
	}
	if all.Requests == 0 {
		all.Requests = 256
	}
	if all.PerClient == 0 {
		all.PerClient = 128
	}
	if all.Log == nil {
		all.Log = slog.New(slog.DiscardHandler)
	}
	return all
}

// Validate returns an error for a field that has no meaning.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	if o.Memory < 0 || o.MaxBytes < 0 || o.Timeout < 0 || o.Requests < 0 || o.PerClient < 0 || o.Workers < 0 || o.Open < 0 {
		return errors.New("serve: a negative limit in Options")
	}
	return nil
}

// A Handler serves arrays. Any number of goroutines may use it.
type Handler struct {
	options      Options
	catalog      *catalog.Catalog
	limits       limits.Limits
	routes       []route
	guard        guard
	gate         gate
	metrics      metrics
	writeTimeout time.Duration // with clients that do not read
}

// New returns a handler that serves roots. o may be nil. The caller closes it when no request is in
// progress.
func New(roots []Root, o *Options) (*Handler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}

	h := &Handler{options: o.withDefaults(), writeTimeout: writeTimeout}
	var all []catalog.Root
	for _, r := range roots {
		all = append(all, catalog.Root{Name: r.Name, Path: r.Path, Source: r.Source})
	}

	var err error
	h.catalog, err = catalog.New(all, catalog.Options{Open: h.options.Open, Workers: h.options.Workers,
		Links: h.options.Links})
	if err != nil {
		return nil, err
	}

	h.limits = limits.Limits{Bytes: h.options.MaxBytes, Items: 10_000, Time: h.options.Timeout,
		Memory: limits.NewQuota(h.options.Memory/8*5, h.options.Timeout/2)}
	h.limits.Slow = limits.NewSlow(h.limits.Memory.Size()/2, h.options.PerClient)
	h.guard = newGuard(&h.options)
	h.gate.init(h.options.Requests, h.options.PerClient, func() *limits.Quota {
		return limits.NewQuota(h.limits.Memory.Size()/2, h.options.Timeout/2)
	}, h.limits.Slow)
	if h.routes, err = h.allRoutes(); err != nil {
		return nil, errors.Join(err, h.catalog.Close())
	}
	return h, nil
}

// Close closes the files that are open.
func (h *Handler) Close() error { return h.catalog.Close() }

// A route is an answer to paths that begin with a prefix.
type route struct {
	name   string // in metrics
	prefix string
	answer func(w http.ResponseWriter, r *http.Request, path string) error
}

// allRoutes is the table of routes. The first prefix that fits counts.
func (h *Handler) allRoutes() ([]route, error) {
	a := api.New(h.catalog, h.limits)
	ofPage, err := h.pageRoutes()
	return append([]route{
		{"list", "/api/v1/list", a.List},
		{"info", "/api/v1/info", a.Info},
		{"slice", "/api/v1/slice", a.Slice},
		{"points", "/api/v1/points", a.Points},
		{"stats", "/api/v1/stats", a.Stats},
		{"chunks", "/api/v1/chunks", a.Chunks},
		{"coordinates", "/api/v1/coordinates", a.Coordinates},
		{"files", "/files", a.File},
		{"zarr", "/zarr", zarrview.New(h.catalog, h.limits).Serve},
		{"metrics", "/metrics", h.serveMetrics},
	}, ofPage...), err
}
