package serve

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-go/cairn/serve/internal/api"
)

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w, timeout: h.writeTimeout, begun: time.Now(), route: "other", head: r.Method == http.MethodHead}
	h.metrics.begin()
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { // an answer was cut off on purpose
				h.finish(rec, r)
				panic(v)
			}
			h.options.Log.Error("panic", "path", r.URL.Path, "value", v, "stack", string(debug.Stack()))
			if rec.status != 0 {
				h.finish(rec, r)
				panic(http.ErrAbortHandler)
			}
			h.fail(rec, r, errInternal)
		}
		h.finish(rec, r)
	}()

	h.answer(rec, r)
}

// finish notes a request that has been answered.
func (h *Handler) finish(rec *recorder, r *http.Request) {
	took := time.Since(rec.begun)
	h.metrics.end(rec, took)
	line := []any{"method", r.Method, "path", r.URL.EscapedPath(), "route", rec.route, "status", rec.code(), "bytes", rec.bytes,
		"ms", float64(took.Microseconds()) / 1000, "client", clientOf(r)}
	if rec.cause == nil {
		h.options.Log.Info("request", line...)
		return
	}
	h.options.Log.Error("request", append(line, "error", rec.cause.Error())...)
}

// answer is the way of every request.
func (h *Handler) answer(w *recorder, r *http.Request) {
	// Set the headers that make browsers careful with an answer.
	head := w.Header()
	head.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")

	if r.URL.Path == "/healthz" {
		w.route = "healthz"
		h.healthz(w, r)
		return
	}

	if err := h.guard.check(w, r); err != nil {
		h.fail(w, r, err)
		return
	}

	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	}

	route, path, err := h.find(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}

	w.route = route.name
	v, err := h.gate.enter(r.Context(), clientOf(r), w.end)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	defer v.finish()

	w.watch(v)
	defer w.unwatch()

	ctx, cancel := context.WithTimeout(v.With(r.Context()), h.limits.Time)
	defer cancel()

	r = r.WithContext(ctx)
	if err := route.answer(w, r, path); err != nil {
		h.fail(w, r, err)
	}
}

// find returns the route of a request, and the path of what it is about.
func (h *Handler) find(r *http.Request) (*route, string, error) {
	path := r.URL.Path
	if escaped := strings.ToLower(r.URL.EscapedPath()); strings.Contains(escaped, "%2f") || strings.Contains(escaped, "%5c") ||
		strings.Contains(escaped, "%00") {
		return nil, "", api.Failed(http.StatusBadRequest, "the address has an escaped slash, backslash or NUL")
	}

	for i := range h.routes {
		rest, ok := strings.CutPrefix(path, h.routes[i].prefix)
		if ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(h.routes[i].prefix, "/")) {
			return &h.routes[i], strings.TrimSuffix(strings.TrimPrefix(rest, "/"), "/"), nil
		}
	}
	return nil, "", api.Failed(http.StatusNotFound, "there is no such address; see docs/serve.md")
}

var errInternal = api.Failed(http.StatusInternalServerError, "a fault of the server; its log says more")

// fail answers with an error, or cuts off an answer that has begun.
func (h *Handler) fail(w *recorder, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil && w.status == 0 {
		w.status = statusGone // nobody reads the answer
		return
	}

	status, text := api.StatusOf(err)
	text = h.catalog.Hide(text)
	if w.status != 0 {
		h.options.Log.Warn("answer cut off", "path", r.URL.EscapedPath(), "error", err.Error())
		panic(http.ErrAbortHandler)
	}

	if status >= 500 {
		w.cause = err
	}

	head := w.Header()
	for _, name := range []string{"ETag", "Content-Disposition", "Content-Length", "Content-Encoding", "Last-Modified"} {
		head.Del(name)
	}

	switch status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		head.Set("Retry-After", "2")
	case http.StatusUnauthorized:
		head.Set("WWW-Authenticate", `Bearer realm="cairn"`)
	case http.StatusMethodNotAllowed:
		head.Set("Allow", "GET, HEAD, OPTIONS")
	}

	head.Set("Cache-Control", "no-store")
	api.WriteError(w, status, text)
}

// statusGone is the status in logs and metrics of a request whose client went away.
const statusGone = 499

// healthz says that the server is alive.
func (h *Handler) healthz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len("ok\n")))
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte("ok\n"))
	}
}
