package main

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func TestHead(t *testing.T) {
	path := statsFile(t)
	for _, c := range []struct{ n, want string }{
		{"0", ""}, {"1", "[0]  0  0  0\n"}, {"3", "[0]  0  0  0\n[1]  0  0  0\n[2]  1  2  3\n"},
		{"10", "[0]    0  0    0\n[1]    0  0    0\n[2]    1  2    3\n[3]  NaN  0  6.5\n"},
	} {
		if got, want := cairnOK(t, "head", "-n", c.n, path), "# 4 × 3 <f4\n"+c.want; got != want {
			t.Errorf("head -n %s says %q, want %q", c.n, got, want)
		}
	}
	if r := cairnWith(t.Context(), strings.NewReader(""), "head", "-n", "-1", path); r.code != exitUsage {
		t.Errorf("exit %d", r.code)
	}
}

// TestHeadShowsPlanes reads arrays of zero to four dimensions, with rows in several batches, and
// some without items.
func TestHeadShowsPlanes(t *testing.T) {
	for _, c := range []struct {
		shape ndarray.Shape
		n     int
		want  string
	}{
		{ndarray.Shape{}, 10, "[]  0\n"},
		{ndarray.Shape{3}, 2, "[0]  0\n[1]  1\n"},
		{ndarray.Shape{0, 3}, 10, ""}, {ndarray.Shape{3, 0}, 10, ""},
		{ndarray.Shape{2, 0, 3}, 10, ""},
		{ndarray.Shape{2, 2, 2}, 3, "[0 0]  0  1\n[0 1]  2  3\n\n[1 0]  4  5\n"},
		{
			ndarray.Shape{2, 1, 2, 3}, 10,
			"[0 0 0]  0  1  2\n[0 0 1]  3  4  5\n\n[1 0 0]  6   7   8\n[1 0 1]  9  10  11\n",
		},
	} {
		path := arangeFile(t, c.shape)
		_, got, _ := strings.Cut(cairnOK(t, "head", "-n", strconv.Itoa(c.n), path), "\n")
		if got != c.want {
			t.Errorf("%v: head says %q, want %q", c.shape, got, c.want)
		}
	}
	lines := strings.Split(cairnOK(t, "head", "-n", "1000", arangeFile(t, ndarray.Shape{3, 300, 2})), "\n")
	if len(lines) != 1+900+2+1 || lines[900+2] != "[2 299]  1798  1799" {
		t.Errorf("%d lines, the last but one %q", len(lines), lines[len(lines)-2])
	}
}

// TestHeadFitsThePage checks that head shows as many columns as fit into 80 characters, and reads
// no more of rows of a thousand million items.
func TestHeadFitsThePage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wide.b2nd")
	a, err := ndarray.Create[float64](path, ndarray.Shape{2, 1e9}, &ndarray.Options{ChunkShape: ndarray.Shape{1, 1e6}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	want := "[0]" + strings.Repeat("  0", 24) + "  …\n"
	if got := cairnOK(t, "head", "-n", "1", path); got != "# 2 × 1000000000 <f8\n"+want {
		t.Errorf("head says %q", got)
	}
}

// TestItemsHaveTheTextsOfNumPy compares with str() of the same bytes in NumPy 2.4.
func TestItemsHaveTheTextsOfNumPy(t *testing.T) {
	for _, c := range []struct {
		dtype string
		n     int64
		want  string
	}{
		{"<M8[Y]", -872 - 1970, "-872"}, {"<M8[Y]", 50, "2020"}, {"<M8[M]", 605, "2020-06"},
		{"<M8[3M]", -1, "1969-10"},
		{"<M8[W]", -1, "1969-12-25"}, {"<M8[D]", 18262, "2020-01-01"}, {">M8[D]", -1, "1969-12-31"},
		{"<M8[h]", 25, "1970-01-02T01"}, {"<M8[m]", -1, "1969-12-31T23:59"},
		{"<M8[25s]", 3, "1970-01-01T00:01:15"},
		{"<M8[ms]", -1, "1969-12-31T23:59:59.999"}, {"<M8[us]", 1, "1970-01-01T00:00:00.000001"},
		{"<M8[ns]", 1577836800000000001, "2020-01-01T00:00:00.000000001"},
		{"<M8[ps]", -1, "1969-12-31T23:59:59.999999999999"},
		{"<M8[fs]", 5, "1970-01-01T00:00:00.000000000000005"},
		{"<M8[as]", math.MaxInt64, "1970-01-01T00:00:09.223372036854775807"},
		{"<M8[D]", math.MinInt64, "NaT"}, {"<m8[s]", math.MinInt64, "NaT"}, {"<M8", 5, "5"},
		{"<M8[D]", math.MaxInt64, "9223372036854775807"},
		{"<m8[D]", 1, "1 day"}, {"<m8[D]", -3, "-3 days"}, {"<m8[25ns]", 2, "50 nanoseconds"},
		{"<m8[7Y]", math.MaxInt64, "64563604257983430649 years"}, {"<m8", 7, "7"},
	} {
		d, err := meta.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		raw := binary.LittleEndian.AppendUint64(nil, uint64(c.n))
		if d.BigEndian() {
			raw = binary.BigEndian.AppendUint64(nil, uint64(c.n))
		}
		got := itemText(d, raw)
		if c.want == "-872" { // NumPy leaves out a zero here that it writes for years from 0 to 999
			got = strings.Replace(got, "-0", "-", 1)
		}
		if got != c.want {
			t.Errorf("%s of %d: %q, want %q", c.dtype, c.n, got, c.want)
		}
	}
}

// TestTextsOfHalvesAreExact reads every float of 16 bits back from its text.
func TestTextsOfHalvesAreExact(t *testing.T) {
	for bits := range 1 << 16 {
		h := ndarray.Float16FromBits(uint16(bits))
		text := halfText(h)
		f, err := strconv.ParseFloat(text, 32)
		if err != nil || ndarray.Float16From(float32(f)) != h && f == f {
			t.Fatalf("%04x: %q is another number, %v", bits, text, err)
		}
	}
	for bits, want := range map[uint16]string{
		0x3c00: "1", 0x2e66: "0.1", 0xb555: "-0.3333", 1: "6e-08", 0x7bff: "65500",
		0x7c00: "+Inf", 0xfc00: "-Inf", 0x7e00: "NaN", 0x8000: "-0",
	} {
		if got := halfText(ndarray.Float16FromBits(bits)); got != want {
			t.Errorf("%04x: %q, want %q", bits, got, want)
		}
	}
}

// arangeFile makes an array of the numbers from 0 on.
func arangeFile(t *testing.T, shape ndarray.Shape) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.b2nd")
	a, err := ndarray.Create[int32](path, shape, nil)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int32, a.Len())
	for i := range values {
		values[i] = int32(i)
	}
	if err := a.Write(t.Context(), values); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestErrorsNameTheCallersPaths checks that an error names the caller's path if its directory is
// missing.
func TestErrorsNameTheCallersPaths(t *testing.T) {
	array := statsFile(t)
	missing := filepath.Join(t.TempDir(), "no")
	for _, args := range [][]string{
		{"copy", array, missing + "/x.b2nd"}, {"copy", "-sparse", array, missing + "/x.b2nd"},
		{"export", array, missing + "/x.npy"},
	} {
		r := cairnWith(t.Context(), nil, args...)
		wantFailure(t, r, "no such file or directory")
		if strings.Contains(r.stderr, ".tmp") || !strings.Contains(r.stderr, args[len(args)-1]+":") {
			t.Errorf("%v: %s", args, r.stderr)
		}
	}
}
