package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestRefs(t *testing.T) {
	dir := t.TempDir()
	path, tree := filepath.Join(dir, "a.b2nd"), filepath.Join(dir, "t.b2z")
	importBytes(t, npyFile(t, "<f4", false, 40, 50), path, "-zarrblocks", "-chunks", "16,32", "-blocks", "8,8")
	refs := func(args ...string) map[string]any {
		t.Helper()
		var doc struct{ Refs map[string]any }
		if err := json.Unmarshal([]byte(cairnOK(t, append([]string{"refs"}, args...)...)), &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Refs
	}
	all := refs(path)
	if len(all) != 1+2+5*7 {
		t.Errorf("%d references to 5 × 7 blocks", len(all))
	}
	if first, ok := all["a/0.0"].([]any); !ok || first[0] != path {
		t.Errorf("reference %v", all["a/0.0"])
	}
	all = refs("-url", "s3://b/a.b2nd", "-name", "t2m", path)
	if last, ok := all["t2m/4.6"].([]any); !ok || last[0] != "s3://b/a.b2nd" {
		t.Errorf("reference %v", all["t2m/4.6"])
	}
	cairnOK(t, "copy", path, tree+"::/x/a")
	all = refs(tree)
	if first, ok := all["x/a/0.0"].([]any); !ok || first[0] != tree || all["x/.zgroup"] == nil {
		t.Errorf("reference %v, group %v", all["x/a/0.0"], all["x/.zgroup"])
	}
	cairnOK(t, "meta", "set", tree+"::/x", "title", `"two \"groups\""`)
	if got, ok := refs(tree)["x/.zattrs"].(string); !ok || !strings.Contains(got, `"title": "two \"groups\""`) {
		t.Errorf("attributes of the group: %v", got)
	}
	cairnOK(t, "export", tree, filepath.Join(dir, "t.zarr"))
	cairnOK(t, "import", "-zarrblocks", filepath.Join(dir, "t.zarr"), filepath.Join(dir, "back.b2z"))
	if back := refs(filepath.Join(dir, "back.b2z")); back["x/a/0.0"] == nil {
		t.Errorf("an imported tree has the references %v", back)
	}
	plain := filepath.Join(dir, "plain.b2nd")
	cairnOK(t, "copy", "-zarrblocks=false", path, plain)
	wantFailure(t, cairnWith(t.Context(), nil, "refs", plain), "cairn copy -zarrblocks")
}
