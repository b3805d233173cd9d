package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A grid prints rows of items in columns as wide as their widest text so far. A mark replaces
// columns that do not fit in the width of the page.
type grid struct {
	w      io.Writer
	dtype  meta.DType
	size   int
	dims   int   // of the array
	items  int64 // in a row of the array
	most   int64 // items of a row that may fit, if each takes but one column
	width  int   // of the page
	more   string
	left   bool // texts begin in the same column; numbers end there
	widths []int
	plane  string // coordinates of the plane that was printed last
}

func newGrid(w io.Writer, u ndarray.Source, width int, more string) *grid {
	dtype := u.DType()
	if dtype.Kind() == 0 {
		dtype = meta.DType{} // bytes
	}
	g := &grid{w: w, dtype: dtype, size: u.DType().Size(), dims: len(u.Shape()), items: 1, width: width, more: more}
	if g.dims > 1 {
		g.items = u.Shape()[g.dims-1]
	}
	g.most = min(g.items, int64(width)/3+1)
	g.left = strings.IndexByte("SUV", dtype.Kind()) >= 0 || g.dims < 2
	return g
}

// rows prints some rows of a plane, which begin at the coordinates at.
func (g *grid) rows(at []int64, rows int64, data []byte) {
	labels, cells := make([]string, rows), make([][]string, rows)
	items := len(data) / g.size / int(rows)
	row := len(at) - 2
	for i := range cells {
		labels[i] = fmt.Sprint(append(at[:row:row], at[row]+int64(i))[:min(g.dims, row+1)])
		cells[i] = make([]string, items)
		for k := range cells[i] {
			cells[i][k] = oneLine(itemText(g.dtype, data[:g.size]))
			data = data[g.size:]
		}
	}
	g.fit(len(labels[len(labels)-1]), cells)
	if plane := fmt.Sprint(at[:row]); plane != g.plane {
		if g.plane != "" {
			fmt.Fprintln(g.w)
		}
		g.plane = plane
	}
	for i, label := range labels {
		fmt.Fprintln(g.w, g.line(label, cells[i]))
	}
}

// fit widens columns to their cells. The first rows determine the number of columns, at least one.
func (g *grid) fit(label int, cells [][]string) {
	if g.widths == nil {
		g.widths = make([]int, len(cells[0]))
		g.widen(cells)
		end := label
		for k, width := range g.widths {
			mark := 0
			if int64(k+1) < g.items {
				mark = 2 + utf8.RuneCountInString(g.more)
			}
			if end += 2 + width; end+mark > g.width && k > 0 {
				g.widths = g.widths[:k]
				break
			}
		}
	}
	g.widen(cells)
}

func (g *grid) widen(cells [][]string) {
	for _, row := range cells {
		for k := range g.widths {
			g.widths[k] = max(g.widths[k], utf8.RuneCountInString(row[k]))
		}
	}
}

func (g *grid) line(label string, cells []string) string {
	var b strings.Builder
	b.WriteString(label)
	for k, width := range g.widths {
		gap := strings.Repeat(" ", width-utf8.RuneCountInString(cells[k]))
		if g.left {
			b.WriteString("  " + cells[k] + gap)
		} else {
			b.WriteString("  " + gap + cells[k])
		}
	}
	if int64(len(g.widths)) < g.items {
		b.WriteString("  " + g.more)
	}
	return strings.TrimRight(b.String(), " ")
}
