package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func TestInfoOfAnArray(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.b2nd")
	u, err := ndarray.CreateUntyped(path, ">f4", ndarray.Shape{30, 20}, &ndarray.Options{
		ChunkShape: ndarray.Shape{10, 20}, BlockShape: ndarray.Shape{5, 10}, Fill: math.NaN(),
		Meta: []meta.Layer{{Name: "crs", Content: []byte{0xa3, 'u', 't', 'm'}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{
		"units": "K", "nested": meta.Map{{Key: "a", Value: []any{int64(1), 2.5, nil}},
			{Key: int64(7), Value: []byte{1, 2}}}, "odd": math.Inf(1), "bell\a": "x\x1b[31m",
	} {
		packed, err := meta.Pack(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Frame().SetVL(name, packed); err != nil {
			t.Fatal(err)
		}
	}
	items := make([]byte, 10*20*4)
	for i := range items {
		items[i] = byte(i / 50)
	}
	if err := u.WriteBox(t.Context(), items, []int64{10, 0}, []int64{20, 20}); err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	text := cairnOK(t, "info", path)
	for _, want := range []string{
		path, "array (b2nd), contiguous frame, format version 2", "30 × 20\n", "10 × 20\n", "5 × 10\n",
		">f4, 4 bytes per item", "zstd, level 5", "shuffle\n",
		"2.3 KiB", "1 data, 2 ", `crs (4 bytes): "utm"`, `units (2 bytes): "K"`, `{"7":"AQI=","a":[1,2.5,null]}`, `"+Inf"`, `bell  (`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("info does not say %q:\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\a\x1b") {
		t.Errorf("info passes control characters on: %q", text)
	}
	var d described.Array
	if err := json.Unmarshal([]byte(cairnOK(t, "info", "-json", path)), &d); err != nil {
		t.Fatal(err)
	}
	if d.Kind != "array" || d.NBytes != 2400 || d.ChunkKinds["data"] != 1 || d.ChunkCodecs["zstd"] != 1 ||
		len(d.Metalayers) != 2 || d.Metalayers[1].Value != "utm" {
		t.Errorf("JSON says %+v %+v", d.ChunkKinds, d)
	}
}

func TestInfoAndCatOfAPlainFrame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.b2frame")
	f, err := frame.Create(path, &frame.Options{TypeSize: 2, Level: chunk.Stored, Sparse: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"first chunk!", "second chunk", "third."} {
		if _, err := f.Append(t.Context(), []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := cairnOK(t, "cat", path); got != "first chunk!second chunkthird." {
		t.Errorf("cat gives %q", got)
	}
	text := cairnOK(t, "info", path)
	for _, want := range []string{"sparse frame", "item size      2 B", "chunk size     12 B", "3 stored", "metalayers     none"} {
		if !strings.Contains(text, want) {
			t.Errorf("info does not say %q:\n%s", want, text)
		}
	}
	wantFailure(t, cairnWith(t.Context(), nil, "cat", "-s", "1:2", path), "plain frame")
	wantFailure(t, cairnWith(t.Context(), nil, "export", path, "-"), "is a plain frame: a NumPy .npy file needs an array")
	wantFailure(t, cairnWith(t.Context(), nil, "info", filepath.Join(path, "none")), "none")
}

func TestInfoOfVeryManyChunksIsQuick(t *testing.T) {
	m, err := golden.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Find("many-zero-chunks.b2frame")
	if err != nil {
		t.Fatal(err)
	}
	if text := cairnOK(t, "info", c.Path()); !strings.Contains(text, "200000000 zeros") {
		t.Errorf("info says:\n%s", text)
	}
}

// TestJSONHasNoHiddenCharacters checks that characters which control a terminal or reverse text are
// escaped.
func TestJSONHasNoHiddenCharacters(t *testing.T) {
	array := filepath.Join(t.TempDir(), "a.b2nd")
	importBytes(t, npyFile(t, "<i4", false, 4), array)
	const hidden = "a\x7fb\u0085c\u202ed\u200be\U000e0001f\u00e9"
	value, err := json.Marshal(hidden)
	if err != nil {
		t.Fatal(err)
	}
	cairnOK(t, "meta", "set", array, "note", string(value))
	for _, args := range [][]string{{"info", "-json", array}, {"meta", "get", array, "note"}, {"info", array}, {"meta", "get", array}} {
		text := cairnOK(t, args...)
		if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 ||
			!strings.Contains(text, "é") {
			t.Errorf("%v prints %q", args, text)
		}
	}
	var got string
	if err := json.Unmarshal([]byte(cairnOK(t, "meta", "get", array, "note")), &got); err != nil || got != hidden {
		t.Errorf("%q, %v; want %q", got, err, hidden)
	}
}

// TestInfoOfSeveralPaths checks that one that cannot be described does not keep back the others.
func TestInfoOfSeveralPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.npy", "b.npy"} {
		if err := os.WriteFile(name, npyFile(t, "<i4", false, 4, 5), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, verb := range []string{"info", "stats"} {
		r := cairnWith(t.Context(), nil, verb, "a.npy", "none.raw", "b.npy")
		if r.code != exitFailed || !strings.HasPrefix(r.stdout, "a.npy\n") || !strings.Contains(r.stdout, "\n\nb.npy\n") ||
			r.stderr != "cairn: open none.raw: no such file or directory\n" {
			t.Errorf("%s: exit %d, %q, %q", verb, r.code, r.stdout, r.stderr)
		}
		var told []struct{ Path string }
		r = cairnWith(t.Context(), nil, verb, "-json", "a.npy", "b.npy")
		if err := json.Unmarshal([]byte(r.stdout), &told); err != nil || len(told) != 2 || told[1].Path != "b.npy" {
			t.Errorf("%s -json: %v, %q", verb, err, r.stdout)
		}
	}
}

// TestHeadersAreShort shows some of the numbers of an attribute with many, and texts whole.
func TestHeadersAreShort(t *testing.T) {
	numbers := strings.Repeat("1., ", 19999)
	header := fmt.Sprintf("\t\tt:big = %s2. ;\n\t\tt:small = 1, 2 ;\n\t\tt:history = \"%s\" ;\n", numbers, numbers)
	lines := strings.Split(shortHeader(header), "\n")
	if want := "\t\tt:big = " + strings.Repeat("1., ", 24) + "… ; // 20000 values"; lines[0] != want {
		t.Errorf("%.300s", lines[0])
	}
	if lines[1] != "\t\tt:small = 1, 2 ;" || len(lines[2]) < 4*19999 {
		t.Errorf("%.300s", strings.Join(lines[1:], "\n"))
	}
}

// TestAnEmptyFileIsNotRepaired: there is nothing that repair could save.
func TestAnEmptyFileIsNotRepaired(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.b2nd")
	writeFile(t, name, nil)
	for _, args := range [][]string{{"info", name}, {"info", "-"}, {"stats", name}, {"copy", name, name + ".b2nd"}} {
		r := cairnWith(t.Context(), strings.NewReader(""), args...)
		if r.code != exitFailed || !strings.Contains(r.stderr, "it is empty: 0 bytes") || strings.Contains(r.stderr, "repair") {
			t.Errorf("cairn %v: exit %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestInfoOfACutFile describes NetCDF files without their ends, of which the beginnings can be
// read.
func TestInfoOfACutFile(t *testing.T) {
	whole := readFile(t, "../../../netcdf/testdata/classic.nc")
	t.Chdir(t.TempDir())
	writeFile(t, "whole.nc", whole)
	writeFile(t, "cut.nc", whole[:len(whole)-200])
	const says = "truncated: the file has 1024 bytes, and its variables end at byte 1223"

	r := cairnWith(t.Context(), nil, "info", "cut.nc")
	if r.code != exitFailed || !strings.Contains(r.stdout, "fault") || !strings.Contains(r.stdout, "t2m") ||
		!strings.HasPrefix(r.stderr, "cairn: cut.nc: ") || !strings.Contains(r.stderr, says) {
		t.Errorf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}

	r = cairnWith(t.Context(), nil, "info", "-json", "cut.nc", "whole.nc")
	var told []described.Tree
	if err := json.Unmarshal([]byte(r.stdout), &told); err != nil || len(told) != 2 || r.code != exitFailed {
		t.Fatalf("exit %d, %v: %s", r.code, err, r.stdout)
	}
	if !strings.Contains(told[0].Fault, says) || told[1].Fault != "" {
		t.Errorf("the faults are %q and %q", told[0].Fault, told[1].Fault)
	}
}
