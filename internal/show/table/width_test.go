package table

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "温度": 4, "기온": 4, "\u1100\u1161": 2, "ｱ": 1, "Ａ": 2, "🌡": 1, "🌧": 1, "🌀": 2,
		"−×…│█": 5, "\u200b": 0, "𠮷": 2, "\xff": 1,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// TestWideTable checks that the table is sorted and without overlaps, as package unicode wants.
func TestWideTable(t *testing.T) {
	last := rune(0)
	for _, r := range wide.R16 {
		if rune(r.Lo) <= last || r.Hi < r.Lo {
			t.Errorf("range %x", r)
		}
		last = rune(r.Hi)
	}
	for _, r := range wide.R32 {
		if rune(r.Lo) <= last || r.Hi < r.Lo {
			t.Errorf("range %x", r)
		}
		last = rune(r.Hi)
	}
}

// TestCutsFit cuts texts with wide characters to any width.
func TestCutsFit(t *testing.T) {
	const text = "a/温度e\u0301/기온-b.b2nd"
	for width := range Width(text) + 2 {
		for name, got := range map[string]string{"Cut": Cut(text, width), "cutPath": cutPath(text, width)} {
			if n := Width(got); n > width || n < width-2 && got != text || !utf8.ValidString(got) {
				t.Errorf("%s to %d: %q takes %d", name, width, got, n)
			}
		}
		if width == 0 {
			continue
		}
		lines := Wrap("温度 "+text, width)
		for _, line := range lines {
			if n := Width(line); n > max(2, width) {
				t.Errorf("Wrap to %d: %q takes %d", width, line, n)
			}
		}
		if got := strings.Join(lines, ""); strings.ReplaceAll(got, " ", "") != "温度"+text {
			t.Errorf("Wrap to %d has %q", width, got)
		}
	}
}

func TestWideCellsAlign(t *testing.T) {
	tab := New(Column{Name: "name"}, Column{Name: "n", Right: true})
	tab.Add("", "温度", "1")
	tab.Add("", "abc", "20")
	if got, want := tab.Text(40, false), "name   n\n温度   1\nabc   20\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
