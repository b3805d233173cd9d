package command

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/show/item"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func TestHead(t *testing.T) {
	path := statsFile(t)
	for _, c := range []struct{ verb, n, want string }{
		{"head", "0", ""},
		{"head", "1", "     [0]  [1]  [2]\n[0]    0    0    0\n… 3 more rows\n"},
		{"head", "9", "     [0]  [1]  [2]\n[0]    0    0  0\n[1]    0    0  0\n[2]    1    2  3\n[3]  NaN    0  6.5\n"},
		{"tail", "1", "     [0]  [1]  [2]\n… 3 earlier rows\n[3]  NaN    0  6.5\n"},
	} {
		if got, want := cairnOK(t, c.verb, "-n", c.n, path), "# 4 × 3 <f4\n"+c.want; got != want {
			t.Errorf("%s -n %s says\n%s\nwant\n%s", c.verb, c.n, got, want)
		}
	}
	for _, args := range [][]string{{"-n", "-1", path}, {"-format", "xml", path}, {"-s", "a=", path}, {}} {
		r := cairnWith(t.Context(), strings.NewReader(""), append([]string{"head"}, args...)...)
		if r.code != exitUsage {
			t.Errorf("head %v: exit %d", args, r.code)
		}
	}
}

// TestHeadOfSeveral prints several arrays, one of which is missing.
func TestHeadOfSeveral(t *testing.T) {
	t.Chdir(filepath.Dir(arangeFile(t, ndarray.Shape{2})))
	seven := ndarray.Items([]int8{7}, ndarray.Shape{1})
	if err := ndarray.Save(t.Context(), "b.b2nd", seven, nil); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("*.b2nd")
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	a := names[0]
	if a == "b.b2nd" {
		a = names[1]
	}
	for _, c := range []struct{ args, want string }{
		{"head", a + "\n# 2 <i4\n[0]  0\n[1]  1\n\nb.b2nd\n# 1 |i1\n[0]  7\n"},
		{"tail -n 1", a + "\n# 2 <i4\n… 1 earlier row\n[1]  1\n\nb.b2nd\n# 1 |i1\n[0]  7\n"},
		{"head -json", "[[\n  {\"dim_0\": 0, \"value\": 0},\n  {\"dim_0\": 1, \"value\": 1}\n]\n,[\n  {\"dim_0\": 0, \"value\": 7}\n]\n]\n"},
	} {
		r := cairnWith(t.Context(), nil, append(strings.Fields(c.args), a, "none.b2nd", "b.b2nd")...)
		if r.code != exitFailed || r.stdout != c.want || !strings.Contains(r.stderr, "none.b2nd") {
			t.Errorf("%s: exit %d, %q\n%s\nwant\n%s", c.args, r.code, r.stderr, r.stdout, c.want)
		}
	}
	r := cairnWith(t.Context(), nil, "head", "-json", "none.b2nd", "never.b2nd")
	if r.code != exitFailed || r.stdout != "[]\n" {
		t.Errorf("of nothing: exit %d, %q", r.code, r.stdout)
	}
	if r := cairnWith(t.Context(), nil, "head", "-format", "csv", a, "b.b2nd"); r.code != exitUsage {
		t.Errorf("several arrays as CSV: exit %d", r.code)
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
		{ndarray.Shape{}, 10, "  0\n"},
		{ndarray.Shape{3}, 2, "[0]  0\n[1]  1\n… 1 more row\n"},
		{ndarray.Shape{0, 3}, 10, ""}, {ndarray.Shape{3, 0}, 10, ""},
		{ndarray.Shape{2, 0, 3}, 10, ""},
		{ndarray.Shape{2, 2, 2}, 3, "[0]\n     [0]  [1]\n[0]    0    1\n[1]    2    3\n\n" +
			"[1]\n     [0]  [1]\n[0]    4    5\n… 1 more row\n"},
		{ndarray.Shape{2, 1, 1, 2}, 10, "[0], [0]\n     [0]  [1]\n[0]    0    1\n\n" +
			"[1], [0]\n     [0]  [1]\n[0]    2    3\n"},
	} {
		path := arangeFile(t, c.shape)
		_, got, _ := strings.Cut(cairnOK(t, "head", "-n", strconv.Itoa(c.n), path), "\n")
		if got != c.want {
			t.Errorf("%v: head says %q, want %q", c.shape, got, c.want)
		}
	}
	lines := strings.Split(cairnOK(t, "head", "-n", "1000", arangeFile(t, ndarray.Shape{3, 300, 2})), "\n")
	if len(lines) != 1+3*302+2+1 || lines[len(lines)-2] != "[299]  1798  1799" {
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
	want := "     [0]  [1]  [2]  [3]  [4]  …  [999999996]  [999999997]  [999999998]  [999999999]\n"
	if got := cairnOK(t, "head", "-n", "0", path); got != "# 2 × 1000000000 <f8\n" {
		t.Errorf("head says %q", got)
	}
	for _, line := range strings.Split(cairnOK(t, "head", "-n", "1", path), "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("%d characters in %q, want about %q", len([]rune(line)), line, want)
		}
	}
}

// TestHeadWithCoordinates shows the names, the coordinates and the units of axes.
func TestHeadWithCoordinates(t *testing.T) {
	path := climateFile(t)
	want := `# 2 × 4 × 3 <i2  temperature (K)
time=2020-02-01
lat \ lon   0   1   2
        0  24  25  26
     -0.5  27  28  29
       -1  30  31  32
     -1.5  33  34  35

time=2020-02-02
lat \ lon   0   1   2
        0  36  37  38
… 3 more rows
`
	if got := cairnOK(t, "head", "-n", "5", "-s", "time=2020-02-01:2020-02-02", path+"::/run/t2m"); got != want {
		t.Errorf("head says\n%s\nwant\n%s", got, want)
	}
	want = "# 4 <i2  temperature (K)\n# time=2020-02-06, lon=2\nlat   t2m\n… 3 earlier rows\n-1.5   95\n"
	if got := cairnOK(t, "tail", "-n", "1", "-s", "time=2020-02-06, lon=2", path+"::/run/t2m"); got != want {
		t.Errorf("tail says\n%s\nwant\n%s", got, want)
	}
	want = "time,value\n2020-01-30,2020-01-30\n2020-01-31,2020-01-31\n"
	if got := cairnOK(t, "head", "-n", "2", "-format", "csv", path+"::/run/time"); got != want {
		t.Errorf("head says\n%s\nwant\n%s", got, want)
	}
	want = "# 4 <f8 (degrees_north)\n# values: items × -0.5; -raw takes items\n"
	if got := cairnOK(t, "head", path+"::/run/lat"); !strings.HasPrefix(got, want) {
		t.Errorf("head says\n%s\nwant\n%s", got, want)
	}
}

// TestItemsForPrograms prints items as CSV and JSON, with all digits.
func TestItemsForPrograms(t *testing.T) {
	for _, c := range []struct{ dtype, items, csv, json string }{
		{"<f8", "\x9a\x99\x99\x99\x99\x99\xb9?\x00\x00\x00\x00\x00\x00\xf0\xff", "0,0.1\n1,-inf\n",
			"{\"dim_0\": 0, \"value\": 0.1},\n  {\"dim_0\": 1, \"value\": \"-inf\"}"},
		{"<i8", "\x01\x00\x00\x00\x00\x00\x20\x00\xff\xff\xff\xff\xff\xff\xff\xff", "0,9007199254740993\n1,-1\n",
			"{\"dim_0\": 0, \"value\": 9007199254740993},\n  {\"dim_0\": 1, \"value\": -1}"},
		{">c8", "?\x80\x00\x00\xc0\x00\x00\x00\x7f\xc0\x00\x00?\x80\x00\x00", "0,1-2j\n1,nan+1j\n",
			"{\"dim_0\": 0, \"value\": [1,-2]},\n  {\"dim_0\": 1, \"value\": [\"nan\",1]}"},
		{"|b1", "\x00\x01", "0,false\n1,true\n", "{\"dim_0\": 0, \"value\": false},\n  {\"dim_0\": 1, \"value\": true}"},
		{"|S2", "a,\"b", "0,\"a,\"\n1,\"\"\"b\"\n",
			"{\"dim_0\": 0, \"value\": \"a,\"},\n  {\"dim_0\": 1, \"value\": \"\\\"b\"}"},
		{"<M8[D]", "\x01" + strings.Repeat("\x00", 14) + "\x80", "0,1970-01-02\n1,NaT\n",
			"{\"dim_0\": 0, \"value\": \"1970-01-02\"},\n  {\"dim_0\": 1, \"value\": \"NaT\"}"},
		{"|V2", "1234", "0,3132\n1,3334\n",
			"{\"dim_0\": 0, \"value\": \"3132\"},\n  {\"dim_0\": 1, \"value\": \"3334\"}"},
		{"[('id', '|u1'), ('name', '|S2')]", "\x07ab\x08c\x00", "0,7,ab\n1,8,c\n",
			"{\"dim_0\": 0, \"id\": 7, \"name\": \"ab\"},\n  {\"dim_0\": 1, \"id\": 8, \"name\": \"c\"}"},
	} {
		path := filepath.Join(t.TempDir(), "a.b2nd")
		u, err := ndarray.CreateUntyped(path, c.dtype, ndarray.Shape{2}, nil)
		if err == nil {
			err = errors.Join(u.Write(t.Context(), []byte(c.items)), u.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(cairnOK(t, "head", "-format", "csv", path), "\n")
		if got != c.csv {
			t.Errorf("%s as CSV: %q, want %q", c.dtype, got, c.csv)
		}
		if got := cairnOK(t, "head", "-format", "json", path); got != "[\n  "+c.json+"\n]\n" {
			t.Errorf("%s as JSON: %s, want %s", c.dtype, got, c.json)
		}
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
		got := item.Text(d, raw)
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
	half, err := meta.ParseDType("<f2")
	if err != nil {
		t.Fatal(err)
	}
	for bits := range 1 << 16 {
		h := ndarray.Float16FromBits(uint16(bits))
		text := item.Text(half, binary.LittleEndian.AppendUint16(nil, uint16(bits)))
		f, err := strconv.ParseFloat(text, 32)
		if err != nil || ndarray.Float16From(float32(f)) != h && f == f {
			t.Fatalf("%04x: %q is another number, %v", bits, text, err)
		}
	}
	for bits, want := range map[uint16]string{
		0x3c00: "1", 0x2e66: "0.1", 0xb555: "-0.3333", 1: "6e-08", 0x7bff: "65500",
		0x7c00: "+Inf", 0xfc00: "-Inf", 0x7e00: "NaN", 0x8000: "-0",
	} {
		if got := item.Text(half, binary.LittleEndian.AppendUint16(nil, bits)); got != want {
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
