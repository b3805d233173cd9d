package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/described"
)

// TestWhatCannotBeReadIsTold lists a damaged file beside one that is no array, and the links and
// formats of HDF5 files.
func TestWhatCannotBeReadIsTold(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("short.npy", []byte("\x93NUMPY\x01\x00\x10\x00{"))
	put("readme.txt", []byte("about these files"))
	groups, err := os.ReadFile("../hdf5/testdata/groups-latest.h5")
	if err != nil {
		t.Fatal(err)
	}
	put("g.h5", groups)
	h, err := New([]Root{{Name: "d", Path: dir}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	object := func(target string, v any) {
		t.Helper()
		_, body := want(t, h, 200, target)
		if err := json.Unmarshal(body, v); err != nil {
			t.Fatal(target, err)
		}
	}

	var folder struct{ Entries []described.Entry }
	object("/api/v1/list/d", &folder)
	kinds := map[string]described.Entry{}
	for _, e := range folder.Entries {
		kinds[e.Name] = e
	}
	if e := kinds["short.npy"]; e.Kind != described.Unreadable || e.Fault == "" {
		t.Errorf("a damaged file is %+v", e)
	}
	if e := kinds["readme.txt"]; e.Kind != described.FileKind || e.Fault != "" {
		t.Errorf("a text is %+v", e)
	}
	if e := kinds["g.h5"]; e.Kind != described.TreeKind || e.Format != "hdf5" {
		t.Errorf("a file of HDF5 is %+v", e)
	}

	var tree struct {
		Entries []described.Entry
		Links   []described.Link
	}
	object("/api/v1/list/d/g.h5", &tree)
	soft := 0
	for _, l := range tree.Links {
		if l.Kind == "soft link" && l.Target != "" && strings.HasPrefix(l.Key, "/") {
			soft++
		}
	}
	if soft == 0 {
		t.Errorf("the links are %+v", tree.Links)
	}
	var info described.Tree
	object("/api/v1/info/d/g.h5", &info)
	if len(info.Links) != len(tree.Links) || info.Format != "hdf5" {
		t.Errorf("info tells %+v", info)
	}
	for _, e := range tree.Entries {
		if e.Key != "/"+e.Name || e.Format != "hdf5" {
			t.Errorf("an entry is %+v", e)
		}
	}
}
