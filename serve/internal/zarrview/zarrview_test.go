package zarrview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/serve/internal/api"
	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/serve/internal/limits"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/store"
)

// A served folder.
type served struct {
	t   *testing.T
	dir string
	*Handler
}

func serve(t *testing.T) *served {
	t.Helper()
	dir := t.TempDir()
	c, err := catalog.New([]catalog.Root{{Name: "data", Path: dir}}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &served{t, dir, New(c, limits.Limits{Memory: limits.NewQuota(1<<30, time.Second)})}
}

// create makes an array of float32 whose items count up.
func (s *served) create(name string, o *ndarray.Options, dims []string, shape ...int64) {
	s.t.Helper()
	a, err := ndarray.Create[float32](filepath.Join(s.dir, name), shape, o)
	if err != nil {
		s.t.Fatal(err)
	}
	n := int64(1)
	for _, extent := range shape {
		n *= extent
	}
	items := make([]float32, n)
	for i := range items {
		items[i] = float32(1 + i%1000)
	}
	err = a.Write(s.t.Context(), items)
	if dims != nil {
		err = errors.Join(err, a.SetLabels(ndarray.Labels{Dims: dims}))
	}
	old := time.Now().Add(-time.Hour) // the state of a file that has just changed may change unseen
	if err := errors.Join(err, a.Close(), os.Chtimes(filepath.Join(s.dir, name), old, old)); err != nil {
		s.t.Fatal(err)
	}
}

// get answers a request. Headers are names and values by turns.
func (s *served) get(method, name string, headers ...string) (*http.Response, []byte) {
	s.t.Helper()
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	switch err := s.Serve(w, r, name); {
	case errors.Is(err, fs.ErrNotExist):
		w.Code = http.StatusNotFound
	case err != nil:
		s.t.Fatalf("%s %s: %v", method, name, err)
	}
	return w.Result(), w.Body.Bytes()
}

// object returns a document.
func (s *served) object(name string) (doc map[string]any) {
	s.t.Helper()
	r, b := s.get("GET", name)
	if r.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: status %d", name, r.StatusCode)
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		s.t.Fatalf("%s: %v: %s", name, err, b)
	}
	return doc
}

func TestChunksOverHTTP(t *testing.T) {
	s := serve(t)
	s.create("a.b2nd", nil, nil, 200, 300)
	s.create("delta.b2nd", &ndarray.Options{Filters: []shuffle.Spec{shuffle.Delta, shuffle.Byte}}, nil, 200, 300)
	for _, array := range []string{"data/a.b2nd", "data/a", "data/delta.b2nd"} {
		for _, key := range []string{"c/0/0", "0.0"} {
			name := array + "/" + key
			whole, body := s.get("GET", name)
			if whole.StatusCode != http.StatusOK || len(body) < 100 {
				t.Fatalf("%s: status %d, %d bytes", name, whole.StatusCode, len(body))
			}
			head, none := s.get("HEAD", name)
			if head.Header.Get("Content-Length") != fmt.Sprint(len(body)) || len(none) > 0 {
				t.Errorf("HEAD %s: length %s, want %d", name, head.Header.Get("Content-Length"), len(body))
			}
			part, bytes5 := s.get("GET", name, "Range", "bytes=5-9")
			if part.StatusCode != http.StatusPartialContent || !bytes.Equal(bytes5, body[5:10]) {
				t.Errorf("%s: a range has status %d", name, part.StatusCode)
			}
			tag := whole.Header.Get("ETag")
			for _, tags := range []string{tag, `"x", ` + tag, "W/" + tag, "*"} {
				if same, b := s.get("GET", name, "If-None-Match", tags); same.StatusCode != http.StatusNotModified || len(b) > 0 {
					t.Errorf("%s: status %d for the tag %s", name, same.StatusCode, tags)
				}
			}
			if other, _ := s.get("GET", name, "If-None-Match", `"x"`); other.StatusCode != http.StatusOK {
				t.Errorf("%s: status %d for another tag", name, other.StatusCode)
			}
		}
	}
	for _, name := range []string{"data/a.b2nd/c/9/0", "data/a.b2nd/9.0", "data/a.b2nd/c", "data/a.b2nd/0", "data/none/c/0/0",
		"data/none/zarr.json", "data/a.b2nd/.zgroup", "data/a.b2nd/.zmetadata", "data/.zarray", "data", "c/0/0", "zarr.jso"} {
		if r, _ := s.get("GET", name); r.StatusCode != http.StatusNotFound && name != "data" {
			t.Errorf("%s: status %d", name, r.StatusCode)
		}
	}
}

// Chunks of zeros do not exist where the metadata says what they consist of.
func TestChunksOfTheFillValue(t *testing.T) {
	s := serve(t)
	a, err := ndarray.Create[int32](filepath.Join(s.dir, "zeros.b2nd"), ndarray.Shape{100}, nil)
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	if r, _ := s.get("GET", "data/zeros/c/0"); r.StatusCode != http.StatusNotFound {
		t.Errorf("status %d", r.StatusCode)
	}
	if r, b := s.get("GET", "data/zeros/0"); r.StatusCode != http.StatusOK || len(b) == 0 {
		t.Errorf("in version 2, status %d", r.StatusCode)
	}
}

func TestGroups(t *testing.T) {
	s := serve(t)
	s.create("t2m.b2nd", nil, []string{"time", "x"}, 30, 20)
	s.create("time.b2nd", nil, []string{"time"}, 30)
	s.create("short.b2nd", nil, []string{"time", "time"}, 10, 10)
	s.create("both.b2nd", nil, nil, 3)
	three, err := ndarray.FromSlice([]float32{1, 2, 3}, ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := store.Create(filepath.Join(s.dir, "run.b2z"), nil)
	if err == nil {
		err = errors.Join(e.Put(t.Context(), "/g/a", three, nil), e.Close(),
			npy.Save(t.Context(), filepath.Join(s.dir, "both.npy"), three, nil))
	}
	if err != nil {
		t.Fatal(err)
	}
	v3 := s.object("data/zarr.json")["consolidated_metadata"].(map[string]any)["metadata"].(map[string]any)
	var names []string
	for name := range v3 {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"both.b2nd", "both.npy", "run.b2z", "run.b2z/g", "run.b2z/g/a", "short", "t2m", "time"}
	if !slices.Equal(names, want) {
		t.Errorf("members %q, want %q", names, want)
	}
	dims := func(name string) string {
		return fmt.Sprint(v3[name].(map[string]any)["dimension_names"])
	}
	if dims("t2m") != "[time x]" || dims("short") != "[short_time short_1]" || dims("both.npy") != "[both_0]" {
		t.Errorf("dimensions %s, %s, %s", dims("t2m"), dims("short"), dims("both.npy"))
	}
	v2 := s.object("data/.zmetadata")["metadata"].(map[string]any)
	for _, key := range []string{".zgroup", "run.b2z/g/.zgroup", "run.b2z/g/a/.zarray", "t2m/.zattrs"} {
		if v2[key] == nil {
			t.Errorf("no %s in version 2", key)
		}
	}
	for _, name := range []string{"data", "data/run.b2z", "data/run.b2z/g", ""} {
		if s.object(strings.TrimPrefix(name+"/.zgroup", "/"))["zarr_format"] != 2.0 {
			t.Errorf("%s is no group", name)
		}
	}
	if _, page := s.get("GET", "data"); !bytes.Contains(page, []byte(`<a href="t2m/">`)) {
		t.Errorf("the list is %s", page)
	}
}

// An array without a dtype in Zarr is left out of groups, for a single one keeps zarr-python 3 from
// reading the others; asked for, the reason is the error.
func TestRefusedDTypes(t *testing.T) {
	s := serve(t)
	const none, found = http.StatusNotFound, http.StatusOK
	for _, c := range []struct {
		name, dtype string
		v2, v3      int
	}{
		{"nested", "[('a', [('x', '<i4')]), ('b', '<f8')]", none, found},
		{"big", "[('a', '>i4')]", found, none},
		{"pair", "[('a', '<i4', (2,)), ('b', '<f8')]", 0, 0},
	} {
		u, err := ndarray.CreateUntyped(filepath.Join(s.dir, c.name+".b2nd"), c.dtype, ndarray.Shape{3}, nil)
		if err := errors.Join(err, u.Close()); err != nil {
			t.Fatal(err)
		}
		if c.v2 == 0 {
			err := s.Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), "data/"+c.name+"/.zarray")
			if !errors.Is(err, cairn.ErrUnsupported) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if r, _ := s.get("GET", "data/"+c.name+"/.zarray"); r.StatusCode != c.v2 {
			t.Errorf("%s: status %d in version 2, want %d", c.name, r.StatusCode, c.v2)
		}
		if r, _ := s.get("GET", "data/"+c.name+"/zarr.json"); r.StatusCode != c.v3 {
			t.Errorf("%s: status %d in version 3, want %d", c.name, r.StatusCode, c.v3)
		}
	}

	v2 := s.object("data/.zmetadata")["metadata"].(map[string]any)
	v3 := s.object("data/zarr.json")["consolidated_metadata"].(map[string]any)["metadata"].(map[string]any)
	if len(v2) != 4 || v2["big/.zarray"] == nil || len(v3) != 1 || v3["nested"] == nil {
		t.Errorf("members are %v in version 2, %v in version 3", v2, v3)
	}
}

// Metadata is that of the newest commit.
func TestGrowingArrays(t *testing.T) {
	s := serve(t)
	s.create("a.b2nd", nil, nil, 10, 4)
	before, _ := s.get("GET", "data/a/zarr.json")
	_, chunk := s.get("GET", "data/a/c/0/0")
	u, err := ndarray.Open(filepath.Join(s.dir, "a.b2nd"), &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.Append(t.Context(), 0, make([]byte, 5*4*4)), u.Close()); err != nil {
		t.Fatal(err)
	}
	if shape := s.object("data/a/zarr.json")["shape"]; fmt.Sprint(shape) != "[15 4]" {
		t.Errorf("shape %v", shape)
	}
	after, _ := s.get("GET", "data/a/zarr.json")
	if before.Header.Get("ETag") == after.Header.Get("ETag") {
		t.Error("other metadata has the same tag")
	}
	if r, _ := s.get("GET", "data/a/c/1/0"); r.StatusCode != http.StatusNotFound { // of zeros
		t.Errorf("status %d of a new chunk", r.StatusCode)
	}
	if _, now := s.get("GET", "data/a/c/0/0"); !bytes.Equal(now, chunk) {
		t.Error("an old chunk has changed")
	}
}

// An array asked for by its version is that one, or gone.
func TestVersionsOfArrays(t *testing.T) {
	s := serve(t)
	s.create("a.b2nd", nil, nil, 10, 4)
	a, err := s.catalog.Array(t.Context(), "data/a.b2nd")
	if err != nil {
		t.Fatal(err)
	}
	version := a.Version
	a.Release()
	status := func(name string) int {
		w := httptest.NewRecorder()
		err := s.Serve(w, httptest.NewRequest("GET", "/", nil), name)
		if err == nil {
			return w.Code
		}
		code, _ := api.StatusOf(err)
		return code
	}
	names := []string{"/zarr.json", "/c/0/0", "/.zarray", "/0.0"}
	for _, name := range names {
		for _, array := range []string{"data/a@", "data/a.b2nd@"} {
			if got := status(array + version + name); got != http.StatusOK {
				t.Errorf("%s: status %d", array+version+name, got)
			}
		}
		if got := status("data/a@none" + name); got != http.StatusNotFound {
			t.Errorf("without a version: status %d", got)
		}
	}

	u, err := ndarray.Open(filepath.Join(s.dir, "a.b2nd"), &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.Append(t.Context(), 0, make([]byte, 4*4)), u.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got := status("data/a@" + version + name); got != http.StatusPreconditionFailed {
			t.Errorf("%s of another version: status %d", name, got)
		}
	}
}

// FuzzServe asks for any path of the view: the answer is bytes of an array, or an error.
func FuzzServe(f *testing.F) {
	dir := f.TempDir()
	a, err := ndarray.Create[float32](filepath.Join(dir, "a.b2nd"), ndarray.Shape{20, 30}, nil)
	if err := errors.Join(err, a.Close()); err != nil {
		f.Fatal(err)
	}
	c, err := catalog.New([]catalog.Root{{Name: "data", Path: dir}}, catalog.Options{})
	if err != nil {
		f.Fatal(err)
	}
	h := New(c, limits.Limits{Memory: limits.NewQuota(1<<26, time.Second)})
	for _, name := range []string{"data/a/c/0/0", "data/a.b2nd/0.0", "data/zarr.json", "data/a/.zarray", "", "data", "c", "/c/", "data/a/c",
		"../a/c/0/0", "data//a/c/0/0", "data/a/c/0/0/c/0/0"} {
		f.Add(name, "bytes=0-5")
	}
	f.Fuzz(func(t *testing.T, name, ranges string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Range", ranges)
		w := httptest.NewRecorder()
		if err := h.Serve(w, r, name); err != nil && w.Body.Len() > 0 {
			t.Fatalf("%q: %d bytes before an error: %v", name, w.Body.Len(), err)
		}
	})
}
