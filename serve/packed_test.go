package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// TestPackedItems asks for the items of an array that attributes of the CF conventions say to be
// packed: the values that they stand for, and with raw=1 the items as they are stored.
func TestPackedItems(t *testing.T) {
	a, err := ndarray.FromSlice([]int16{0, 10, -999, 30}, ndarray.Shape{2, 2}, nil)
	if err == nil {
		err = a.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "scale_factor", Value: 0.5},
			{Key: "add_offset", Value: 100.0}, {Key: "_FillValue", Value: int64(-999)}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := ndarray.FromSlice([]int16{1, 2}, ndarray.Shape{2}, nil)
	if err == nil { // what is no number that anything can be multiplied with does not count
		err = plain.SetLabels(ndarray.Labels{Attributes: meta.Map{{Key: "scale_factor", Value: math.NaN()},
			{Key: "add_offset", Value: "much"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, []Root{{Name: "a", Source: a}, {Name: "plain", Source: plain}}, nil)
	object := func(path string) (v map[string]any) {
		_, body := want(t, h, 200, path)
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	expected := map[string]any{"note": "items × 0.5 + 100, missing where items are -999", "values": "<f8", "factor": 0.5,
		"offset": 100.0, "missing": []any{-999.0}}
	if got := object("/api/v1/info/a")["packing"]; !reflect.DeepEqual(got, expected) {
		t.Errorf("info says %v", got)
	}
	if got := object("/api/v1/info/plain")["packing"]; got != nil {
		t.Errorf("info of an array without attributes says %v", got)
	}
	for query, items := range map[string]string{
		"": "[100 105 nan 115]", "&raw=0": "[100 105 nan 115]", "&raw=1": "[0 10 -999 30]",
	} {
		if got := object("/api/v1/points/a?at=0,0&at=0,1&at=1,0&at=1,1" + query)["values"]; fmt.Sprint(got) != items {
			t.Errorf("points%s: %v, want %s", query, got, items)
		}
	}
	w, body := want(t, h, 200, "/api/v1/slice/a?s=:,1")
	var items []float64
	for ; len(body) >= 8; body = body[8:] {
		items = append(items, math.Float64frombits(binary.LittleEndian.Uint64(body)))
	}
	if w.Header().Get("X-Cairn-DType") != "<f8" || !reflect.DeepEqual(items, []float64{105, 115}) {
		t.Errorf("a slice: %v of %s", items, w.Header().Get("X-Cairn-DType"))
	}
	s := object("/api/v1/stats/a")
	if s["min"] != 100.0 || s["max"] != 115.0 || s["nan"] != 1.0 {
		t.Errorf("statistics %v", s)
	}
	const tile = "/api/v1/tiles/a?y=0&x=1&at=0,0&level=0&ty=0&tx=0"
	if w, _ := want(t, h, 200, tile+"&raw=1"); w.Header().Get("X-Cairn-Range") != "-999,30" {
		t.Errorf("a tile of what is stored: %v", w.Header())
	}
	if w, _ := want(t, h, 200, tile); w.Header().Get("X-Cairn-Range") != "100,115" {
		t.Errorf("a tile of what items stand for: %v", w.Header())
	}
	for _, route := range []string{"slice/a?", "points/a?at=0,0&", "stats/a?", "tiles/a?y=0&x=1&at=0,0&level=0&ty=0&tx=0&"} {
		want(t, h, http.StatusBadRequest, "/api/v1/"+route+"raw=yes")
	}
	want(t, h, 200, "/api/v1/slice/plain")
}
