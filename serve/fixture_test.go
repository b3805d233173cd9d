package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

// secret is in files that must not be served.
const secret = "nobody may read this"

// folder makes a folder with arrays of all formats, all of which have the items 0, 1, 2, … in the
// shape 4 × 6, and with what must not be served.
func folder(t testing.TB) string {
	t.Helper()
	ctx, top := t.Context(), t.TempDir()
	dir := filepath.Join(top, "data")
	put := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sub/deep", ".hidden"} {
		put(os.MkdirAll(filepath.Join(dir, name), 0o777))
	}
	for _, name := range []string{".secret", ".hidden/secret", "../secret", "sub/.secret"} {
		put(os.WriteFile(filepath.Join(dir, name), []byte(secret), 0o666))
	}
	_ = os.Symlink(filepath.Join(top, "secret"), filepath.Join(dir, "link"))
	_ = os.Symlink(top, filepath.Join(dir, "sub", "up"))
	put(os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("0123456789"), 0o666))
	a := sequence(t)
	put(ndarray.Save(ctx, filepath.Join(dir, "a.b2nd"), a, nil))
	put(ndarray.Save(ctx, filepath.Join(dir, "sub/deep/sparse.b2nd"), a, &ndarray.CopyOptions{Sparse: new(true)}))
	put(npy.Save(ctx, filepath.Join(dir, "a.npy"), a, nil))
	big, err := ndarray.CreateUntyped(filepath.Join(dir, "big.b2nd"), ">f4", ndarray.Shape{2}, nil)
	put(err)
	put(big.Write(ctx, []byte{0x3f, 0x80, 0, 0, 0x40, 0, 0, 0}))
	put(big.Close())
	put(npy.SaveArchive(ctx, filepath.Join(dir, "runs.npz"), func(p npy.PutFunc) error {
		if err := p("a", a); err != nil {
			return err
		}
		return p("g/b", a)
	}, nil))
	put(zarr.Save(ctx, filepath.Join(dir, "one.zarr"), a, nil))
	for name, version := range map[string]int{"v2.zarr": 2, "v3.zarr": 3, "v3.zarr.zip": 3} {
		w, err := zarr.Create(filepath.Join(dir, name), &zarr.SaveOptions{Version: version})
		put(err)
		put(w.Put(ctx, "g/a", a, nil))
		put(w.Group("g", meta.Map{{Key: "title", Value: "a group"}}))
		put(w.Close())
	}
	for _, name := range []string{"tree.b2z", "tree.b2d", "tree.b2e"} {
		e, err := store.Create(filepath.Join(dir, name), nil)
		put(err)
		put(e.Put(ctx, "/g/a", a, nil))
		put(e.Put(ctx, "/y", yAxis(t), nil))
		put(e.Close())
	}
	return dir
}

// sequence returns the array of the fixture, with names of dimensions and attributes.
func sequence(t testing.TB) *ndarray.Untyped {
	t.Helper()
	a, err := ndarray.Arange[float32](t.Context(), "", 0, 24, 1, ndarray.Shape{4, 6},
		&ndarray.Options{ChunkShape: ndarray.Shape{2, 6}, BlockShape: ndarray.Shape{1, 6}})
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: []string{"y", "x"},
			Attributes: meta.Map{{Key: "units", Value: "K"}, {Key: "long_name", Value: "warmth"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return a.Untyped
}

// yAxis returns the coordinates of the dimension y.
func yAxis(t testing.TB) *ndarray.Untyped {
	t.Helper()
	a, err := ndarray.FromSlice([]float64{10, 20, 30, 40}, ndarray.Shape{4}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Dims: []string{"y"}, Attributes: meta.Map{{Key: "units", Value: "m"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return a.Untyped
}

// sequencePaths are the paths of all arrays of the fixture with the usual items.
var sequencePaths = []string{"data/a.b2nd", "data/sub/deep/sparse.b2nd", "data/a.npy", "data/runs.npz/a",
	"data/runs.npz/g/b", "data/one.zarr", "data/v2.zarr/g/a", "data/v3.zarr/g/a", "data/v3.zarr.zip/g/a",
	"data/tree.b2z/g/a", "data/tree.b2d/g/a", "data/tree.b2e/g/a"}

// handler returns a handler of roots, which is closed at the end.
func handler(t testing.TB, roots []Root, o *Options) *Handler {
	t.Helper()
	h, err := New(roots, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// ask sends a request to a handler, with header fields in pairs.
func ask(t testing.TB, h http.Handler, target string, fields ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+target, nil)
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// want sends a request that must be answered with a status, and returns the answer and its body.
func want(t testing.TB, h http.Handler, status int, target string, fields ...string) (*httptest.ResponseRecorder, []byte) {
	t.Helper()
	w := ask(t, h, target, fields...)
	if w.Code != status {
		t.Fatalf("%s %v: status %d, want %d: %s", target, fields, w.Code, status, w.Body)
	}
	return w, bodyOf(t, w)
}

func bodyOf(t testing.TB, w *httptest.ResponseRecorder) []byte {
	t.Helper()
	if w.Header().Get("Content-Encoding") != "gzip" {
		return w.Body.Bytes()
	}
	z, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// wantJSON is want for an answer with status 200, which it decodes.
func wantJSON[T any](t testing.TB, h http.Handler, target string) (v T) {
	t.Helper()
	_, body := want(t, h, http.StatusOK, target)
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: %v in %s", target, err, body)
	}
	return v
}

// wantText fails unless a text is part of an answer.
func wantText(t testing.TB, body []byte, part string) {
	t.Helper()
	if !strings.Contains(string(body), part) {
		t.Errorf("%q is not part of %s", part, body)
	}
}
