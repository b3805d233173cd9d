package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/storage"
)

// A door serves the object store of one schedule after another. What arrives late for an earlier
// schedule, from a process that was killed, is refused.
type door struct {
	mu       sync.RWMutex
	schedule string
	store    *memory
}

// open begins to serve the store of a schedule, once the requests of the one before are done.
func (d *door) open(schedule string, m *memory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.schedule, d.store = schedule, m
}

// markHeader carries the mark of an object.
const markHeader = "X-Mark"

// ServeHTTP answers a request for /SCHEDULE/KEY.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	schedule, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if d.store == nil || schedule != d.schedule {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if err := d.answer(w, r, key); err != nil {
		var f *objectstore.Failure
		if !errors.As(err, &f) {
			f = &objectstore.Failure{Status: http.StatusBadRequest}
		}
		w.WriteHeader(f.Status)
	}
}

// answer carries out a request. An error is answered by the caller.
func (d *door) answer(w http.ResponseWriter, r *http.Request, key string) error {
	switch r.Method {
	case http.MethodHead:
		at, mark, err := d.store.Head(r.Context(), key)
		if err != nil {
			return err
		}
		w.Header().Set(markHeader, mark)
		w.Header().Set("ETag", at.Version)
		w.Header().Set("Content-Length", strconv.FormatInt(at.Size, 10))
	case http.MethodGet:
		var first, last int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last); err != nil {
			return err
		}
		body, at, err := d.store.Get(r.Context(), key, r.Header.Get("If-Match"), first, last-first+1)
		if err != nil {
			return err
		}
		last = min(last, at.Size-1)
		w.Header().Set("ETag", at.Version)
		w.Header().Set("Content-Length", strconv.FormatInt(last-first+1, 10))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, at.Size))
		w.WriteHeader(http.StatusPartialContent)
		_, err = io.Copy(w, body)
		return err
	case http.MethodPut:
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		when := storage.When{Absent: r.Header.Get("If-None-Match") == "*", Version: r.Header.Get("If-Match")}
		version, err := d.store.Put(r.Context(), key, data, when, r.Header.Get(markHeader))
		w.Header().Set("ETag", version)
		return err
	}
	return nil
}

// A web is a client of a door.
type web struct{ base string } // a URL that ends with the schedule and a slash

var errNotServed = errors.New("not served")

// do makes a request, and returns the answer if that is no error.
func (c *web) do(ctx context.Context, method, key string, header map[string]string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+key, bytes.NewReader(body))
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

func (c *web) Get(
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

func (c *web) Head(ctx context.Context, key string) (storage.Object, string, error) {
	resp, err := c.do(ctx, http.MethodHead, key, nil, nil)
	if err != nil {
		return storage.Object{}, "", err
	}
	_ = resp.Body.Close()
	h := resp.Header
	return storage.Object{Name: key, Size: resp.ContentLength, Version: h.Get("ETag")}, h.Get(markHeader), nil
}

func (c *web) Put(ctx context.Context, key string, data []byte, when storage.When, mark string) (string, error) {
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

// List fails: the processes of a schedule do not list.
func (c *web) List(context.Context, string, string) ([]storage.Object, string, error) {
	return nil, "", errNotServed
}

// Delete fails: the processes of a schedule do not delete.
func (c *web) Delete(context.Context, string) error { return errNotServed }
