package objects

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/storage"
)

// A Door serves the stores that are open, each by its name. What arrives late for another one, from
// a process that was killed, is refused.
type Door struct {
	mu     sync.RWMutex
	stores map[string]*Memory
}

// Open begins to serve a store.
func (d *Door) Open(name string, m *Memory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stores == nil {
		d.stores = map[string]*Memory{}
	}
	d.stores[name] = m
}

// Close ends that, once the requests of the store are done.
func (d *Door) Close(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.stores, name)
}

// markHeader carries the mark of an object.
const markHeader = "X-Mark"

// ServeHTTP answers a request for /NAME/KEY. A client that is stopped in the middle of its request
// holds up nobody else.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err != nil { // the client was killed, or its request cut
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	name, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	status, body, err := d.carryOut(name, key, r, sent, w.Header())
	if err != nil {
		var f *objectstore.Failure
		if !errors.As(err, &f) {
			f = &objectstore.Failure{Status: http.StatusBadRequest}
		}
		status = f.Status
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have been killed
}

// carryOut carries out a request while its store cannot be closed.
func (d *Door) carryOut(name, key string, r *http.Request, sent []byte, h http.Header) (int, []byte, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	m := d.stores[name]
	if m == nil {
		return http.StatusForbidden, nil, nil
	}
	return m.answer(r, key, sent, h)
}

// answer carries out a request, and returns the status and the body. An error is answered by the
// caller.
func (m *Memory) answer(r *http.Request, key string, sent []byte, h http.Header) (status int, body []byte, err error) {
	ctx := r.Context()
	switch {
	case r.Method == http.MethodGet && key == "":
		page, _, _ := m.List(ctx, r.FormValue("prefix"), "") // which does not fail
		body, err = json.Marshal(page)
	case r.Method == http.MethodGet:
		var first, last int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last); err != nil {
			return 0, nil, err
		}

		part, at, err := m.Get(ctx, key, r.Header.Get("If-Match"), first, last-first+1)
		if err != nil {
			return 0, nil, err
		}
		h.Set("ETag", at.Version)
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, min(last, at.Size-1), at.Size))
		body, err = io.ReadAll(part)
		return http.StatusPartialContent, body, err
	case r.Method == http.MethodHead:
		at, mark, err := m.Head(ctx, key)
		if err != nil {
			return 0, nil, err
		}
		h.Set(markHeader, mark)
		h.Set("ETag", at.Version)
		h.Set("Content-Length", strconv.FormatInt(at.Size, 10))
	case r.Method == http.MethodPut:
		when := storage.When{Absent: r.Header.Get("If-None-Match") == "*", Version: r.Header.Get("If-Match")}
		version, err := m.Put(ctx, key, sent, when, r.Header.Get(markHeader))
		h.Set("ETag", version)
		return http.StatusOK, nil, err
	case r.Method == http.MethodDelete:
		err = m.Delete(ctx, key)
	}
	return http.StatusOK, body, err
}

// A Web is a client of a door.
type Web struct{ Base string } // a URL that ends with the name of the store and a slash

// do makes a request, and returns the answer if that is no error.
func (c *Web) do(ctx context.Context, method, key string, header map[string]string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.Base+key, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}

	for name, value := range header {
		if value != "" {
			req.Header.Set(name, value)
		}
	}

	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, objectstore.Unanswered(err)
	}
	if resp.StatusCode >= 300 {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return nil, objectstore.Answered(resp.StatusCode, "", "", resp.Header.Get("Retry-After"))
	}
	return resp, nil
}

// Get returns a part of an object.
func (c *Web) Get(
	ctx context.Context, key, version string, off, length int64,
) (io.ReadCloser, storage.Object, error) {
	resp, err := c.do(ctx, http.MethodGet, key,
		map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", off, off+length-1), "If-Match": version}, nil)
	if err != nil {
		return nil, storage.Object{}, err
	}
	size, err := objectstore.SizeOf(resp.Header.Get("Content-Range"), off, length, resp.Body)
	return resp.Body, storage.Object{Name: key, Size: size, Version: resp.Header.Get("ETag")}, err
}

// Head describes an object.
func (c *Web) Head(ctx context.Context, key string) (storage.Object, string, error) {
	resp, err := c.do(ctx, http.MethodHead, key, nil, nil)
	if err != nil {
		return storage.Object{}, "", err
	}
	_ = resp.Body.Close()
	h := resp.Header
	return storage.Object{Name: key, Size: resp.ContentLength, Version: h.Get("ETag")}, h.Get(markHeader), nil
}

// Put puts an object.
func (c *Web) Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
	absent := ""
	if when.Absent {
		absent = "*"
	}
	resp, err := c.do(ctx, http.MethodPut, key,
		map[string]string{"If-Match": when.Version, "If-None-Match": absent, markHeader: mark}, data)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return "", objectstore.Unanswered(err)
	}
	return resp.Header.Get("ETag"), nil
}

// List returns all objects with a prefix.
func (c *Web) List(ctx context.Context, prefix, _ string) (page []storage.Object, next string, err error) {
	resp, err := c.do(ctx, http.MethodGet, "?prefix="+url.QueryEscape(prefix), nil, nil)
	if err != nil {
		return nil, "", err
	}
	if err = errors.Join(json.NewDecoder(resp.Body).Decode(&page), resp.Body.Close()); err != nil {
		err = objectstore.Unanswered(err)
	}
	return page, "", err
}

// Delete removes an object.
func (c *Web) Delete(ctx context.Context, key string) error {
	resp, err := c.do(ctx, http.MethodDelete, key, nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
