// Package api answers requests about arrays: what there is, what it is like, its items, and what is
// computed from them. Answers are JSON unless they are items.
package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/serve/internal/limits"
)

// An API answers requests about what a catalog has.
type API struct {
	catalog *catalog.Catalog
	limits  limits.Limits
	stats   statsCache
}

// New returns an API within limits.
func New(c *catalog.Catalog, l limits.Limits) *API {
	return &API{catalog: c, limits: l, stats: newStatsCache()}
}

// A failure is an error with a status.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

// Failed returns an error that is answered with a status.
func Failed(status int, text string) error { return &failure{status, text} }

// StatusOf returns the status that answers an error, and what to tell the client: nothing of the
// operating system.
func StatusOf(err error) (status int, text string) {
	var f *failure
	text = err.Error()

	switch {
	case errors.As(err, &f):
		return f.status, text
	case errors.Is(err, limits.ErrBusy):
		return http.StatusServiceUnavailable, text
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout, "this takes longer than the server allows; ask for less"
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound, "there is nothing at this path"
	case errors.Is(err, fs.ErrPermission):
		return http.StatusForbidden, "the server may not read this"
	case errors.Is(err, limits.ErrTooLarge), errors.Is(err, cairn.ErrLimit):
		return http.StatusRequestEntityTooLarge, text
	case errors.Is(err, catalog.ErrNoArray):
		return http.StatusBadRequest, "this is no array"
	case errors.Is(err, cairn.ErrCorrupt), errors.Is(err, cairn.ErrChecksum):
		return http.StatusInternalServerError, "the file is damaged; cairn verify says where"
	case errors.Is(err, cairn.ErrNotFound), errors.Is(err, cairn.ErrBounds), errors.Is(err, cairn.ErrType),
		errors.Is(err, cairn.ErrInvalid):
		return http.StatusBadRequest, text
	case errors.Is(err, cairn.ErrUnsupported):
		return http.StatusNotImplemented, text
	}
	return http.StatusInternalServerError, "a fault of the server; its log says more"
}

// WriteError writes an error as JSON.
func WriteError(w http.ResponseWriter, status int, text string) {
	body := encode(map[string]string{"error": text})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// encode returns JSON.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // browsers do not take it for HTML
	if err := e.Encode(v); err != nil {
		return []byte(`{"error":"there is no JSON for this answer"}` + "\n")
	}
	return b.Bytes()
}

// writeJSON answers with JSON, compressed if the client takes that. tag is an ETag without quotes,
// or "".
func writeJSON(w http.ResponseWriter, r *http.Request, v any, tag string) error {
	if tag != "" && notModified(w, r, tag) {
		return nil
	}
	w.Header().Set("Content-Type", "application/json")
	return writeText(w, r, encode(v))
}

// writeText answers with a text, compressed if that pays and the client takes it.
func writeText(w http.ResponseWriter, r *http.Request, body []byte) error {
	head := w.Header()
	head.Add("Vary", "Accept-Encoding")
	const least = 1 << 10
	if len(body) > least && acceptsGzip(r) {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if _, err := z.Write(body); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		compressed(head)
		body = b.Bytes()
	}

	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return nil
	}

	_, _ = w.Write(body) // a client that has gone away is no fault
	return nil
}

// compressed says that an answer is compressed with gzip.
func compressed(head http.Header) {
	head.Set("Content-Encoding", "gzip")
	if tag := head.Get("ETag"); tag != "" {
		head.Set("ETag", "W/"+tag) // the same answer in other bytes
	}
}

// acceptsGzip reports whether the client takes gzip.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name != "gzip" && name != "*" {
			continue
		}
		q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		if v, err := strconv.ParseFloat(q, 64); !ok || err == nil && v > 0 {
			return true
		}
	}
	return false
}

// notModified sets the ETag of an answer. It reports whether the client has the answer already, and
// then says so.
func notModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	head := w.Header()
	tag = `"` + tag + `"`
	head.Set("ETag", tag)
	if r.URL.Query().Get("v") != "" {
		head.Set("Cache-Control", "private, max-age=86400")
	} else {
		head.Set("Cache-Control", "private, no-cache")
	}

	for have := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if have = strings.TrimPrefix(strings.TrimSpace(have), "W/"); have == tag || have == "*" {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// query returns the parameters of a request, all of which must be known.
func query(r *http.Request, known ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, Failed(http.StatusBadRequest, "the part of the address behind the question mark cannot be read")
	}

	for name := range q {
		if !contains(known, name) && name != "v" {
			return nil, Failed(http.StatusBadRequest, "there is no parameter "+strconv.Quote(name)+", only "+strings.Join(known, ", "))
		}
	}
	return q, nil
}

func contains(list []string, text string) bool {
	for _, s := range list {
		if s == text {
			return true
		}
	}
	return false
}

// number returns a parameter that is a number from least to most.
func number(q url.Values, name string, usual, least, most int64) (int64, error) {
	text := q.Get(name)
	if text == "" {
		return usual, nil
	}

	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, Failed(http.StatusBadRequest, name+" is "+strconv.Quote(text)+", must be a number from "+
			strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
	}
	return n, nil
}
