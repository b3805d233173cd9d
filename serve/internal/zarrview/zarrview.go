// Package zarrview serves every array of a catalog as a Zarr array of versions 2 and 3, and every
// folder, tree and group with arrays as a Zarr group.
//
//	PATH/zarr.json, PATH/c/0/1      version 3
//	PATH/.zarray, .zattrs, .zgroup, .zmetadata, PATH/0.1
//	PATH/                           a list of what is in a group, as links
//	PATH@VERSION/…                  the same of an array, as long as it has that version
package zarrview

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/memo"
	"github.com/cairn-go/cairn/serve/internal/api"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/serve/internal/limits"
	"github.com/cairn-go/cairn/zarr"
)

// A Handler answers requests. Any number of goroutines may use it.
type Handler struct {
	catalog *catalog.Catalog
	limits  limits.Limits
	chunks  *memo.Cache[[]byte] // chunks that took encoding
	buffers sync.Pool           // of *[]byte, for chunks that did not
}

// New returns a handler for a catalog.
func New(c *catalog.Catalog, l limits.Limits) *Handler {
	return &Handler{catalog: c, limits: l, chunks: newCache(l.Memory.Size() / cacheShare)}
}

func newCache(most int64) *memo.Cache[[]byte] {
	return memo.New(memo.Options[[]byte]{Most: most, Largest: most / 4,
		Size: func(b []byte) int64 { return int64(cap(b)) + chunkCost }})
}

// chunkCost is the memory that a chunk which is kept takes besides its bytes.
const chunkCost = 512

// cacheShare is the part of the memory of all requests that chunks which took encoding may have
// besides.
const cacheShare = 16

// documents are the names of metadata.
var documents = []string{"zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata"}

// Serve answers a request for a path below the prefix of the view, without slashes at its ends.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, name string) error {
	w.Header().Set("Cache-Control", "no-cache") // arrays grow
	if dir, base := path.Split(name); slices.Contains(documents, base) {
		return h.document(w, r, strings.TrimSuffix(dir, "/"), base)
	}

	if node, key, ok := splitKey(name); ok {
		if err := h.chunk(w, r, node, key); !isMissing(err) {
			return err
		}
	}
	return h.index(w, r, name)
}

// splitKey splits a path into that of an array and the key of a chunk.
func splitKey(name string) (node, key string, ok bool) {
	if node, ok := strings.CutSuffix(name, "/c"); ok {
		return node, "c", true
	}
	if i := strings.LastIndex(name, "/c/"); i >= 0 && onlyOf(name[i+len("/c/"):], "0123456789/") {
		return name[:i], name[i+1:], true
	}
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)], name[i+1:], i > 0 && onlyOf(name[i+1:], "0123456789.")
}

// onlyOf reports whether text consists of some characters.
func onlyOf(text, characters string) bool {
	return text != "" && strings.Trim(text, characters) == ""
}

func notFound(name string) error {
	return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// isMissing reports whether an error is about a path where nothing is, or no array.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, catalog.ErrNoArray)
}

// extensions returns those of files with one array, which has a name without it as well.
func extensions() (all []string) {
	for _, row := range formats.All() {
		if !row.Trees && row.Detect != nil && row.Extensions != nil {
			all = append(all, row.Extensions[0])
		}
	}
	return all
}

// errOther is the answer to a request for a version that an array has no more.
var errOther = api.Failed(http.StatusPreconditionFailed, "the array has another version by now; open it again")

// array returns the array of a path. PATH@VERSION is that of PATH if it has the version.
func (h *Handler) array(ctx context.Context, name string) (*catalog.Array, error) {
	a, err := h.named(ctx, name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}

	i := strings.LastIndexByte(name, '@')
	if i < 0 || !onlyOf(name[i+1:], "0123456789abcdef") {
		return nil, err
	}

	if a, err = h.named(ctx, name[:i]); err == nil && a.Version != name[i+1:] {
		a.Release()
		return nil, errOther
	}
	return a, err
}

// named returns the array of a path, or of the file with that name but for its extension.
func (h *Handler) named(ctx context.Context, name string) (*catalog.Array, error) {
	a, err := h.catalog.Array(ctx, name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}

	for _, extension := range extensions() {
		if a, failed := h.catalog.Array(ctx, name+extension); failed == nil {
			return a, nil
		}
	}
	return nil, err
}

// view returns the view of an array, which is valid until the array is released.
func view(ctx context.Context, a *catalog.Array) (*zarr.View, error) {
	kept, err := a.Derived("zarr", func() (any, error) {
		return newView(ctx, a, dimsOf(a))
	})
	if err != nil {
		return nil, err
	}
	return kept.(*zarr.View), nil
}

// document answers with metadata.
func (h *Handler) document(w http.ResponseWriter, r *http.Request, node, name string) error {
	doc, err := h.documentOf(r.Context(), node, name)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	sum := fnv.New128a()
	_, _ = sum.Write(doc) // it never fails
	return serveBytes(w, r, fmt.Sprintf(`"%x"`, sum.Sum(nil)), doc)
}

func (h *Handler) documentOf(ctx context.Context, node, name string) ([]byte, error) {
	if node != "" {
		a, err := h.array(ctx, node)
		if err == nil {
			defer a.Release()

			// A document of an array that has no dtype in a version does not exist in
			// that, unless it has none in the other either: then the reason is the error.
			v, err := view(ctx, a)
			if err != nil {
				return nil, err
			}
			doc, err := v.Document(name)
			if errors.Is(err, cairn.ErrUnsupported) || errors.Is(err, cairn.ErrNotFound) {
				return nil, notFound(node + "/" + name)
			}
			return doc, err
		}
		if !errors.Is(err, catalog.ErrNoArray) {
			return nil, err
		}
	}

	if name == ".zarray" {
		return nil, notFound(node + "/" + name)
	}
	return h.groupDocument(ctx, node, name)
}

// serveBytes answers with bytes, or a range of them, or that the client has them.
func serveBytes(w http.ResponseWriter, r *http.Request, tag string, b []byte) error {
	head := w.Header()
	head.Set("ETag", tag)
	for _, name := range []string{"Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"} {
		if r.Header.Get(name) != "" {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
			return nil
		}
	}

	head.Set("Accept-Ranges", "bytes")
	head.Set("Content-Length", strconv.Itoa(len(b)))
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}

	_, _ = w.Write(b) // the client has gone
	return nil
}
