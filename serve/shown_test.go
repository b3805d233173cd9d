package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// TestNumbersOfOtherValues asks for statistics, points and tiles of what is no finite number.
func TestNumbersOfOtherValues(t *testing.T) {
	inf := math.Inf(1)
	floats, err1 := ndarray.FromSlice([]float64{1, inf, 3, math.NaN()}, ndarray.Shape{2, 2}, nil)
	complexes, err2 := ndarray.FromSlice([]complex64{3 + 4i, -1, 0, 1i}, ndarray.Shape{2, 2}, nil)
	hours, err3 := ndarray.FromSlice([]int32{0, 1, 2, 3}, ndarray.Shape{2, 2}, nil)
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	err := hours.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "units", Value: "hours since 1970-01-02"}}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := New([]Root{{Name: "f", Source: floats}, {Name: "c", Source: complexes}, {Name: "h", Source: hours}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	object := func(target string) map[string]any {
		_, body := want(t, h, 200, target)
		v := map[string]any{}
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(target, err)
		}
		return v
	}
	s := object("/api/v1/stats/f?bins=2")
	if got := fmt.Sprintf("%v %v %v %v", s["inf"], s["max"], s["finite"], s["histogram"]); got !=
		"1 +Inf map[count:2 inf:0 max:3 mean:2 min:1 nan:0 std:1 zeros:0] map[counts:[1 1] high:3 low:1]" {
		t.Error("infinities:", got)
	}
	s = object("/api/v1/stats/c")
	if got := fmt.Sprint(s["count"], s["zeros"], s["mean"], s["max"]); got != "4 1 [0.5 1.25] <nil>" {
		t.Error("complex numbers:", got)
	}
	for target, want := range map[string]string{
		"/api/v1/stats/c?as=abs":                  "5", // max
		"/api/v1/stats/c?as=phase":                fmt.Sprint(math.Pi),
		"/api/v1/stats/h?as=seconds":              "97200",
		"/api/v1/points/h?at=1,0&as=seconds":      "[93600]",
		"/api/v1/slice/c?format=json&as=imag&s=1": "[0 1]",
	} {
		got := object(target)
		if text := fmt.Sprint(got["max"]); text != want && fmt.Sprint(got["values"]) != want {
			t.Errorf("%s: %v, want %s", target, got, want)
		}
	}
	const tile = "y=0&x=1&at=0,0&level=0&ty=0&tx=0&dtype=f8&as="
	if w, _ := want(t, h, 200, "/api/v1/tiles/h?"+tile+"seconds"); w.Header().Get("X-Cairn-Range") != "86400,97200" {
		t.Error("a tile of times:", w.Header())
	}
	if got := object("/api/v1/info/h"); fmt.Sprintf("%v %v %v", got["as"], got["dates"], got["reduce"]) != "[seconds] true nearest" {
		t.Error("info of times:", got)
	}
	for _, target := range []string{"/api/v1/stats/f?as=abs", "/api/v1/tiles/f?" + tile + "phase", "/api/v1/points/c?at=0,0&as=seconds",
		"/api/v1/slice/c?format=csv&as=abs"} {
		want(t, h, http.StatusBadRequest, target)
	}
}

// TestNamesThatNoPathHas lists a folder with names that cannot be asked for.
func TestNamesThatNoPathHas(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plain.txt", "huge.b2nd.tmp-0", ".hidden", "bell\a.npy"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h, err := New([]Root{{Name: "d", Path: dir}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	_, body := want(t, h, 200, "/api/v1/list/d")
	if text := string(body); strings.Contains(text, "tmp-0") || strings.Contains(text, "hidden") || !strings.Contains(text, `"left_out":["bell\\a.npy"]`) {
		t.Error(text)
	}
}

// TestTheLogHasReasons damages a file, and looks for the reason in the log.
func TestTheLogHasReasons(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.FromFunc(t.Context(), path, ndarray.Shape{100, 100}, func(at []int64) float64 { return float64(at[0] * at[1] * 7919 % 101) }, nil)
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 300; i < len(raw)-600; i++ {
		raw[i] ^= 0x5a
	}
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h, err := New([]Root{{Name: "a", Path: path}}, &Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/stats/a", nil))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if last := lines[len(lines)-1]; w.Code != 500 || !strings.Contains(last, "status=500") || !strings.Contains(last, "error=") || len(lines) != 1 {
		t.Error(w.Code, log.String())
	}
}

// TestErrorsShowNoPlaces asks for what fails in several ways, and looks for the folder in answers.
func TestErrorsShowNoPlaces(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.zarr/.zarray", `{"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f4", "order": "C", "fill_value": 0,
		"filters": null, "compressor": {"id": "unheard-of"}}`)
	write("b.zarr/.zarray", "{")
	write("c.b2nd", "no frame at all")
	write("d.npy", "\x93NUMPY\x01\x00")
	write("e.zarr/zarr.json", `{"zarr_format": 9}`)
	write("e.nc", "CDF\x01\x00")
	h, err := New([]Root{{Name: "folder", Path: dir}, {Name: "file", Path: filepath.Join(dir, "d.npy")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, root := range []string{"/folder", "/folder/a.zarr", "/folder/b.zarr", "/folder/c.b2nd", "/folder/d.npy", "/folder/e.zarr",
		"/folder/e.nc", "/folder/none", "/file", ""} {
		for _, route := range []string{"list", "info", "stats", "slice"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/"+route+root, nil))
			if text := w.Body.String(); strings.Contains(text, dir) || strings.Contains(text, filepath.Base(filepath.Dir(dir))) {
				t.Errorf("%s%s: %d %s", route, root, w.Code, text)
			}
		}
	}
	for text, want := range map[string]string{
		"open " + dir + "/x/y.b2nd: bad": "open folder/x/y.b2nd: bad",
		"read " + dir + "/d.npy: bad":    "read folder/d.npy: bad",
		"stat " + dir + ": bad":          "stat folder: bad",
	} {
		if got := h.catalog.Hide(text); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestKeysThatNoPathHas lists an archive with names that cannot be asked for.
func TestKeysThatNoPathHas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	src, err := ndarray.FromSlice([]int32{1, 2}, ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var b bytes.Buffer
	err = npy.WriteArchive(t.Context(), &b, func(put npy.PutFunc) error {
		for _, key := range []string{"plain", `back\slash`, ".dot", "bell\a"} {
			if err := put(key, src); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := New([]Root{{Name: "a", Path: path}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	_, body := want(t, h, 200, "/api/v1/list/a")
	if text := string(body); !strings.Contains(text, `"left_out_count":3`) || !strings.Contains(text, `"plain"`) {
		t.Error(text)
	}
}
