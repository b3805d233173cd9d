package serve

import (
	"encoding/json"
	"testing"
)

// TestGroupsHaveTheirAttributes asks for the documents of groups of Zarr stores, which have
// attributes of their own.
func TestGroupsHaveTheirAttributes(t *testing.T) {
	h := handler(t, []Root{{Path: folder(t)}}, nil)
	title := func(path string, keys ...string) any {
		_, body := want(t, h, 200, path)
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, key := range append(keys, "title") {
			m, _ := v.(map[string]any)
			v = m[key]
		}
		return v
	}
	for _, store := range []string{"v2.zarr", "v3.zarr", "v3.zarr.zip"} {
		at := "/zarr/data/" + store
		for path, got := range map[string]any{
			"group 3":        title(at+"/g/zarr.json", "attributes"),
			"group 2":        title(at + "/g/.zattrs"),
			"consolidated 2": title(at+"/g/.zmetadata", "metadata", ".zattrs"),
			"member 3":       title(at+"/zarr.json", "consolidated_metadata", "metadata", "g", "attributes"),
			"member 2":       title(at+"/.zmetadata", "metadata", "g/.zattrs"),
		} {
			if got != "a group" {
				t.Errorf("%s, %s: the title is %v", store, path, got)
			}
		}
		if got := title(at+"/zarr.json", "attributes"); got != nil {
			t.Errorf("%s: the root has the title %v", store, got)
		}
	}
}
