package command

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/npy"
)

// npyFile returns an .npy file of compressible but irregular items.
func npyFile(t testing.TB, dtype string, fortran bool, shape ...int64) []byte {
	t.Helper()
	d, err := meta.ParseDType(dtype)
	if err != nil {
		t.Fatal(err)
	}
	h := npy.Header{DType: d, Fortran: fortran, Shape: shape}
	b := h.Append(nil)
	r := rand.New(rand.NewPCG(1, uint64(len(b))))
	n := d.Size()
	for _, extent := range shape {
		n *= int(extent)
	}
	for i := range n {
		b = append(b, byte(i/64)+byte(r.UintN(4)))
	}
	return b
}

// asC returns the same array in C order.
func asC(t testing.TB, file []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := npy.Write(t.Context(), &out, opened(t, file), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// opened opens an .npy file in memory.
func opened(t testing.TB, file []byte) *npy.Array {
	t.Helper()
	a, err := npy.OpenReader(bytes.NewReader(file), int64(len(file)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// importBytes imports an .npy file from memory to a path.
func importBytes(t testing.TB, file []byte, path string, flags ...string) {
	t.Helper()
	r := cairnWith(t.Context(), bytes.NewReader(file), append(append([]string{"import"}, flags...), "-", path)...)
	if r.code != 0 || r.stdout+r.stderr != "" {
		t.Fatalf("import %v: exit %d, %s%s", flags, r.code, r.stdout, r.stderr)
	}
}

func TestImportAndExportReturnTheSameFile(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		dtype string
		shape []int64
		flags string
	}{
		{"<f4", []int64{100, 100}, ""},
		{"<f4", []int64{100, 100}, "-chunks 32,17 -blocks 5,4"},
		{">f8", []int64{37, 41}, "-chunks 10,10 -blocks 4,4 -codec lz4"},
		{">i2", []int64{1000}, "-chunks 300 -blocks 70 -codec blosclz -level 9"},
		{"|u1", []int64{}, ""},
		{"<c16", []int64{}, "-codec zlib"},
		{"|b1", []int64{7}, "-filters none"},
		{"<i8", []int64{0}, ""},
		{"<i8", []int64{3, 0, 5}, ""},
		{"<U7", []int64{20, 3}, "-chunks 6,2 -blocks 3,2"},
		{"|S5", []int64{50}, "-filters bitshuffle"},
		{"<M8[ns]", []int64{64, 2}, "-filters delta,shuffle"},
		{"|V13", []int64{9, 9}, "-codec lz4hc"},
		{"[('a', '<i4'), ('b', '>f8', (2,)), ('c', '|S3')]", []int64{30, 4}, "-chunks 7,3 -blocks 2,2"},
		{"<f4", []int64{3, 4, 5, 6, 7}, "-chunks 2,2,2,2,2 -blocks 1,2,1,2,1"},
		{"<u2", []int64{64, 64}, "-level 0"},
		{"<u2", []int64{64, 64}, "-sparse -chunks 16,16 -blocks 8,8 -workers 3"},
		{"<f8", []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, ""},
		{"|u1", []int64{5, 5}, "-chunks 100,100 -blocks 10,10"},
		{"|V300", []int64{40}, "-chunks 11 -blocks 3"},
	} {
		for _, fortran := range []bool{false, true} {
			for _, from := range []string{"file", "stream"} {
				name := fmt.Sprintf("%d-%v-%s", i, fortran, from)
				file := npyFile(t, c.dtype, fortran, c.shape...)
				in, array, out := "-", filepath.Join(dir, name+".b2nd"), filepath.Join(dir, name+".npy")
				if from == "file" {
					in = filepath.Join(dir, name+".in.npy")
					writeFile(t, in, file)
				}
				args := append(append([]string{"import"}, strings.Fields(c.flags)...), in, array)
				if r := cairnWith(t.Context(), bytes.NewReader(file), args...); r.code != 0 || r.stderr != "" {
					t.Errorf("%s %s %v: exit %d, %s", name, c.dtype, c.shape, r.code, r.stderr)
					continue
				}
				want := asC(t, file)
				cairnOK(t, "export", array, out)
				if got := readFile(t, out); !bytes.Equal(got, want) {
					t.Errorf("%s %s %v: the exported file differs (%d bytes, want %d)", name, c.dtype, c.shape, len(got), len(want))
				}
				if got := cairnOK(t, "export", array, "-"); got != string(want) {
					t.Errorf("%s: export to standard output differs", name)
				}
				if got := cairnOK(t, "cat", array); !bytes.HasSuffix(want, []byte(got)) || len(got) != len(want)-headerLength(t, want) {
					t.Errorf("%s: cat differs (%d bytes)", name, len(got))
				}
				if got := cairnOK(t, "verify", array); !strings.Contains(got, array) {
					t.Errorf("%s: verify says %q", name, got)
				}
			}
		}
	}
}

func headerLength(t testing.TB, file []byte) int {
	t.Helper()
	return len(file) - int(described.Bytes(opened(t, file)))
}

func TestSelections(t *testing.T) {
	array := filepath.Join(t.TempDir(), "a.b2nd")
	file := npyFile(t, "<u2", false, 9, 8, 7)
	importBytes(t, file, array, "-chunks", "4,4,4", "-blocks", "2,2,2")
	items := file[headerLength(t, file):]
	for _, c := range []struct {
		selection string
		box       [3][2]int
		shape     []int64
	}{
		{"", [3][2]int{{0, 9}, {0, 8}, {0, 7}}, []int64{9, 8, 7}},
		{"2:7, :, 5", [3][2]int{{2, 7}, {0, 8}, {5, 6}}, []int64{5, 8}},
		{"-1", [3][2]int{{8, 9}, {0, 8}, {0, 7}}, []int64{8, 7}},
		{"..., 1:3", [3][2]int{{0, 9}, {0, 8}, {1, 3}}, []int64{9, 8, 2}},
		{"[3, -4:5, 0]", [3][2]int{{3, 4}, {4, 5}, {0, 1}}, []int64{1}},
		{"5:5", [3][2]int{{5, 5}, {0, 8}, {0, 7}}, []int64{0, 8, 7}},
		{"3, -4, 0", [3][2]int{{3, 4}, {4, 5}, {0, 1}}, []int64{}},
		{":, 6:100", [3][2]int{{0, 9}, {6, 8}, {0, 7}}, []int64{9, 2, 7}},
	} {
		var want []byte
		for i := c.box[0][0]; i < c.box[0][1]; i++ {
			for j := c.box[1][0]; j < c.box[1][1]; j++ {
				at := (i*8 + j) * 7
				want = append(want, items[2*(at+c.box[2][0]):2*(at+c.box[2][1])]...)
			}
		}
		if got := cairnOK(t, "cat", "-s", c.selection, array); got != string(want) {
			t.Errorf("cat -s %q: %d bytes differ from %d", c.selection, len(got), len(want))
		}
		got := []byte(cairnOK(t, "export", array, "-", "-s", c.selection))
		if shape := opened(t, got).Shape(); !slices.Equal(shape, c.shape) ||
			!bytes.Equal(got[headerLength(t, got):], want) {
			t.Errorf("export -s %q: shape %v", c.selection, shape)
		}
	}
	reversed := cairnOK(t, "cat", "-s", "::-1, None, ::-1, ::-1", array)
	for k := 0; k < len(items); k += 2 {
		if reversed[k:k+2] != string(items[len(items)-2-k:len(items)-k]) {
			t.Fatalf("item %d of the reversed array is wrong", k/2)
		}
	}
	got := []byte(cairnOK(t, "export", array, "-", "-s", "[8, 0], ::3, -1:"))
	want := []byte{}
	for _, at := range []int{8*56 + 6, 8*56 + 3*7 + 6, 8*56 + 6*7 + 6, 6, 3*7 + 6, 6*7 + 6} {
		want = append(want, items[2*at:2*at+2]...)
	}
	if shape := opened(t, got).Shape(); !slices.Equal(shape, []int64{2, 3, 1}) ||
		!bytes.Equal(got[headerLength(t, got):], want) {
		t.Errorf("export of a list: shape %v", shape)
	}
	for _, selection := range []string{"9", "0,0,0,0", "...,...", "[9]"} {
		wantFailure(t, cairnWith(t.Context(), nil, "cat", "-s", selection, array), "out of bounds")
	}
}

func writeFile(t testing.TB, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
