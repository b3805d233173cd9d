// Package rows prints arrays row by row: as a grid for people, and as CSV or JSON for programs. It
// reads as many rows at a time as there is memory for, so that arrays may be of any size.
package rows

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/show/table"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// A Printer prints rows of an array. A row of a grid lies along the last dimension, unless there is
// only one, or the items are structures, whose fields are then the columns. Rows of CSV and JSON
// are items.
type Printer struct {
	W     io.Writer
	Array *coords.Array
	Name  string // of the values, or ""
	Lists bool   // items are texts of JSON

	Width    int // of the page
	Ellipsis string
	Color    table.Color

	EscapeJSON func(text string) string // escapes what would disturb a terminal
}

// A rowSpace numbers the rows of an array in C order.
type rowSpace struct {
	array *coords.Array
	dtype meta.DType
	size  int64
	shape ndarray.Shape // of the rows
	n     int64         // rows
	items int64         // in a row
	dims  int           // of the array
	names []*labels     // of all dimensions
}

// newRowSpace returns the rows of an array; all items are rows if whole is false.
func newRowSpace(a *coords.Array, whole bool) *rowSpace {
	shape := a.View.Shape()
	s := &rowSpace{array: a, dtype: a.View.DType(), size: int64(a.View.TypeSize()), shape: shape, n: 1, items: 1,
		dims: len(shape)}

	if s.dtype.Kind() == 0 {
		s.dtype = meta.DType{} // bytes
	}

	if whole && s.dims > 1 && len(s.dtype.Fields()) == 0 {
		s.shape = shape[:s.dims-1]
		s.items = shape[s.dims-1]
	}

	for _, extent := range s.shape {
		s.n *= extent
	}

	for _, axis := range a.Axes {
		s.names = append(s.names, &labels{axis: axis})
	}
	return s
}

// place returns the coordinates of a row.
func (s *rowSpace) place(row int64) []int64 {
	at := make([]int64, len(s.shape))
	if s.n == 0 {
		return at
	}

	for i := len(at) - 1; i >= 0; i-- {
		at[i] = row % s.shape[i]
		row /= s.shape[i]
	}
	return at
}

// labels are the texts of the places along a dimension, some of which are kept.
type labels struct {
	axis  *coords.Axis
	from  int64
	texts []string
}

// most is how many labels are made at a time.
const most = 1 << 14

// at returns the label of an index: its coordinate, or "" if there is none.
func (l *labels) at(ctx context.Context, i int64) (string, error) {
	if i < l.from || i >= l.from+int64(len(l.texts)) {
		if have, err := l.axis.HasCoordinates(ctx); !have || err != nil {
			return "", ctx.Err()
		}

		from := i / most * most
		texts, err := l.axis.Texts(ctx, from, min(from+most, l.axis.Len))
		if err != nil {
			return "", err
		}

		for k, text := range texts {
			texts[k] = clean(text)
		}

		l.from = from
		l.texts = texts
	}
	return l.texts[i-l.from], nil
}

// bracketed returns the label of an index, or the index in brackets.
func (l *labels) bracketed(ctx context.Context, i int64) (string, error) {
	text, err := l.at(ctx, i)
	if text == "" {
		text = fmt.Sprintf("[%d]", i)
	}
	return text, err
}

// clean removes what would disturb a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)
}
