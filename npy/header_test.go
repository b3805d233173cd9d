package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// The texts are those of files that NumPy 2.4 wrote, without the padding.
var saved = []struct {
	text    string
	dtype   string
	fortran bool
	shape   []int64
	version byte
}{
	{"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "<f4", false, []int64{3}, 1},
	{"{'descr': '>i2', 'fortran_order': False, 'shape': (), }", ">i2", false, []int64{}, 1},
	{"{'descr': '<U5', 'fortran_order': False, 'shape': (0, 3), }", "<U5", false, []int64{0, 3}, 1},
	{"{'descr': '<c16', 'fortran_order': True, 'shape': (2, 3), }", "<c16", true, []int64{2, 3}, 1},
	{"{'descr': [('a', '<i4'), ('b', '<f8', (2,))], 'fortran_order': False, 'shape': (2,), }", "[('a', '<i4'), ('b', '<f8', (2,))]", false, []int64{2}, 1},
	{"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2,), }", "<M8[ns]", false, []int64{2}, 1},
	{"{'descr': '|V5', 'fortran_order': False, 'shape': (2,), }", "|V5", false, []int64{2}, 1},
	{"{'descr': [('é', '<i4')], 'fortran_order': False, 'shape': (1,), }", "[('é', '<i4')]", false, []int64{1}, 1},
	{"{'descr': [('漢', '<i4')], 'fortran_order': False, 'shape': (1,), }", "[('漢', '<i4')]", false, []int64{1}, 3},
	{"{'descr': [('n', [('x', '<i2'), ('y', '>f4')])], 'fortran_order': False, 'shape': (1,), }", "[('n', [('x', '<i2'), ('y', '>f4')])]", false, []int64{1}, 1},
}

// file returns a header around a text, as it is, in Latin-1 unless the version is 3.
func file(version byte, text string) []byte {
	body := []byte(text)
	if version < 3 {
		body = body[:0]
		for _, r := range text {
			body = append(body, byte(r))
		}
	}
	b := append([]byte(magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(body)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	}
	return append(b, body...)
}

func TestHeadersOfNumPyAreReadAndWrittenBackByteForByte(t *testing.T) {
	for _, c := range saved {
		h, n, err := readHeader(bytes.NewReader(append(file(c.version, c.text), "items"...)), maxHeaderLength)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		want, err := meta.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		if !h.DType.Equal(want) || h.Fortran != c.fortran || !slices.Equal(h.Shape, c.shape) || n != int64(len(file(c.version, c.text))) {
			t.Errorf("%s: read as %v, %v, %v, %d bytes", c.text, h.DType, h.Fortran, h.Shape, n)
		}
		got := h.Append(nil)
		if len(got)%64 != 0 || got[len(got)-1] != '\n' || got[6] != c.version {
			t.Errorf("%s: %d bytes of version %d, ending in %q", c.text, len(got), got[6], got[len(got)-1])
		}
		again := file(c.version, c.text)
		start := 10
		if c.version > 1 {
			start = 12
		}
		text := got[start:]
		if !bytes.HasPrefix(text, again[start:]) || strings.Trim(string(text[len(again)-start:]), " ") != "\n" {
			t.Errorf("written as %q, want %q", text, c.text)
		}
	}
}

func TestLongHeadersUseVersion2(t *testing.T) {
	var fields []string
	for i := range 4000 {
		fields = append(fields, "('field_"+strings.Repeat("x", 5)+string(rune('0'+i%10))+strings.Repeat("y", i/10)[:min(i/10, 60)]+"_"+strings.Repeat("z", i%7)+itoa(i)+"', '<f8')")
	}
	d, err := meta.ParseDType("[" + strings.Join(fields, ", ") + "]")
	if err != nil {
		t.Fatal(err)
	}
	h := Header{DType: d, Shape: []int64{5}}
	b := h.Append(nil)
	if b[6] != 2 || len(b)%64 != 0 {
		t.Fatalf("version %d, %d bytes", b[6], len(b))
	}
	got, n, err := readHeader(bytes.NewReader(b), maxHeaderLength)
	if err != nil || n != int64(len(b)) || !got.DType.Equal(d) {
		t.Fatalf("read back %d of %d bytes: %v", n, len(b), err)
	}
}

func itoa(i int) string { return strconv.Itoa(i) }

func TestOldAndLooseHeadersAreRead(t *testing.T) {
	for _, text := range []string{
		"{'shape': (3L, 4L), 'fortran_order': False, 'descr': '<f4'}",
		`{"descr": "<f4", "fortran_order": False, "shape": (3, 4)}`,
		"{ 'descr' : 'f4' ,\t'fortran_order' : False , 'shape' : ( 3 , 4 , ) }  \n",
	} {
		h, _, err := readHeader(bytes.NewReader(file(1, text)), maxHeaderLength)
		if err != nil || !slices.Equal(h.Shape, []int64{3, 4}) || h.DType.String() != "<f4" {
			t.Errorf("%s: %v %v %v", text, h.DType, h.Shape, err)
		}
	}
}

func TestBadHeaders(t *testing.T) {
	good := "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
	huge := file(2, good)
	binary.LittleEndian.PutUint32(huge[8:], 0xfffffff0)
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"empty", nil, cairn.ErrCorrupt},
		{"not npy", []byte("PK\x03\x04 and more"), cairn.ErrCorrupt},
		{"version 4", file(4, good), cairn.ErrUnsupported},
		{"version 0", file(0, good), cairn.ErrUnsupported},
		{"ends in the length", file(1, good)[:9], cairn.ErrCorrupt},
		{"ends in the text", file(1, good)[:40], cairn.ErrCorrupt},
		{"header of 4 GB", huge, cairn.ErrCorrupt},
		{"objects", file(1, strings.Replace(good, "<f4", "|O", 1)), cairn.ErrUnsupported},
		{"objects in a field", file(1, strings.Replace(good, "'<f4'", "[('a', '<i4'), ('b', '|O')]", 1)), cairn.ErrUnsupported},
		{"unknown type", file(1, strings.Replace(good, "<f4", "<q9", 1)), cairn.ErrCorrupt},
		{"sub-array", file(1, strings.Replace(good, "'<f4'", "('<f4', (2,))", 1)), cairn.ErrUnsupported},
		{"no shape", file(1, "{'descr': '<f4', 'fortran_order': False}"), cairn.ErrCorrupt},
		{"shape a number", file(1, strings.Replace(good, "(3,)", "3", 1)), cairn.ErrCorrupt},
		{"negative", file(1, strings.Replace(good, "(3,)", "(-3,)", 1)), cairn.ErrCorrupt},
		{"too large a number", file(1, strings.Replace(good, "(3,)", "(99999999999999999999,)", 1)), cairn.ErrCorrupt},
		{"too large a product", file(1, strings.Replace(good, "(3,)", "(4611686018427387904, 4)", 1)), cairn.ErrCorrupt},
		{"too many dimensions", file(1, strings.Replace(good, "(3,)", "("+strings.Repeat("1,", 65)+")", 1)), cairn.ErrCorrupt},
		{"order a number", file(1, strings.Replace(good, "False", "0", 1)), cairn.ErrCorrupt},
		{"key twice", file(1, "{'shape': (3,), "+good[1:]), cairn.ErrCorrupt},
		{"no dict", file(1, "[1, 2]"), cairn.ErrCorrupt},
		{"no end", file(1, good[:len(good)-1]), cairn.ErrCorrupt},
		{"text behind", file(1, good+" 5"), cairn.ErrCorrupt},
		{"string without end", file(1, "{'descr"), cairn.ErrCorrupt},
		{"no value", file(1, "{'descr': , 'shape': (3,)}"), cairn.ErrCorrupt},
	} {
		if _, _, err := readHeader(bytes.NewReader(c.file), maxHeaderLength); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

func FuzzHeader(f *testing.F) {
	for _, c := range saved {
		f.Add(file(c.version, c.text))
	}
	f.Add(file(2, "{'descr': [('a', '|V3', (2, 2)), ('', '|V3')], 'fortran_order': True, 'shape': (1L, 9223372036854775807L)}"))
	f.Add(file(3, "{'descr': {'names': ['a'], 'formats': ['<i4'], 'offsets': [4], 'itemsize': 16}, 'fortran_order': False, 'shape': ()}"))
	f.Add(file(1, strings.Repeat("(", 1000)))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, err := readHeader(bytes.NewReader(b), maxHeaderLength)
		if err != nil {
			return
		}
		if n > int64(len(b)) || h.size() < 0 {
			t.Fatalf("header of %d bytes in %d, items of %d", n, len(b), h.size())
		}
		again, _, err := readHeader(bytes.NewReader(h.Append(nil)), maxHeaderLength)
		if err != nil || again.Fortran != h.Fortran || !slices.Equal(again.Shape, h.Shape) || again.DType.Size() != h.DType.Size() {
			t.Fatalf("%v %v written and read back as %v %v: %v", h.DType, h.Shape, again.DType, again.Shape, err)
		}
	})
}
