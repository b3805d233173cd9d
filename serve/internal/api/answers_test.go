package api

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve/internal/limits"
)

func TestInfo(t *testing.T) {
	a := apiOf(t, map[string]ndarray.Source{"cube": counted(t, 2, 3, 4), "scalar": counted(t),
		"foreign": ndarray.Items([]uint8{1, 2}, ndarray.Shape{2})})
	w, err := call(t, a.Info, "cube", "")
	cube := told(t, w, err)
	for field, want := range map[string]any{"kind": "array", "dtype": "<f8", "itemsize": 8.0, "nbytes": 192.0, "units": "K",
		"shape": []any{2.0, 3.0, 4.0}, "dims": []any{"y", "x", "z"}} {
		if !reflect.DeepEqual(cube[field], want) {
			t.Errorf("%s is %v, want %v", field, cube[field], want)
		}
	}
	w, err = call(t, a.Info, "scalar", "")
	if scalar := told(t, w, err); !reflect.DeepEqual(scalar["shape"], []any{}) || scalar["nbytes"] != 8.0 {
		t.Errorf("a single item: %v", scalar)
	}
	w, err = call(t, a.Info, "foreign", "")
	if foreign := told(t, w, err); foreign["codec"] != nil || foreign["nbytes"] != 2.0 {
		t.Errorf("a source: %v", foreign)
	}
	tag := w.Header().Get("ETag")
	if w, err := call(t, a.Info, "foreign", "", "If-None-Match", tag); err != nil || w.Code != http.StatusNotModified {
		t.Errorf("with the ETag: status %d, %v", w.Code, err)
	}
	if _, err := call(t, a.Info, "none", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
	w, err = call(t, a.List, "", "")
	list := told(t, w, err)
	if entries, ok := list["entries"].([]any); !ok || len(entries) != 3 {
		t.Errorf("the list is %v", list)
	}
}

// TestSliceFormats compares items in each format that tests can read with what they are.
func TestSliceFormats(t *testing.T) {
	a := apiOf(t, map[string]ndarray.Source{"cube": counted(t, 2, 3, 4)})
	const selection = "?s=1,:2,1:3" // 13 14 17 18
	w, err := call(t, a.Slice, "cube", selection)
	if err != nil || w.Header().Get("X-Cairn-Shape") != "2,2" || w.Header().Get("X-Cairn-DType") != "<f8" {
		t.Fatalf("%v, %v", w.Header(), err)
	}
	var items []float64
	for raw := w.Body.Bytes(); len(raw) >= 8; raw = raw[8:] {
		items = append(items, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	}
	if !reflect.DeepEqual(items, []float64{13, 14, 17, 18}) {
		t.Errorf("raw items %v", items)
	}
	w, err = call(t, a.Slice, "cube", selection+"&format=json")
	if v := told(t, w, err); fmt.Sprint(v["values"]) != "[[13 14] [17 18]]" {
		t.Errorf("JSON %v", v)
	}
	w, err = call(t, a.Slice, "cube", selection+"&format=npy")
	if err != nil || !strings.HasPrefix(w.Body.String(), "\x93NUMPY") {
		t.Errorf("npy %.20q, %v", w.Body, err)
	}
	w, err = call(t, a.Slice, "cube", selection+"&format=b2nd")
	if err != nil || !strings.Contains(w.Body.String()[:20], "b2frame") {
		t.Errorf("b2nd %.20q, %v", w.Body, err)
	}
	w, err = call(t, a.Slice, "cube", selection+"&format=png")
	if err != nil || !strings.HasPrefix(w.Body.String(), "\x89PNG") {
		t.Errorf("png %.20q, %v", w.Body, err)
	}
	for _, bad := range []string{"?format=xml", "?s=9", "?s=nowhere=1", "?field=f", "?unknown=1"} {
		_, err := call(t, a.Slice, "cube", bad)
		if status, _ := StatusOf(err); err == nil || status != http.StatusBadRequest {
			t.Errorf("%s: status %d, %v", bad, status, err)
		}
	}
	if used := a.limits.Memory.Used(); used != 0 {
		t.Errorf("%d bytes are still used", used)
	}
}

// TestCSVIsCompressed checks that a client that takes gzip gets the same text, in fewer bytes.
func TestCSVIsCompressed(t *testing.T) {
	a := apiOf(t, map[string]ndarray.Source{"plane": counted(t, 50, 60)})
	plain, err := call(t, a.Slice, "plane", "?format=csv")
	if err != nil || plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("Vary") == "" {
		t.Fatalf("%v, %v", plain.Header(), err)
	}
	if !strings.HasPrefix(plain.Body.String(), "y,x,plane\n0,0,0\n0,1,1\n") {
		t.Errorf("CSV %.60q", plain.Body)
	}
	packed, err := call(t, a.Slice, "plane", "?format=csv", "Accept-Encoding", "gzip")
	if err != nil || packed.Header().Get("Content-Encoding") != "gzip" ||
		!strings.HasPrefix(packed.Header().Get("ETag"), "W/") || packed.Body.Len() > plain.Body.Len()/2 {
		t.Fatalf("%d of %d bytes, %v, %v", packed.Body.Len(), plain.Body.Len(), packed.Header(), err)
	}
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != plain.Body.String() {
		t.Errorf("%d bytes after decompression, %v", len(text), err)
	}
}

func TestPointsAndCoordinates(t *testing.T) {
	a := apiOf(t, map[string]ndarray.Source{"plane": counted(t, 5, 6), "scalar": counted(t)})
	w, err := call(t, a.Points, "plane", "?at=0,0&at=4,5&at=2,3")
	if v := told(t, w, err); fmt.Sprint(v["values"]) != "[0 29 15]" {
		t.Errorf("points %v", v)
	}
	w, err = call(t, a.Points, "scalar", "?at=")
	if v := told(t, w, err); fmt.Sprint(v["values"]) != "[0]" {
		t.Errorf("the point of a single item: %v", v)
	}
	for _, bad := range []string{"", "?at=1", "?at=5,0", "?at=-1,0", "?at=a,b", "?" + strings.Repeat("at=1,1&", 101)} {
		_, err := call(t, a.Points, "plane", bad)
		if status, _ := StatusOf(err); err == nil || status != http.StatusBadRequest {
			t.Errorf("%.20s: status %d, %v", bad, status, err)
		}
	}
	_, err = call(t, a.Coordinates, "plane", "?dim=y")
	if status, _ := StatusOf(err); status != http.StatusNotFound {
		t.Errorf("coordinates that are not there: status %d, %v", status, err)
	}
	_, err = call(t, a.Coordinates, "plane", "?dim=w")
	if status, _ := StatusOf(err); status != http.StatusBadRequest {
		t.Errorf("coordinates of no dimension: status %d, %v", status, err)
	}
}

func TestStats(t *testing.T) {
	a := apiOf(t, map[string]ndarray.Source{"plane": counted(t, 5, 6)})
	w, err := call(t, a.Stats, "plane", "?bins=3&s=:2")
	v := told(t, w, err)
	for field, want := range map[string]any{"count": 12.0, "min": 0.0, "max": 11.0, "mean": 5.5, "nan": 0.0} {
		if v[field] != want {
			t.Errorf("%s is %v, want %v", field, v[field], want)
		}
	}
	if h, ok := v["histogram"].(map[string]any); !ok || fmt.Sprint(h["counts"]) != "[4 4 4]" {
		t.Errorf("the histogram is %v", v["histogram"])
	}
}

// TestTooMuch asks for more than an answer may have.
func TestTooMuch(t *testing.T) {
	a := apiOf(t, map[string]ndarray.Source{"large": counted(t, 1000, 200)}) // 1.6 MB of 1 MiB
	for _, format := range []string{"raw", "npy", "b2nd", "csv", "json"} {
		if _, err := call(t, a.Slice, "large", "?format="+format); !errors.Is(err, limits.ErrTooLarge) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if _, err := call(t, a.Slice, "large", "?format=png"); err != nil {
		t.Errorf("a picture of it: %v", err)
	}
}
