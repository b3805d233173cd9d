package cells

import (
	"bytes"
	"image/color"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/show/chart"
)

func show(t *testing.T, c *chart.Chart, s Screen) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, c, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func colours(t *testing.T) *chart.Colours {
	t.Helper()
	c, ok := chart.ColoursNamed("grey")
	if !ok {
		t.Fatal("no grey")
	}
	return c
}

func field(t *testing.T) *chart.Chart {
	f := &chart.Field{Rows: 4, Columns: 8, Values: make([]float64, 32)}
	for i := range f.Values {
		f.Values[i] = float64(i % 8)
	}
	f.Values[7] = math.NaN()
	return &chart.Chart{
		Title: "Title", Subtitle: "Below", Scale: &chart.Scale{Axis: chart.Axis{High: 7, Label: "K"},
			Colours: colours(t)},
		Panels: []chart.Panel{{X: chart.Axis{Low: -0.5, High: 7.5, Label: "x"}, Y: chart.Axis{Low: 3.5,
			High: -0.5}, Field: f}},
	}
}

func TestFieldInCharacters(t *testing.T) {
	got := show(t, field(t), Screen{Width: 22, Height: 12, ASCII: true})
	const want = `Title
Below
0   ..::==++##%%//
    ..::==++##%%@@
2   ..::==++##%%@@
    ..::==++##%%@@
   0   2   4   6
         x
0  .:-+*#%@ 7 K  / NaN
`
	if got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(got, "\x1b") || len(got) != utf8.RuneCountInString(got) {
		t.Errorf("escapes, or other characters than ASCII, in\n%q", got)
	}
}

func TestFieldInColours(t *testing.T) {
	for depth, want := range map[Depth]string{TrueColor: "\x1b[38;2;", Palette: "\x1b[38;5;"} {
		got := show(t, field(t), Screen{Width: 40, Height: 16, Depth: depth})
		if !strings.Contains(got, want) || !strings.Contains(got, "▀") {
			t.Errorf("depth %d:\n%q", depth, got)
		}
		for line := range strings.Lines(got) {
			if at := strings.LastIndex(line, "\x1b"); at >= 0 && !strings.HasPrefix(line[at:], "\x1b[0m") {
				t.Errorf("a line leaves its colours set: %q", line)
			}
		}
	}
}

// TestFitsTheScreen draws charts on screens of many sizes.
func TestFitsTheScreen(t *testing.T) {
	line := chart.Line{Name: "a long name of a line, longer than a screen", X: []float64{0, 1, 2, 3, 4},
		Y: []float64{1, math.NaN(), 3, math.Inf(1), -5}, Lows: []float64{0, 0, 1, 1, 1}, Highs: []float64{3,
			3, 3, 3, 1e300}}
	for _, width := range []int{1, 20, 40, 80, 200} {
		for _, height := range []int{1, 8, 24, 60} {
			many := field(t)
			for range 5 {
				many.Panels = append(many.Panels, many.Panels[0])
			}
			many.Columns = 3
			for _, c := range []*chart.Chart{
				field(t), many,
				{Title: "Lines", Panels: []chart.Panel{{X: chart.Axis{High: 4}, Y: chart.Axis{High: 3,
					Label: "K"}, Lines: []chart.Line{line, line}}}},
				{Panels: []chart.Panel{{X: chart.Axis{High: 4}, Y: chart.Axis{High: 3},
					Bars: &chart.Bars{Counts: []float64{0, 1, 2, 9}}}}},
				{},
			} {
				for _, s := range []Screen{{Depth: TrueColor}, {ASCII: true}, {}} {
					s.Width, s.Height = width, height
					for text := range strings.Lines(plainText(show(t, c, s))) {
						if n := utf8.RuneCountInString(text) - 1; n > max(width, leastWidth) {
							t.Fatalf("%d columns on a screen of %d: %q", n, width, text)
						}
					}
				}
			}
		}
	}
}

// plainText removes escape sequences.
func plainText(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(s, "\x1b[") {
		if b.Len() == 0 && !strings.HasPrefix(s, "\x1b[") {
			b.WriteString(part)
			continue
		}
		_, text, _ := strings.Cut(part, "m")
		b.WriteString(text)
	}
	return b.String()
}

func TestLinesAndBars(t *testing.T) {
	up := chart.Line{X: []float64{0, 1}, Y: []float64{0, 1}}
	c := &chart.Chart{Panels: []chart.Panel{{X: chart.Axis{High: 1}, Y: chart.Axis{High: 1}, Lines: []chart.Line{up}}}}
	lines := strings.Split(show(t, c, Screen{Width: 20, Height: 10}), "\n")
	if first, last := []rune(lines[0]),
		lines[len(lines)-4]; first[len(first)-1] < braille || !strings.ContainsRune(last,
		'⣀') && !strings.ContainsRune(last, '⡠') {
		t.Errorf("a rising line is\n%s", strings.Join(lines, "\n"))
	}
	c.Panels[0].Lines, c.Panels[0].Bars = nil, &chart.Bars{Counts: []float64{1, 0.5, 0}}
	if got := show(t, c, Screen{Width: 20, Height: 10}); !strings.Contains(got, "█") {
		t.Errorf("bars are\n%s", got)
	}
}

func TestNearest256(t *testing.T) {
	for c, want := range map[color.RGBA]int{
		{0, 0, 0, 255}: 16, {255, 255, 255, 255}: 231, {255, 0, 0, 255}: 196, {128, 128, 128, 255}: 244,
		{95, 135, 175, 255}: 67,
	} {
		if got := nearest256(c); got != want {
			t.Errorf("%v is %d, want %d", c, got, want)
		}
	}
}

func TestKitty(t *testing.T) {
	var out bytes.Buffer
	small := field(t)
	small.Width, small.Height = 900, 700
	if err := WriteKitty(&out, small.Draw(), 60); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if !strings.HasPrefix(got, "\x1b_Gf=100,a=T,q=2,c=60,m=1;iVBOR") || !strings.HasSuffix(got,
		"\x1b\\") || strings.Count(got, "m=0;") != 1 {
		t.Errorf("a picture is sent as %.80q", got)
	}
}
