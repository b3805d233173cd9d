package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// settled waits until files that were just written are old enough to be known by their time.
func settled(t testing.TB, _ *Handler) {
	t.Helper()
	time.Sleep(150 * time.Millisecond)
}

// TestGrowing checks that each request sees the newest commit, and no other state.
func TestGrowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.b2nd")
	a, err := ndarray.Create[int32](path, ndarray.Shape{0, 2}, &ndarray.Options{ChunkShape: ndarray.Shape{8, 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := handler(t, []Root{{Path: path}}, nil)
	before := ""
	for i := range int32(20) {
		if err := a.Append(t.Context(), 0, []int32{i, i}); err != nil {
			t.Fatal(err)
		}
		if err := a.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		info := wantJSON[struct {
			Shape   []int64
			Version string
		}](t, h, "/api/v1/info/log.b2nd")
		if info.Shape[0] != int64(i+1) || info.Version == before {
			t.Fatalf("after commit %d: %+v, before %s", i, info, before)
		}
		before = info.Version
		_, body := want(t, h, 200, fmt.Sprintf("/api/v1/slice/log.b2nd?format=json&s=%d,0", i))
		wantText(t, body, fmt.Sprintf(`"values":%d`, i))
	}
}

// TestReplaced checks that a file that takes the place of another one is noticed, even with the
// same size and time, and that one that is gone is gone.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.b2nd")
	modified := time.Now().Add(-time.Hour)
	put := func(v int32) {
		t.Helper()
		a, err := ndarray.FromSlice([]int32{v, v}, ndarray.Shape{2}, nil)
		if err == nil {
			err = ndarray.Save(t.Context(), path+".new", a, nil)
		}
		if err == nil {
			err = os.Chtimes(path+".new", modified, modified)
		}
		if err == nil {
			err = os.Rename(path+".new", path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h := handler(t, []Root{{Name: "d", Path: dir}}, nil)
	for v := range int32(5) {
		put(v)
		_, body := want(t, h, 200, "/api/v1/slice/d/a.b2nd?format=json")
		wantText(t, body, fmt.Sprintf(`"values":[%d,%d]`, v, v))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	want(t, h, 404, "/api/v1/slice/d/a.b2nd")
}

// TestChangedLeaf checks that a leaf that changed in a directory is noticed at once.
func TestChangedLeaf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tree.b2d")
	e, err := store.Create(path, nil)
	if err == nil {
		err = e.Put(t.Context(), "/a", yAxis(t), nil)
	}
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, []Root{{Path: path}}, nil)
	settled(t, h)
	want(t, h, 200, "/api/v1/info/tree.b2d/a")
	e, err = store.Edit(path, nil)
	if err == nil {
		err = e.Change(t.Context(), "/a", func(u *ndarray.Untyped) error { return u.Fill(t.Context(), 7.0) })
	}
	if err == nil {
		err = e.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, body := want(t, h, 200, "/api/v1/slice/tree.b2d/a?format=json")
	wantText(t, body, `"values":[7,7,7,7]`)
}

// TestSourceOfProgram checks that an array of the program is served in its present state.
func TestSourceOfProgram(t *testing.T) {
	a, err := ndarray.FromSlice([]int64{1, 2, 3}, ndarray.Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, []Root{{Name: "mine", Source: a}, {Name: "mine", Source: ndarray.ViewOf(a)}}, nil)
	w, body := want(t, h, 200, "/api/v1/slice/mine?format=json")
	wantText(t, body, "[1,2,3]")
	if err := a.Append(t.Context(), 0, []int64{4}); err != nil {
		t.Fatal(err)
	}
	_, body = want(t, h, 200, "/api/v1/slice/mine?format=json", "If-None-Match", w.Header().Get("ETag"))
	wantText(t, body, "[1,2,3,4]")
	want(t, h, 200, "/api/v1/info/mine-2")
	want(t, h, 404, "/api/v1/info/mine/more")
	want(t, h, 404, "/files/mine")
}
