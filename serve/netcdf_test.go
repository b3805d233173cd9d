package serve

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestNetCDF serves the files of package netcdf's tests: they are trees, with coordinates, and
// groups of Zarr arrays.
func TestNetCDF(t *testing.T) {
	h := handler(t, []Root{{Path: "../netcdf/testdata", Name: "nc"}}, nil)
	for _, c := range []struct {
		path, last string
		shape      []int64
		items      string
	}{
		{"nc/classic.nc", "2020-01-01T18:00", []int64{4, 3, 5}, `"values":[567.17,238.99999999999997]`},
		{"nc/netcdf4.nc", "2001-01-05", []int64{5, 6, 8}, `"values":[337.87,481.25]`},
	} {
		if got := wantJSON[list](t, h, "/api/v1/list/"+c.path); got.Kind != "tree" || !slices.Contains(names(got), "t2m array") {
			t.Errorf("list of %s: %+v", c.path, got)
		}
		info := wantJSON[struct {
			Shape       []int64
			Dims        []string
			Coordinates []struct{ Dim, Kind, Last string }
			Attributes  map[string]any
		}](t, h, "/api/v1/info/"+c.path+"/t2m")
		if !slices.Equal(info.Shape, c.shape) || !slices.Equal(info.Dims, []string{"time", "lat", "lon"}) ||
			len(info.Coordinates) != 3 || info.Coordinates[0].Last != c.last || info.Attributes["units"] != "K" {
			t.Errorf("info of %s: %+v", c.path, info)
		}
		_, body := want(t, h, 200, "/api/v1/slice/"+c.path+"/t2m?format=json&s=1,0,:2")
		wantText(t, body, c.items)
		_, body = want(t, h, 200, "/zarr/"+c.path+"/zarr.json")
		var group struct {
			Consolidated struct {
				Metadata map[string]struct {
					Shape []int64
					Names []string `json:"dimension_names"`
				}
			} `json:"consolidated_metadata"`
		}
		if err := json.Unmarshal(body, &group); err != nil {
			t.Fatal(err)
		}
		if a := group.Consolidated.Metadata["t2m"]; !slices.Equal(a.Shape, c.shape) || !slices.Equal(a.Names, []string{"time", "lat", "lon"}) {
			t.Errorf("Zarr metadata of %s: %s", c.path, body)
		}
		want(t, h, 200, "/zarr/"+c.path+"/t2m/c/0/0/0")
	}
}
