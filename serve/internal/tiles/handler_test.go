package tiles

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

func handler(src ndarray.Source) *Handler {
	return &Handler{New(Options{}), func(context.Context, string, bool, string) (Array, string, error) { return held(src), "v1", nil }}
}

func TestHandler(t *testing.T) {
	u := array(t, "<i2", ndarray.Shape{4, 300, 280}, nil, nil)
	h := handler(u)
	get := func(query, tag string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?"+query, nil)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		if err := h.Serve(w, r, "a"); err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := get("y=1&x=2&at=3,0,0&level=0&ty=1&tx=1&v=v1", "")
	if w.Header().Get("X-Cairn-Shape") != "44,24" || w.Header().Get("X-Cairn-Quality") != "exact" || w.Body.Len() != 4*44*24 ||
		w.Header().Get("Cache-Control") != "private, max-age=31536000, immutable" {
		t.Fatal(w.Header(), w.Body.Len())
	}
	got := math.Float32frombits(binary.LittleEndian.Uint32(w.Body.Bytes()[4*(2*24+5):]))
	if want := number(t, u, []int64{3, 258, 261}); float64(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	w = get("y=1&x=2&at=3,0,0&level=0,1&ty=1&tx=0&reduce=nearest&dtype=f8", "")
	if w.Header().Get("X-Cairn-Shape") != "44,140" || w.Header().Get("X-Cairn-DType") != "<f8" || w.Body.Len() != 8*44*140 {
		t.Fatal(w.Header(), w.Body.Len())
	}
	got64 := math.Float64frombits(binary.LittleEndian.Uint64(w.Body.Bytes()[8*(2*140+5):]))
	if want := number(t, u, []int64{3, 258, 11}); got64 != want {
		t.Errorf("%v, want %v", got64, want)
	}
	w = get("y=1&x=2&at=3,0,0&level=0&ty=1&tx=1&v=v0", "")
	if w.Header().Get("Cache-Control") != "private, no-cache" || w.Header().Get("ETag") != `"v1"` {
		t.Error(w.Header())
	}
	if w = get("y=1&x=2&at=3,0,0&level=0&ty=1&tx=1", `"v1"`); w.Code != http.StatusNotModified {
		t.Error(w.Code)
	}
}

func TestBadQueriesAreErrors(t *testing.T) {
	h := handler(array(t, "<i2", ndarray.Shape{4, 30, 28}, nil, nil))
	const good = "y=1&x=2&at=3,0,0&level=0&ty=0&tx=0"
	for _, query := range []string{"", "y=1", good + "&quality=best", good + "&reduce=mode", good + "&dtype=f2", good + "0,",
		"y=1&x=2&at=3,0,0&level=0,0,0&ty=0&tx=0", "y=1&x=2&at=3,0,0&level=0,-1&ty=0&tx=0", "y=1&x=2&at=3,0&level=0&ty=0&tx=0", "y=1&x=2&at=a,0,0&level=0&ty=0&tx=0",
		"y=1&x=2&at=3,0,0&level=70&ty=0&tx=0", "y=1&x=2&at=3,0,0&level=0&ty=0", "y=99999999999999999999&x=2&at=3,0,0&level=0&ty=0&tx=0",
		"y=1&x=2&at=3,0,0&level=0&ty=9223372036854775807&tx=0", "y=1&x=2&at=4,0,0&level=0&ty=0&tx=0"} {
		err := h.Serve(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?"+query, nil), "a")
		if !errors.Is(err, cairn.ErrBounds) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func FuzzQuery(f *testing.F) {
	f.Add("y=1&x=2&at=3,0,0&level=0&ty=0&tx=0")
	f.Add("y=0&x=1&at=0,0,0&level=1&ty=0&tx=0&quality=sampled")
	f.Add("y=1&x=2&at=0,0,0&level=0,1&ty=0&tx=0&reduce=nearest&dtype=f8")
	f.Add("y=-1&x=9&at=&level=99&ty=-9223372036854775808&tx=9223372036854775807")
	u, err := ndarray.NewUntyped("<f4", ndarray.Shape{4, 300, 520}, nil)
	if err != nil {
		f.Fatal(err)
	}
	h := handler(u)
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := url.ParseQuery(query); err != nil {
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		if err := h.Serve(w, r, "a"); err == nil && w.Body.Len() > 8*Size*Size {
			t.Errorf("%d bytes", w.Body.Len())
		}
	})
}
