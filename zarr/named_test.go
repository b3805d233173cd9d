package zarr

import (
	"slices"
	"testing"
)

func TestNamedMembers(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`: nil,
		`{"multiscales": [{"datasets": [{"path": "0"}, {"path": "1"}]}]}`:             {"0", "1", "labels"},
		`{"ome": {"version": "0.5", "multiscales": [{"datasets": [{"path": "s"}]}]}}`: {"s", "labels"},
		`{"labels": ["cells", 1]}`:                                {"cells"},
		`{"plate": {"wells": [{"path": "A/1"}, {}, 3]}}`:          {"A/1"},
		`{"well": {"images": [{"path": "0"}]}, "plate": "x"}`:     {"0"},
		`{"multiscales": {"datasets": 1}, "ome": [], "well": []}`: nil,
	} {
		v, err := parseJSON([]byte(text), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		m, err := objectOf("attributes", v)
		if err != nil {
			t.Fatal(err)
		}
		if got := namedMembers(m); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
