package table_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/show/table"
)

func ExampleTable() {
	t := table.New(table.Column{Name: "file"}, table.Column{Name: "ratio", Right: true},
		table.Column{Name: "note"})
	t.Add("", "temperature.b2nd", "2.5", "sound")
	t.Add(table.Red, "wind.b2nd", "11.25", "damaged at chunk 7")
	fmt.Print(t.Text(80, false))
	fmt.Print(t.Text(32, false))
	fmt.Print(t.Text(20, false))
	// Output:
	// file              ratio  note
	// temperature.b2nd    2.5  sound
	// wind.b2nd         11.25  damaged at chunk 7
	// file         ratio  note
	// temperatur…    2.5  sound
	// wind.b2nd    11.25  damaged at …
	// file        ratio  …
	// temperatu…    2.5
	// wind.b2nd   11.25
}

// TestTextFits checks that no line exceeds the width, unless the first column alone does.
func TestTextFits(t *testing.T) {
	columns := []table.Column{{Name: "a long name of a column"}, {Name: "n", Right: true}, {Name: "bytes", Right: true},
		{Name: "more"}}
	made := table.New(columns...)
	made.Add("", strings.Repeat("×", 30), "123456789", "1", strings.Repeat("z", 70))
	made.Add(table.Bold, "", "", "", "")
	for width := 8; width < 160; width++ {
		for line := range strings.Lines(made.Text(width, false)) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: %d characters in %q", width, n, line)
			}
		}
	}
}

func TestPaint(t *testing.T) {
	for _, c := range []struct {
		color table.Color
		style table.Style
		text  string
		want  string
	}{
		{true, table.Red, "x", "\x1b[31mx\x1b[0m"},
		{false, table.Red, "x", "x"},
		{true, "", "x", "x"},
		{true, table.Bold, "", ""},
	} {
		if got := c.color.Paint(c.style, c.text); got != c.want {
			t.Errorf("Paint(%q, %q) is %q", c.style, c.text, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 2, "ä…"}, {"abc", 0, ""}, {"", 0, ""}} {
		if got := table.Cut(c.text, c.width); got != c.want {
			t.Errorf("Cut(%q, %d) is %q", c.text, c.width, got)
		}
	}
}

func ExampleList() {
	var l table.List
	l.Add("", "shape", "4 × 3")
	l.Add("", "units", "degrees of Celsius, or of Kelvin")
	fmt.Print(l.Text(28, false))
	// Output:
	//   shape  4 × 3
	//   units  degrees of Celsius,
	//          or of Kelvin
}

// TestWrap checks that lines fit, and that they have all the words.
func TestWrap(t *testing.T) {
	const text = "one × three, a/very/long/path/to/a/file and more of it"
	for width := 1; width < 70; width++ {
		lines := table.Wrap(text, width)
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > width || n == 0 {
				t.Errorf("width %d: %q", width, line)
			}
		}
		if width > 30 && strings.Join(lines, " ") != text {
			t.Errorf("width %d: %q", width, lines)
		}
	}
	if lines := table.Wrap(text, 0); len(lines) != 1 || lines[0] != text {
		t.Errorf("without a width: %q", lines)
	}
}

func TestPathsKeepTheirEnds(t *testing.T) {
	made := table.New(table.Column{Name: "path", Path: true})
	made.Add("", "a/long/way/to/store.zarr::temperature")
	const want = "path\na/long/…:temperature\n"
	if got := made.Text(20, false); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEmptyColumnsTakeNoRoom(t *testing.T) {
	made := table.New(table.Column{}, table.Column{}, table.Column{Right: true})
	made.Add("", "a", "", "1")
	made.Add("", "bc", "", "23")
	if got := made.Text(6, false); got != "a    1\nbc  23\n" {
		t.Errorf("%q", got)
	}
}

func TestSpans(t *testing.T) {
	made := table.New(table.Column{}, table.Column{Right: true})
	made.Span(table.Bold, "a line across all columns")
	made.Add("", "b", "1")
	if got := made.Text(18, false); got != "a line across all\n  columns\nb  1\n" {
		t.Errorf("%q", got)
	}
	if got := made.Text(0, false); got != "a line across all columns\nb  1\n" {
		t.Errorf("%q", got)
	}
}

// TestStackedTables checks that a table whose columns do not fit shows all cells below each other.
func TestStackedTables(t *testing.T) {
	rows := table.New(table.Column{Keep: true}, table.Column{Name: "temperature.b2nd"}, table.Column{Name: "b"}, table.Column{Name: "by"})
	rows.Add("", "largest [44 122 308]", "40.109375", "41.109375", "1")
	rows.Add("", "units", "degrees of Celsius", "K", "")
	const wide = `                      temperature.b2nd    b          by
largest [44 122 308]  40.109375           41.109375  1
units                 degrees of Celsius  K
`
	const narrow = `largest [44 122 308]
  temperat…  40.109375
  b          41.109375
  by         1
units
  temperat…  degrees of
             Celsius
  b          K
`
	for width, want := range map[int]string{0: wide, 80: wide, 26: narrow} {
		if got := rows.Stacked(width, false); got != want {
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
	for width := 1; width < 90; width++ {
		for line := range strings.Lines(rows.Stacked(width, false)) {
			if n := utf8.RuneCountInString(line) - 1; n > max(width, 22) {
				t.Errorf("%d columns: a line of %d: %q", width, n, line)
			}
		}
	}
}

// TestSpareColumns checks that columns that can be spared are cut, and then left out, before others
// are cut.
func TestSpareColumns(t *testing.T) {
	made := table.New(table.Column{Path: true}, table.Column{Spare: true}, table.Column{})
	made.Add("", "a.b2nd", "array of 4 × 5 <f4 in 2 chunks", "all checksums match")
	for width, want := range map[int]string{
		60: "a.b2nd  array of 4 × 5 <f4 in 2 chunks  all checksums match\n",
		50: "a.b2nd  array of 4 × 5 <f4 i…  all checksums match\n",
		40: "a.b2nd  all checksums match\n",
		20: "a.b2nd  all checksu…\n",
	} {
		if got := made.Text(width, false); got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
	}
}

// TestHang checks that lines go on below their beginning, with the spaces within them.
func TestHang(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"  lost chunk 0, items 0:384, 0:33", 26, "  lost chunk 0, items|    0:384, 0:33"},
		{"vl     units (5 bytes): and so on", 24, "vl     units (5|  bytes): and so on"},
		{"short", 40, "short"}, {"of any   length", 0, "of any   length"},
	} {
		if got := strings.Join(table.Hang(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
