package delimited

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

func open(t *testing.T, text string, o Options) *Table {
	t.Helper()
	table, err := Open(t.Context(), strings.NewReader(text), int64(len(text)), &o)
	if err != nil {
		t.Fatalf("%.80q: %v", text, err)
	}
	return table
}

func items(src ndarray.Source) ([]byte, error) {
	shape := src.Shape()
	size := src.DType().Size()
	for _, n := range shape {
		size *= int(n)
	}
	b := make([]byte, size)
	return b, src.ReadBytes(context.Background(), b, make([]int64, len(shape)), shape)
}

// TestGuesses reads tables whose dtypes are guessed.
func TestGuesses(t *testing.T) {
	for text, want := range map[string]string{
		"a,b,c\n1,2.5,x\n-2,,yz\n":                          "a <i8, b <f8, c <U2",
		"a;b\n1,5;true\n2;FALSE\n":                          "a <U3, b |b1",
		"a\tb\n2020-01-01\t2020-01-01 10:00\n\t\n":          "a <M8[D], b <M8[s]",
		"a,b\n2020-01-01T00:00:00.25Z,NaT\n,2020-01-01\n":   "a <M8[ms], b <M8[D]",
		"a\n2020-01-01T00:00:00.123456+02:00\n2020-01-01":   "a <M8[us]",
		"a\n2020-01-01T00:00:00.123456789\n":                "a <M8[ns]",
		"a,a,,a_1\n1,NA,true,-inf\n9007199254740993,2,,1\n": "a <i8, a_1 <f8, f2 <U4, a_1_1 <f8",
		"a\n9007199254740993\nNA\n":                         "a <U16",
		"\ufeffa/b|.\r\nü|\"x\ny\"\r\n":                     "a/b <U1, . <U3",
		"a,b\n":                                             "a <f8, b <f8",
		"1,2\n3,4\n":                                        "matrix <i8",
		"1,2\n3,.5\n":                                       "matrix <f8",
		"1\n2\n":                                            "matrix <i8",
		"1,x\n2,y\n":                                        "f0 <i8, f1 <U1",
	} {
		table := open(t, text, Options{})
		var all []string
		for i, d := range table.DTypes {
			all = append(all, table.Names[i]+" "+d.String())
		}
		if table.Matrix {
			all = []string{"matrix " + table.DTypes[0].String()}
		}
		if got := strings.ReplaceAll(strings.Join(all, ", "), "'", ""); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestItems reads records from the middle of a table, with all kinds of dtypes.
func TestItems(t *testing.T) {
	var text strings.Builder
	text.WriteString("i,f,b,t,s,u\n")
	for i := range 3 * markEvery {
		fmt.Fprintf(&text, "%d, %d.5 ,%v,1969-12-%02dT23:00:00,\"s\n%d\",ü%d\n", -i, i, i%2 == 0, 1+i%31, i%10, i%7)
	}
	var given []Given
	for name, d := range map[string]string{"i": ">i2", "f": "<f4", "t": "<M8[h]", "s": "S4", "u": ">U3"} {
		dtype, err := meta.ParseDType(d)
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, Given{name, dtype})
	}
	src, err := open(t, text.String(), Options{DTypes: given}).Records()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []int64{0, 1, markEvery - 2, markEvery - 1, markEvery, 2*markEvery + 1, 3*markEvery - 1} {
		var want []byte
		want = binary.BigEndian.AppendUint16(want, uint16(-row))
		want = binary.LittleEndian.AppendUint32(want, math.Float32bits(float32(row)+.5))
		want = append(want, byte(1-row%2))
		want = binary.LittleEndian.AppendUint64(want, uint64(23-24*(31-row%31)))
		want = append(want, fmt.Sprintf("s\n%d\x00", row%10)...)
		for _, c := range []rune{'ü', rune('0' + row%7), 0} {
			want = binary.BigEndian.AppendUint32(want, uint32(c))
		}
		got := make([]byte, len(want))
		if err := src.ReadBytes(t.Context(), got, []int64{row}, []int64{row + 1}); err != nil || !slices.Equal(got, want) {
			t.Errorf("row %d: %v\n%s, want\n%s", row, err, hex.Dump(got), hex.Dump(want))
		}
	}
}

// TestColumns reads columns, and a part of a matrix.
func TestColumns(t *testing.T) {
	table := open(t, "a/b,c\n1,2\n3,NA\n", Options{Columns: true})
	src, err := table.Column("/a_b")
	if err != nil {
		t.Fatal(err)
	}
	b, err := items(src)
	if err != nil || hex.EncodeToString(b) != "01000000000000000300000000000000" {
		t.Errorf("%x: %v", b, err)
	}
	if _, err := table.Column("x"); !errors.Is(err, cairn.ErrNotFound) {
		t.Error(err)
	}

	m, err := open(t, "1,2,3\n4,5,6\n", Options{}).Records()
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 16)
	err = m.ReadBytes(t.Context(), part, []int64{1, 1}, []int64{2, 3})
	if err != nil || part[0] != 5 || part[8] != 6 || !slices.Equal(m.Shape(), ndarray.Shape{2, 3}) {
		t.Errorf("%x: %v", part, err)
	}
}

// TestRefusals reads what is no table, and entries that do not fit.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("a\n", 2*markEvery)
	for _, c := range []struct {
		text, name, dtype, want string
		kind                    error
	}{
		{"", "", "", "without rows", cairn.ErrNotFound},
		{"a,b\n1,2\n\n3\n", "", "", "line 4 has 1 entries, where the first row has 2", cairn.ErrCorrupt},
		{"a,b\n1,\"2\n", "", "", "line 2", cairn.ErrCorrupt},
		{"a\x00b\x00", "", "", "UTF-16", cairn.ErrUnsupported},
		{strings.Repeat(",", maxColumns+1), "", "", "columns", cairn.ErrLimit},
		{"a\n\"" + strings.Repeat("x\n", maxRecord/2+8192), "", "", "a quote without an end", cairn.ErrLimit},
		{"a\n" + strings.Repeat("x", maxText+1), "", "", "characters", cairn.ErrLimit},
		{"a,b\n1,2\n", "c", "i4", `no column "c", but ["a" "b"]`, cairn.ErrNotFound},
		{"a,b\n1,2\n", "a", "c8", "bools, integers", cairn.ErrUnsupported},
		{"a\n1\nx\n", "a", "i4", `line 3, column "a": "x" is no <i4; -dtype a=U1 takes it`, cairn.ErrUnsupported},
		{"a\n1\n300\n", "a", "u1", `"300" is no |u1; -dtype a=f8 takes it`, cairn.ErrUnsupported},
		{"a,b\n1,2\n,2\n", "a", "i4", `"" is missing, for which <i4 has no item; -dtype a=f8`, cairn.ErrUnsupported},
		{"a\n1\n300\n", "a", "S2", `has 3 bytes, more than |S2; -dtype a=S3`, cairn.ErrUnsupported},
		{"a\nüüü\n", "a", "U2", `has 3 characters, more than <U2; -dtype a=U3`, cairn.ErrUnsupported},
		{"a\n2020-01-01T12:30\n", "a", "M8[h]", "is between two times of <M8[h]", cairn.ErrUnsupported},
		{"a\n9999-01-01\n", "a", "M8[ns]", "is out of the range", cairn.ErrUnsupported},
		{"a\n" + long + "\n" + long, "a", "f8", `line 2, column "a"`, cairn.ErrUnsupported},
		{"a\n" + strings.ReplaceAll(long, "a", "1") + "\nx", "a", "f8", fmt.Sprintf("line %d, ", 2*markEvery+3), cairn.ErrUnsupported},
	} {
		var o Options
		if c.dtype != "" {
			d, err := meta.ParseDType(c.dtype)
			if err != nil {
				t.Fatal(err)
			}
			o.DTypes = []Given{{c.name, d}}
		}
		table, err := Open(t.Context(), strings.NewReader(c.text), int64(len(c.text)), &o)
		if err == nil {
			var src ndarray.Source
			if src, err = table.Records(); err == nil {
				_, err = items(src)
			}
		}
		if !errors.Is(err, c.kind) || !strings.Contains(strings.ReplaceAll(err.Error(), "'", ""), c.want) {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzTable opens texts as tables, and reads what dtypes were guessed for: everything must fit.
func FuzzTable(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a;b\n2020-01-01;\n", "x\ty\n\"q\n\"\ttrue\n", "1,2\n3,4.5e300\n", "\ufeffa|b\n-inf|NA\n"} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, columns bool) {
		table, err := Open(t.Context(), strings.NewReader(text), int64(len(text)), &Options{Columns: columns})
		if err != nil {
			for _, kind := range []error{cairn.ErrCorrupt, cairn.ErrLimit, cairn.ErrNotFound, cairn.ErrUnsupported} {
				if errors.Is(err, kind) {
					return
				}
			}
			t.Fatal(err)
		}
		if table.Rows*int64(table.recordSize()) > 1<<22 {
			return
		}
		src, err := table.Records()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := items(src); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(err.Error(), "out of the range") {
			t.Fatal(err)
		}
	})
}
