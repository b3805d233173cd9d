package cells

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"strings"

	"github.com/cairn-go/cairn/internal/show/table"
)

// A cell is a character with its colours. Colours without opacity are those of the terminal.
type cell struct {
	r      rune // 0 is a space
	fg, bg color.RGBA
	bold   bool
}

// A canvas is a rectangle of cells.
type canvas struct {
	width, height int
	cells         []cell
}

// at returns a cell, or one that is not shown.
func (c *canvas) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= c.width || y >= c.height {
		return new(cell)
	}
	return &c.cells[y*c.width+x]
}

// text writes a text from x to the right, as far as there is room before the column end.
func (c *canvas) text(x, y, end int, s string, bold bool) {
	if room := end - x; room > 1 {
		s = table.Cut(s, room)
	} else {
		s = table.Head(s, max(0, room))
	}

	for _, r := range s {
		n := table.RuneWidth(r)
		for i := range n {
			*c.at(x+i, y) = cell{r: covered, bold: bold}
		}
		if n > 0 { // a cell holds no marks that combine with its character
			c.at(x, y).r = r
		}
		x += n
	}
}

// covered stands in the cell to the right of a wide character.
const covered rune = -1

// free reports whether a row is empty from a column up to another.
func (c *canvas) free(x, y, end int) bool {
	for ; x < end; x++ {
		if c.at(x, y).r != 0 {
			return false
		}
	}
	return true
}

// write prints the canvas. Lines end with their last character, and with the colours of the
// terminal.
func (c *canvas) write(w io.Writer, s Screen) error {
	var out bytes.Buffer
	for y := range c.height {
		row := c.cells[y*c.width:][:c.width]
		for len(row) > 0 && row[len(row)-1] == (cell{}) {
			row = row[:len(row)-1]
		}

		var now cell // the colours that are set
		for _, next := range row {
			if next.r == 0 {
				next.r = ' '
			}
			s.change(&out, now, next)
			now = next
			switch {
			case s.ASCII:
				out.WriteString(plain(next.r))
			case next.r != covered:
				out.WriteRune(next.r)
			}
		}
		s.change(&out, now, cell{})
		out.WriteByte('\n')
	}

	_, err := w.Write(out.Bytes())
	return err
}

// plain returns an ASCII character for one that is not.
func plain(r rune) string {
	const from, to = "−×…°µ│┤└─┬╴█", "-x~ou||+-++#"
	if r >= 0 && r < 128 {
		return string(r)
	}
	for i, other := range []rune(from) {
		if r == other {
			return to[i : i+1]
		}
	}
	return "?"
}

// change writes the escape sequence from one cell's colours to those of another.
func (s Screen) change(out *bytes.Buffer, from, to cell) {
	if s.Depth == NoColor || from.fg == to.fg && from.bg == to.bg && from.bold == to.bold {
		return
	}

	var codes []string
	if from.bold && !to.bold || from.fg.A > 0 && to.fg.A == 0 || from.bg.A > 0 && to.bg.A == 0 {
		codes, from = append(codes, "0"), cell{}
	}

	if to.bold && !from.bold {
		codes = append(codes, "1")
	}
	if to.fg != from.fg {
		codes = append(codes, s.code(3, to.fg))
	}
	if to.bg != from.bg {
		codes = append(codes, s.code(4, to.bg))
	}
	if len(codes) > 0 {
		fmt.Fprintf(out, "\x1b[%sm", strings.Join(codes, ";"))
	}
}

// code returns the parameters that set the foreground (3) or background (4).
func (s Screen) code(ground int, c color.RGBA) string {
	if s.Depth == TrueColor {
		return fmt.Sprintf("%d8;2;%d;%d;%d", ground, c.R, c.G, c.B)
	}
	return fmt.Sprintf("%d8;5;%d", ground, nearest256(c))
}

// nearest256 returns the colour of the usual palette that is nearest: of the cube with 6 levels per
// channel, or of the 24 greys.
func nearest256(c color.RGBA) int {
	levels := []int{0, 95, 135, 175, 215, 255}
	index := func(v uint8) (best int) {
		for i, level := range levels {
			if apart(int(v), level) < apart(int(v), levels[best]) {
				best = i
			}
		}
		return best
	}

	r := index(c.R)
	g := index(c.G)
	b := index(c.B)

	grey := min(23, max(0, (int(c.R)+int(c.G)+int(c.B))/3-3)/10)
	level := 8 + 10*grey
	distance := func(r, g, b int) int { return apart(int(c.R), r) + apart(int(c.G), g) + apart(int(c.B), b) }

	if distance(level, level, level) < distance(levels[r], levels[g], levels[b]) {
		return 232 + grey
	}
	return 16 + 36*r + 6*g + b
}

// apart returns the square of a difference.
func apart(a, b int) int { return (a - b) * (a - b) }
