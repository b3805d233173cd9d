package tree_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/httprange"
	"github.com/cairn-go/cairn/tree"
)

// arraysOf walks what is at a path, reads every array, and returns the keys.
func arraysOf(t *testing.T, path string, files storage.FS) (keys []string) {
	t.Helper()
	ctx := t.Context()
	at, err := tree.Open(ctx, path, &tree.Options{FS: files})
	check(t, err)
	defer at.Close()

	for n, err := range ndarray.Walk(ctx, at, "/") {
		check(t, err, n.Err)
		if n.Kind != ndarray.ArrayNode {
			continue
		}
		a, err := at.Open(ctx, n.Key)
		check(t, err)
		read, err := ndarray.ReadAny(ctx, a)
		check(t, err)
		if got, ok := read.([]int32); !ok || !slices.Equal(got, []int32{1, 2, 3}) {
			t.Errorf("%s::%s has %v", path, n.Key, read)
		}
		keys = append(keys, n.Key)
	}
	return keys
}

// far are things in directory whose arrays have the same items, and the keys of these.
var far = map[string][]string{
	"a.b2nd":           {"/"},
	"sub/b.npy":        {"/"},
	"sub/deeper/c.npz": {"/g/two", "/one"},
	"s.b2z":            {"/g/x"},
	"z.zarr":           {"/g/y"},
	"one.zarr":         {"/"},
}

// A Zarr store on a web server is found by its name with and without a slash.
func TestWebServersHaveTrees(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir(directory(t))))
	defer server.Close()
	files, err := httprange.NewFS(t.Context(), nil)
	check(t, err)
	defer files.Close()

	for name, want := range far {
		if got := arraysOf(t, server.URL+"/"+name, files); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	if _, err := tree.Open(t.Context(), server.URL+"/none.b2nd", &tree.Options{FS: files}); err == nil {
		t.Error("what is not there is opened")
	}
}

func TestBucketsHaveTrees(t *testing.T) {
	files := storage.BucketFS(t.Context(), storage.FSBucket(storage.OS(), directory(t)))
	for name, want := range far {
		if got := arraysOf(t, name, files); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}

	at, err := tree.Open(t.Context(), "sub", &tree.Options{FS: files})
	check(t, err)
	defer at.Close()
	nodes, err := at.Children(t.Context(), "/")
	check(t, err)
	if len(nodes) != 2 || nodes[0].Key != "/b.npy" || nodes[1].Kind != ndarray.GroupNode {
		t.Errorf("a folder of a bucket has %v", nodes)
	}
}
