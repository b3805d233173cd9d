package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/serve/internal/limits"
)

// apiOf returns an API of sources by name.
func apiOf(t *testing.T, sources map[string]ndarray.Source) *API {
	t.Helper()
	var roots []catalog.Root
	for name, src := range sources {
		roots = append(roots, catalog.Root{Name: name, Source: src})
	}
	c, err := catalog.New(roots, catalog.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return New(c, limits.Limits{Bytes: 1 << 20, Items: 100, Time: time.Minute, Memory: limits.NewQuota(256<<20, time.Second)})
}

// counted returns an array of the numbers from 0 on, with names of dimensions and units.
func counted(t *testing.T, shape ...int64) *ndarray.Untyped {
	t.Helper()
	items := int64(1)
	for _, n := range shape {
		items *= n
	}
	a, err := ndarray.Arange[float64](t.Context(), "", 0, float64(items), 1, append(ndarray.Shape{}, shape...), nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: []string{"y", "x", "z"}[:len(shape)],
			Attributes: meta.Map{{Key: "units", Value: "K"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return a.Untyped
}

// call answers a request by a route of the API. Headers are names and values in turn.
func call(t *testing.T, route func(http.ResponseWriter, *http.Request, string) error, path, query string,
	headers ...string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/"+path+query, nil).WithContext(t.Context())
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	return w, route(w, r, path)
}

// told returns the JSON of an answer.
func told(t *testing.T, w *httptest.ResponseRecorder, err error) map[string]any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return v
}
