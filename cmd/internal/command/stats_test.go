package command

import (
	"encoding/json"
	"errors"
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
	for _, want := range []string{"shape  4 × 3\n", "count  12\n", "NaN    1\n", "zeros  7\n", "min    0\n",
		"max    6.5\n", "mean   1.136364\n", "std    1.955074",
		"[0 0]  zeros", "[2 0]  data"} {
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
	u, err := ndarray.CreateUntyped(words, "[('id', '<u2'), ('name', '|S3'), ('x', '>f4'), ('t', '<U2')]",
		ndarray.Shape{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Write(t.Context(), []byte{1, 1, 'a', 'b', 0, 0x3f, 0x80, 0, 0, 'x', 0, 0, 0, 0xe9, 0, 0, 0},
		ndarray.Index(0)); err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, cairnWith(t.Context(), strings.NewReader(""), "stats", words), "-field takes one of its fields")
	if text := cairnOK(t, "stats", "-field", "id", words); !strings.Contains(text, "field  id\n") ||
		!strings.Contains(text, "max    257\n") {
		t.Errorf("stats of a field says\n%s", text)
	}
	r := cairnWith(t.Context(), strings.NewReader(""), "stats", "-field", "no", words)
	if r.code != exitUsage || !strings.Contains(r.stderr, "no field") {
		t.Errorf("a field that is not there: exit %d, %q", r.code, r.stderr)
	}
	want := "\n      id  name  x  t\n[0]  257  \"ab\"  1  \"xé\"\n… 1 more row\n"
	if got := cairnOK(t, "head", "-n", "1", words); !strings.HasSuffix(got, want) {
		t.Errorf("head says %q, want %q", got, want)
	}
}

// TestStatsOfOtherDTypes checks statistics of 16-bit floats, bools and times.
func TestStatsOfOtherDTypes(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	for _, c := range []struct{ dtype, items, want string }{
		{"<f2", "\x00\x3c\x00\xc0\x00\x7e", "NaN    1\n  zeros  0\n  min    -2\n  max    1\n  mean   -0.5\n"},
		{"|b1", "\x01\x00\x01", "zeros  1\n  min    false\n  max    true\n  mean   0.6666667\n"},
		{"<M8[D]", "\x01" + zeros(14) + "\x80\x59\x02" + zeros(6),
			"NaN    1\n  zeros  0\n  min    1970-01-02T00:00:00\n  max    1971-08-25T00:00:00\n  mean   -\n"},
		{"<m8[s]", "\x01" + zeros(15) + "\x78" + zeros(7),
			"zeros  1\n  min    0s\n  max    2m0s\n"},
		{"<c8", "\x00\x00\x80\x3f\x00\x00\x00\x40" + "\x00\x00\x40\x40" + zeros(4) + "\x00\x00\xc0\x7f" + zeros(4),
			"NaN    1\n  zeros  0\n  min    -\n  max    -\n  mean   2+1j\n  std    1.414214\n"},
	} {
		path := filepath.Join(t.TempDir(), "a.b2nd")
		u, err := ndarray.CreateUntyped(path, c.dtype, ndarray.Shape{3}, nil)
		if err == nil {
			err = u.Write(t.Context(), []byte(c.items))
		}
		if err == nil {
			err = u.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if text := cairnOK(t, "stats", path); !strings.Contains(text, c.want) {
			t.Errorf("%s: stats says\n%s, not\n%s", c.dtype, text, c.want)
		}
		if c.dtype == "<c8" { // its extremes and quantiles are not defined
			if text := cairnOK(t, "stats", "-json", path); !strings.Contains(text, `"mean": [`) {
				t.Errorf("stats -json: %s", text)
			}
			continue
		}
		cairnOK(t, "stats", "-json", "-chunks", path)
	}
}

// TestStatsOfPart selects, counts infinities as NumPy does, and draws a histogram.
func TestStatsOfPart(t *testing.T) {
	tree := climateFile(t)
	got := cairnOK(t, "stats", "-s", "time=2020-02, lat=-0.5", "-hist", "2", tree+"::/run/t2m")
	for _, want := range []string{
		"part   time=2020-02, lat=-0.5\n", "shape  6 × 3\n", "units  K\n", "count  18\n", "min    27\n", "mean   58\n",
		"\n  27  9  ████", "\n  58  9  ████",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("stats does not say %q:\n%s", want, got)
		}
	}
	path := filepath.Join(t.TempDir(), "inf.b2nd")
	inf := math.Inf(1)
	a, err := ndarray.Create[float64](path, ndarray.Shape{5}, &ndarray.Options{ChunkShape: ndarray.Shape{1}})
	if err == nil {
		err = errors.Join(a.Write(t.Context(), []float64{1, inf, math.NaN(), -inf, inf}), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for selection, want := range map[string]string{
		":":   "NaN    1\n  inf    3\n  zeros  0\n  min    -Inf\n  max    +Inf\n  mean   NaN\n  std    NaN\n",
		":3":  "NaN    1\n  inf    1\n  zeros  0\n  min    1\n  max    +Inf\n  mean   +Inf\n  std    NaN\n",
		"3:4": "NaN    0\n  inf    1\n  zeros  0\n  min    -Inf\n  max    -Inf\n  mean   -Inf\n  std    NaN\n",
	} {
		if got := cairnOK(t, "stats", "-s", selection, path); !strings.HasSuffix(got, want) {
			t.Errorf("-s %s: stats says\n%s, not\n%s", selection, got, want)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "stats", "-hist", "3", path), "a histogram from -Inf to +Inf")
	for _, args := range [][]string{{"-hist", "-1"}, {"-chunks", "-s", "1"}, {"-s", "1,,"}} {
		if r := cairnWith(t.Context(), nil, append(append([]string{"stats"}, args...), path)...); r.code != exitUsage {
			t.Errorf("stats %v: exit %d", args, r.code)
		}
	}
}
