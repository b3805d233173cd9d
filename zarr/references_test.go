package zarr_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/zarr"
)

// referencesTo returns the references to arrays by key.
func referencesTo(t *testing.T, refs ...zarr.Reference) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := zarr.WriteReferences(t.Context(), &b, refs...); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version int
		Refs    map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%v in %s", err, b.Bytes())
	}
	if doc.Version != 1 || doc.Refs[".zgroup"] == nil {
		t.Fatalf("version %d, group %v", doc.Version, doc.Refs[".zgroup"])
	}
	return doc.Refs
}

// resolve returns the bytes that a reference stands for.
func resolve(t *testing.T, ref any) []byte {
	t.Helper()
	switch ref := ref.(type) {
	case string:
		b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(ref, "base64:"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	case []any:
		f, err := os.ReadFile(ref[0].(string))
		if err != nil {
			t.Fatal(err)
		}
		at := int(ref[1].(float64))
		return f[at : at+int(ref[2].(float64))]
	}
	t.Fatalf("reference %v", ref)
	return nil
}

// asStore writes what references stand for as a Zarr store, and opens it.
func asStore(t *testing.T, refs map[string]any) *zarr.Store {
	t.Helper()
	dir := t.TempDir()
	for key, ref := range refs {
		path := filepath.Join(dir, key)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		b, isText := ref.(string)
		content := []byte(b)
		if !isText || strings.HasPrefix(b, "base64:") {
			content = resolve(t, ref)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := zarr.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// References to an array are a Zarr array with its items, whatever the chunks are like.
func TestReferencesAreTheArray(t *testing.T) {
	ctx := context.Background()
	for _, sparse := range []bool{false, true} {
		for name, fill := range map[string]func(i int) int32{
			"counter": func(i int) int32 { return int32(i % 100) },
			"noise":   func(int) int32 { return int32(rand.Uint32()) },
			"zeros":   func(int) int32 { return 0 }, "sevens": func(int) int32 { return 7 },
		} {
			t.Run(fmt.Sprintf("%s/%v", name, sparse), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "a.b2nd")
				a, err := ndarray.Create[int32](path, ndarray.Shape{33, 50}, &ndarray.Options{
					ChunkShape: ndarray.Shape{16, 32}, BlockShape: ndarray.Shape{8, 8}, Codec: codecs.LZ4,
					ZarrBlocks: true, Sparse: sparse})
				if err != nil {
					t.Fatal(err)
				}
				want := make([]int32, 33*50)
				for i := range want {
					want[i] = fill(i)
				}
				if err := errors.Join(a.Write(ctx, want), a.Append(ctx, 0, want[:100]), a.Close()); err != nil {
					t.Fatal(err)
				}
				u, err := ndarray.Open(path, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer u.Close()
				s := asStore(t, referencesTo(t, zarr.Reference{Name: "x/y", Array: u, URL: path,
					Dims: []string{"time", "lat"}}))
				if nodes, err := s.Children(t.Context(), "/"); err != nil || len(nodes) != 1 || nodes[0].Kind != ndarray.GroupNode {
					t.Errorf("x is not a group: %v %v", nodes, err)
				}
				z, err := s.Array(t.Context(), "x/y")
				if err != nil {
					t.Fatal(err)
				}
				wantBytes, err := u.Read(ctx)
				if err != nil {
					t.Fatal(err)
				}
				got := make([]byte, len(wantBytes))
				if err := z.ReadBytes(ctx, got, []int64{0, 0}, z.Shape()); err != nil || !bytes.Equal(got, wantBytes) {
					t.Fatalf("other items: %v", err)
				}
				if l, err := z.Labels(); fmt.Sprint(l.Dims) != "[time lat]" {
					t.Errorf("dimensions %v %v", l.Dims, err)
				}
			})
		}
	}
}

// Chunks that another program wrote, or arrays without ZarrBlocks, cannot be referred to.
func TestReferencesRefuse(t *testing.T) {
	ctx := context.Background()
	plain, err := ndarray.FromSlice(make([]int32, 100), ndarray.Shape{100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = zarr.WriteReferences(ctx, &bytes.Buffer{}, zarr.Reference{Name: "a", Array: plain.Untyped})
	if !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("an array without ZarrBlocks: %v", err)
	}
	a, err := ndarray.New[int32](ndarray.Shape{100}, &ndarray.Options{ChunkShape: ndarray.Shape{100},
		BlockShape: ndarray.Shape{50}, ZarrBlocks: true})
	if err != nil {
		t.Fatal(err)
	}
	items := make([]byte, 400)
	for i := range items {
		items[i] = byte(i)
	}
	e, err := chunk.NewEncoder(&chunk.Options{TypeSize: 4, BlockSize: 200})
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Append(nil, items)
	if err != nil {
		t.Fatal(err)
	}
	f := a.Frame()
	if err := f.Delete(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.AppendEncoded(ctx, c); err != nil {
		t.Fatal(err)
	}
	err = zarr.WriteReferences(ctx, &bytes.Buffer{}, zarr.Reference{Name: "a", Array: a.Untyped})
	if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), "chunk 0") {
		t.Errorf("a chunk of another program: %v", err)
	}
}
