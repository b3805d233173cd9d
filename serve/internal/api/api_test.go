package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/serve/internal/limits"
)

// TestStatusOf checks the status of each kind of error, also of one that is wrapped, and that none
// tells a path of the operating system.
func TestStatusOf(t *testing.T) {
	const path = "/home/somebody/a.b2nd"
	in := func(err error) error { return &fs.PathError{Op: "open", Path: path, Err: err} }
	for _, c := range []struct {
		err    error
		status int
	}{
		{Failed(http.StatusTeapot, "short and stout"), http.StatusTeapot},
		{limits.ErrBusy, http.StatusServiceUnavailable},
		{limits.ErrTooLarge, http.StatusRequestEntityTooLarge},
		{context.DeadlineExceeded, http.StatusGatewayTimeout},
		{in(fs.ErrNotExist), http.StatusNotFound},
		{in(fs.ErrPermission), http.StatusForbidden},
		{catalog.ErrNoArray, http.StatusBadRequest},
		{cairn.Corruptf("chunk", 7, "nonsense"), http.StatusInternalServerError},
		{cairn.ErrChecksum, http.StatusInternalServerError},
		{cairn.ErrBounds, http.StatusBadRequest},
		{cairn.ErrType, http.StatusBadRequest},
		{cairn.ErrInvalid, http.StatusBadRequest},
		{cairn.ErrNotFound, http.StatusBadRequest},
		{cairn.ErrUnsupported, http.StatusNotImplemented},
		{cairn.ErrLimit, http.StatusRequestEntityTooLarge},
		{in(os.ErrInvalid), http.StatusInternalServerError},
		{errors.New("reading " + path), http.StatusInternalServerError},
	} {
		for _, err := range []error{c.err, fmt.Errorf("doing: %w", c.err)} {
			status, text := StatusOf(err)
			if status != c.status || text == "" || strings.Contains(text, path) {
				t.Errorf("%v: status %d with %q, want %d", err, status, text, c.status)
			}
		}
	}
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "br, gzip": true, "br": false, "*": true, "gzip;q=0": false, "gzip; q=0.0": false,
		"gzip;q=0.5": true, "identity, gzip;q=1": true, "gzip;q=x": false, "gzipped": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", header)
		if got := acceptsGzip(r); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestNotModified(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, `"a"`: true, `W/"a"`: true, `"b", "a"`: true, "*": true, `"b"`: false, "a": false, `"A"`: false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("If-None-Match", header)
		w := httptest.NewRecorder()
		if got := notModified(w, r, "a"); got != want || got != (w.Code == http.StatusNotModified) {
			t.Errorf("%q: %v, status %d", header, got, w.Code)
		}
		if w.Header().Get("ETag") != `"a"` {
			t.Errorf("ETag %q", w.Header().Get("ETag"))
		}
	}
}

func TestQuery(t *testing.T) {
	for text, good := range map[string]bool{
		"": true, "s=1": true, "s=1&v=x": true, "s=1&s=2": true, "other=1": false, "s=1&Other": false, "s=%zz": false, "s=1;v=2": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.RawQuery = text
		_, err := query(r, "s")
		if (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil {
			continue
		}
		if status, _ := StatusOf(err); status != http.StatusBadRequest {
			t.Errorf("%q: status %d", text, status)
		}
	}
	for text, want := range map[string]int64{"": 5, "0": 0, "9": 9, "10": -1, "-1": -1, "x": -1, "99999999999999999999": -1} {
		got, err := number(url.Values{"n": {text}}, "n", 5, 0, 9)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("n=%s: %d", text, got)
		}
	}
}
