package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/ndarray"
)

func statsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.Create[float32](path, ndarray.Shape{4, 3}, &ndarray.Options{ChunkShape: ndarray.Shape{2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Write(t.Context(), []float32{1, 2, 3, float32(math.NaN()), 0, 6.5}, ndarray.Range(2, 4)); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStats(t *testing.T) {
	path := statsFile(t)
	text := cairnOK(t, "stats", "-chunks", path)
	for _, want := range []string{"shape  4 × 3\n", "count  12\n", "NaN    1\n", "zeros  7\n", "min    0\n", "max    6.5\n", "mean   1.136364\n", "std    1.955074",
		"[0 0]            zeros", "[2 0]            data"} {
		if !strings.Contains(text, want) {
			t.Errorf("stats does not say %q:\n%s", want, text)
		}
	}
	var s struct {
		All    struct{ Count, NaN int }
		Chunks []struct {
			Kind  string
			Zeros int
			Max   float64
		}
	}
	if err := json.Unmarshal([]byte(cairnOK(t, "stats", "-json", "-chunks", "-workers", "1", path)), &s); err != nil {
		t.Fatal(err)
	}
	if s.All.Count != 12 || s.All.NaN != 1 || len(s.Chunks) != 2 || s.Chunks[0].Zeros != 6 || s.Chunks[1].Max != 6.5 {
		t.Errorf("%+v", s)
	}
	words := filepath.Join(t.TempDir(), "words.b2nd")
	u, err := ndarray.CreateUntyped(words, "[('id', '<u2'), ('name', '|S3'), ('x', '>f4'), ('t', '<U2')]", ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Write(t.Context(), []byte{1, 1, 'a', 'b', 0, 0x3f, 0x80, 0, 0, 'x', 0, 0, 0, 0xe9, 0, 0, 0}, ndarray.Index(0)); err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, cairnWith(t.Context(), strings.NewReader(""), "stats", words), "only integers, and floats")
	if got, want := cairnOK(t, "head", "-n", "1", words), "[0]  {id: 257, name: \"ab\", x: 1, t: \"xé\"}\n"; !strings.HasSuffix(got, want) {
		t.Errorf("head says %q, want %q", got, want)
	}
}
