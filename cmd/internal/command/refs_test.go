package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
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

// An array whose dtype Zarr does not have is left out, and the others are not.
func TestRefsLeaveOut(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "t.b2z")
	padded := "{'names': ['a', 'b'], 'formats': ['<f4', '<i2'], 'offsets': [0, 4], 'itemsize': 8}"
	for name, dtype := range map[string]string{"pair": padded, "plain": "<f4"} {
		path := filepath.Join(dir, name+".b2nd")
		u, err := ndarray.CreateUntyped(path, dtype, ndarray.Shape{4}, &ndarray.Options{ZarrBlocks: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
		cairnOK(t, "copy", path, tree+"::/"+name)
	}

	r := cairnWith(t.Context(), nil, "refs", tree)
	if r.code != exitLost || !strings.Contains(r.stderr, "/pair") || !strings.Contains(r.stderr, "left out") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if !strings.Contains(r.stdout, "plain/.zarray") || strings.Contains(r.stdout, "pair") {
		t.Errorf("references %s", r.stdout)
	}
}
