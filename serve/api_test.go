package serve

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

type entry struct {
	Name, Path, Kind, DType string
	Shape                   []int64
}

type list struct {
	Kind    string
	Entries []entry
	More    bool
}

func names(l list) (all []string) {
	for _, e := range l.Entries {
		all = append(all, e.Name+" "+e.Kind)
	}
	return all
}

func TestList(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	for path, want := range map[string][]string{
		"": {"data folder"},
		"data": {"a.b2nd array", "a.npy array", "big.b2nd array", "notes.txt file", "one.zarr array", "runs.npz tree",
			"sub folder", "tree.b2d tree", "tree.b2e tree", "tree.b2z tree", "v2.zarr tree", "v3.zarr tree", "v3.zarr.zip tree"},
		"data/sub":          {"deep folder"},
		"data/sub/deep":     {"sparse.b2nd array"},
		"data/runs.npz":     {"a array", "g group"},
		"data/tree.b2d":     {"g group", "y array"},
		"data/tree.b2e/g":   {"a array"},
		"data/v2.zarr":      {"g group"},
		"data/v3.zarr/g":    {"a array"},
		"data/v3.zarr.zip/": {"g group"},
	} {
		if got := names(wantJSON[list](t, h, "/api/v1/list/"+path)); !slices.Equal(got, want) {
			t.Errorf("list of %q: %v, want %v", path, got, want)
		}
	}
	first := wantJSON[list](t, h, "/api/v1/list/data?limit=2")
	if !first.More || len(first.Entries) != 2 || first.Entries[1].Shape == nil {
		t.Errorf("the first two entries: %+v", first)
	}
	rest := wantJSON[list](t, h, "/api/v1/list/data?limit=100&after="+first.Entries[1].Name)
	if rest.More || len(rest.Entries) != 11 || rest.Entries[0].Name != "big.b2nd" {
		t.Errorf("the other entries: %+v", rest)
	}
	found := wantJSON[list](t, h, "/api/v1/list/data?search=G%2fA")
	if len(found.Entries) != 6 {
		t.Errorf("search found %v", names(found))
	}
	for _, path := range []string{"data/a.b2nd", "data/none", "none", "data/runs.npz/none"} {
		if w := ask(t, h, "/api/v1/list/"+path); w.Code < 400 || w.Code > 499 {
			t.Errorf("list of %s: status %d", path, w.Code)
		}
	}
}

func TestInfoOfAllFormats(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	for _, path := range sequencePaths {
		info := wantJSON[struct {
			Shape              []int64
			DType, Kind, Units string
			NBytes             int64
			Version            string
			Dims               []string
			Coordinates        []struct{ Dim, Kind, Units, First, Last string }
			Attributes         map[string]any
		}](t, h, "/api/v1/info/"+path)
		if !slices.Equal(info.Shape, []int64{4, 6}) || info.DType != "<f4" || info.Kind != "array" || info.NBytes != 96 ||
			info.Version == "" {
			t.Errorf("info of %s: %+v", path, info)
		}
		if labelled := !strings.Contains(path, ".np"); labelled != (info.Units == "K") || labelled != slices.Equal(info.Dims, []string{"y", "x"}) ||
			labelled != (info.Attributes["long_name"] == "warmth") {
			t.Errorf("labels of %s: %+v", path, info)
		}
		if has := strings.Contains(path, "tree"); has != (len(info.Coordinates) == 1 && info.Coordinates[0].Last == "40" &&
			info.Coordinates[0].Units == "m" && info.Coordinates[0].Kind == "number") {
			t.Errorf("coordinates of %s: %+v", path, info.Coordinates)
		}
	}
	group := wantJSON[map[string]any](t, h, "/api/v1/info/data/v3.zarr/g")
	if group["kind"] != "group" || fmt.Sprint(group["attributes"]) != "map[title:a group]" {
		t.Errorf("info of a group: %v", group)
	}
}

func TestSlices(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	for _, path := range sequencePaths {
		w, body := want(t, h, 200, "/api/v1/slice/"+path+"?s=1:3,%20::2")
		items := make([]float32, len(body)/4)
		_, err := binary.Decode(body, binary.LittleEndian, items)
		if err != nil || !slices.Equal(items, []float32{6, 8, 10, 12, 14, 16}) {
			t.Errorf("raw items of %s: %v, %v", path, items, err)
		}
		if w.Header().Get("X-Cairn-Shape") != "2,3" || w.Header().Get("X-Cairn-DType") != "<f4" {
			t.Errorf("header of %s: %v", path, w.Header())
		}
	}
	if _, body := want(t, h, 200, "/api/v1/slice/data/big.b2nd"); !bytes.Equal(body, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}) {
		t.Errorf("raw items of a big-endian array: %x", body)
	}
	_, body := want(t, h, 200, "/api/v1/slice/data/tree.b2z/g/a?format=json&s=y=20:30,x[0]")
	wantText(t, body, `"values":[6,12]`)
	for _, s := range []string{"s=7", "s=none=1", "s=1:2,3,4", "format=gif", "bogus=1", "s=[", "field=x"} {
		want(t, h, 400, "/api/v1/slice/data/a.b2nd?"+s)
	}
	want(t, h, 400, "/api/v1/slice/data/sub")
	want(t, h, 400, "/api/v1/slice/data/notes.txt")
	want(t, h, 404, "/api/v1/slice/data/none")
}

func TestSliceFormats(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	w, body := want(t, h, 200, "/api/v1/slice/data/a.b2nd?format=npy&s=2")
	wantText(t, []byte(w.Header().Get("Content-Disposition")), `filename=a_2.npy`)
	a, err := npy.OpenReader(bytes.NewReader(body), int64(len(body)), nil)
	if err != nil || !slices.Equal(a.Shape(), ndarray.Shape{6}) {
		t.Errorf("an npy file of %v: %v", a, err)
	}
	_, body = want(t, h, 200, "/api/v1/slice/data/a.b2nd?format=b2nd&s=2")
	u, err := ndarray.FromBytes(body, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	row, err := ndarray.As[float32](u)
	if err != nil {
		t.Fatal(err)
	}
	items, err := row.Read(t.Context())
	if l, _ := u.Labels(); err != nil || !slices.Equal(items, []float32{12, 13, 14, 15, 16, 17}) || !slices.Equal(l.Dims, []string{"x"}) {
		t.Errorf("a b2nd file with %v, labels %v: %v", items, l, err)
	}
	_, body = want(t, h, 200, "/api/v1/slice/data/tree.b2z/g/a?format=csv&s=1,:2")
	if string(body) != "x,a\n0,6\n1,7\n" {
		t.Errorf("CSV: %q", body)
	}
	_, body = want(t, h, 200, "/api/v1/slice/data/a.b2nd?format=png")
	if picture, err := png.Decode(bytes.NewReader(body)); err != nil || picture.Bounds().Dx() < 100 {
		t.Errorf("a picture of %d bytes: %v", len(body), err)
	}
}

func TestPointsStatsChunksCoordinates(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	points := wantJSON[struct{ Values []float64 }](t, h, "/api/v1/points/data/v2.zarr/g/a?at=0,0&at=3,5&at=1,%202")
	if !slices.Equal(points.Values, []float64{0, 23, 8}) {
		t.Errorf("points: %v", points)
	}
	for _, at := range []string{"", "?at=4,0", "?at=1", "?at=-1,0", "?at=a,b", "?" + strings.Repeat("at=0,0&", 10_001)} {
		want(t, h, 400, "/api/v1/points/data/a.b2nd"+at)
	}
	stats := wantJSON[struct {
		Count, NaN          int64
		Min, Max, Mean, Std float64
		Histogram           struct {
			Counts    []int64
			Low, High float64
		}
	}](t, h, "/api/v1/stats/data/a.b2nd?s=1:3&bins=4")
	if stats.Count != 12 || stats.Min != 6 || stats.Max != 17 || stats.Mean != 11.5 || math.Abs(stats.Std-math.Sqrt(143.0/12)) > 1e-12 ||
		!slices.Equal(stats.Histogram.Counts, []int64{3, 3, 3, 3}) || stats.Histogram.Low != 6 || stats.Histogram.High != 17 {
		t.Errorf("statistics: %+v", stats)
	}
	chunks := wantJSON[struct {
		Total  int64
		More   bool
		Chunks []struct {
			CBytes int64
			Ratio  float64
		}
	}](t, h, "/api/v1/chunks/data/a.b2nd?limit=1")
	if chunks.Total != 2 || !chunks.More || len(chunks.Chunks) != 1 || chunks.Chunks[0].CBytes == 0 || chunks.Chunks[0].Ratio == 0 {
		t.Errorf("chunks: %+v", chunks)
	}
	for _, dim := range []string{"y", "0"} {
		y := wantJSON[struct{ Values []string }](t, h, "/api/v1/coordinates/data/tree.b2d/g/a?start=1&stop=3&dim="+dim)
		if !slices.Equal(y.Values, []string{"20", "30"}) {
			t.Errorf("coordinates: %v", y)
		}
	}
	want(t, h, 404, "/api/v1/coordinates/data/tree.b2d/g/a?dim=x")
	want(t, h, 400, "/api/v1/coordinates/data/tree.b2d/g/a?dim=z")
	want(t, h, 400, "/api/v1/coordinates/data/tree.b2d/g/a?dim=y&start=5")
}

// TestNotModified checks that every answer about an array has an ETag that a client can send back.
func TestNotModified(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	for _, target := range []string{"/api/v1/info/data/a.b2nd", "/api/v1/slice/data/a.b2nd?s=1", "/api/v1/stats/data/a.b2nd",
		"/api/v1/chunks/data/a.b2nd", "/api/v1/points/data/a.b2nd?at=1,1", "/files/data/a.b2nd",
		"/api/v1/coordinates/data/tree.b2z/g/a?dim=0"} {
		settled(t, h)
		w, _ := want(t, h, 200, target)
		tag := w.Header().Get("ETag")
		if tag == "" {
			t.Fatalf("%s has no ETag", target)
		}
		if w, body := want(t, h, 304, target, "If-None-Match", tag); len(body) > 0 || w.Header().Get("ETag") != tag {
			t.Errorf("%s again: %v, %q", target, w.Header(), body)
		}
		want(t, h, 200, target, "If-None-Match", `"other"`)
	}
}

func TestCompression(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	const target = "/api/v1/list/data"
	for accept, compressed := range map[string]bool{"": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false,
		"identity": false, "*": true} {
		w, body := want(t, h, 200, target, "Accept-Encoding", accept)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != compressed {
			t.Errorf("accepting %q: compressed is %v", accept, got)
		}
		wantText(t, body, "tree.b2z")
	}
	if w, _ := want(t, h, http.StatusNotFound, "/bogus"); w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("the header of an error: %v", w.Header())
	}
}
