package command

import (
	"context"
	"flag"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/internal/cf/coords"
	"github.com/cairn-go/cairn/internal/delimited"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/show/rows"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// tableFlags are the flags that describe a table of text.
type tableFlags struct {
	is, columns                bool
	delimiter, header, missing string
}

func (f *tableFlags) declare(set *flag.FlagSet) {
	set.BoolVar(&f.is, "csv", false, "IN is a table of text, whatever its name")
	set.BoolVar(&f.columns, "columns", false, "of a table, store an array per column instead of records")
	set.StringVar(&f.delimiter, "delimiter", "", "`CHARACTER` between the entries of a table, such as ';' or tab; guessed by default")
	set.StringVar(&f.header, "header", "", "whether the first row of a table has names: `yes|no`; guessed by default")
	set.StringVar(&f.missing, "missing", "", "`WORDS` that stand for nothing in a table, besides empty entries, "+
		"such as NA,-999; NA, NaN, null and the like by default")
}

// items has tables be read as the flags say, and returns what these say of raw items, or nil.
func (f *tableFlags) items(std *streams, r *rawFlags, from place.Place) (*npy.Header, error) {
	o, err := f.options(r, from)
	if err != nil {
		return nil, err
	}
	std.at.Table = o
	return r.header()
}

// options returns what the flags say of a table, or nil if they say nothing. -dtype is of a table
// if that has the name of one and there is no -shape.
func (f *tableFlags) options(r *rawFlags, from place.Place) (*delimited.Options, error) {
	row, _ := formats.Of(formats.Extension(from.Name))
	given := f.is || f.columns || f.delimiter != "" || f.header != "" || f.missing != ""
	if !given && (r.dtype == "" || r.shape != "" || r.fortran || row.Name != "csv") {
		return nil, nil
	}
	if r.shape != "" || r.fortran {
		return nil, usagef("-shape and -fortran are for raw items, and a table of text has its own shape")
	}

	o := &delimited.Options{Columns: f.columns}
	switch f.header {
	case "":
	case "yes":
		o.Header = delimited.WithHeader
	case "no":
		o.Header = delimited.WithoutHeader
	default:
		return nil, usagef("-header is yes or no, not %q", f.header)
	}
	switch {
	case f.delimiter == "tab":
		o.Delimiter = '\t'
	case f.delimiter != "":
		c, n := utf8.DecodeRuneInString(f.delimiter)
		if n != len(f.delimiter) {
			return nil, usagef("-delimiter is one character or tab, not %q", f.delimiter)
		}
		o.Delimiter = c
	}
	if f.missing != "" {
		o.Missing = strings.Split(f.missing, ",")
	}

	var err error
	o.DTypes, err = parseColumns(r.dtype)
	r.dtype = "" // it is not of raw items
	return o, err
}

// A tabled is a file of which a table of text is made.
type tabled struct {
	std    *streams
	opened *operand.Opened
	chosen coords.Selection
	take   valueFlags
}

// columns returns the arrays that become columns: all of a file if they lie along one dimension, or
// else the only one that is meant, behind its coordinates if it has one dimension.
func (t *tabled) columns(ctx context.Context) ([]rows.Column, error) {
	several, err := t.opened.Several(ctx)
	if err != nil {
		return nil, err
	}
	if several != nil && len(several.Objects) == 0 {
		if columns, err := t.together(ctx, several); columns != nil || err != nil {
			return columns, err
		}
	}

	src, err := t.opened.Array(ctx)
	if err == nil && src == nil {
		err = plainFrame(t.opened.Place, "export to a table")
	}
	if err != nil {
		return nil, err
	}
	part, err := t.part(ctx, src, t.opened.Sibling)
	if err != nil {
		return nil, err
	}

	columns := []rows.Column{{Name: path.Base("/" + t.opened.Own()), Array: part}}
	if columns[0].Name == "/" {
		columns[0].Name = "value"
	}
	if len(part.Axes) != 1 || part.Axes[0].Name == columns[0].Name {
		return columns, nil
	}
	along, err := t.opened.Sibling(ctx, part.Axes[0].Name)
	if along == nil || err != nil || len(along.Shape()) != 1 {
		return columns, err
	}
	beside, err := t.part(ctx, along, t.opened.Sibling)
	if err != nil || beside.View.Len() != part.View.Len() {
		return columns, err
	}
	return append([]rows.Column{{Name: part.Axes[0].Name, Array: beside}}, columns...), nil
}

// together returns the arrays of a tree as columns, coordinates first, or nil if they do not lie
// along one dimension. Single items are left out, with a note.
func (t *tabled) together(ctx context.Context, of *operand.Tree) (columns []rows.Column, err error) {
	dim := ""
	var single []string
	for i, key := range of.Arrays() {
		src, err := of.Source(ctx, key)
		if err != nil {
			return nil, err
		}
		dims := whole.Dims(src)
		switch shape := src.Shape(); {
		case len(shape) == 0:
			single = append(single, strings.Trim(key, "/"))
			continue
		case len(shape) != 1 || len(dims) != 1 || dims[0] == "" || i > len(single) && dims[0] != dim:
			return nil, nil
		}
		dim = dims[0]

		near, _ := coordinatesNear(key, of.Source) // which are closed with the file
		part, err := t.part(ctx, src, near)
		if err != nil {
			return nil, err
		}
		c := rows.Column{Name: strings.Trim(key, "/"), Array: part}
		if c.Name == dim {
			columns = slices.Insert(columns, 0, c)
		} else {
			columns = append(columns, c)
		}
	}
	if len(columns) > 0 && single != nil {
		t.std.Complain("left out, as single items: " + strings.Join(single, ", "))
	}
	return columns, nil
}

// part returns the chosen part of the values of an array.
func (t *tabled) part(ctx context.Context, src ndarray.Source, near coords.Lookup) (*coords.Array, error) {
	o := &openedSource{Opened: t.opened, src: src}
	if err := t.take.values(o); err != nil {
		return nil, err
	}
	part, err := coords.New(o.src, near).Select(ctx, t.chosen)
	if err == nil && len(part.Axes) == 0 {
		err = usagef("-s leaves a single item, which is no table")
	}
	return part, err
}

// parseColumns reads the dtype of all columns, f4, or those of some, id=i4,name=S8.
func parseColumns(text string) ([]delimited.Given, error) {
	if text == "" {
		return nil, nil
	}

	var all []delimited.Given
	for part := range strings.SplitSeq(text, ",") {
		name := ""
		if i := strings.LastIndexByte(part, '='); i >= 0 {
			name = strings.TrimSpace(part[:i])
			part = part[i+1:]
		}
		d, err := meta.ParseDType(part)
		if err != nil {
			return nil, usagef("-dtype: %v", err)
		}
		all = append(all, delimited.Given{Name: name, DType: d})
	}

	if len(all) > 1 && slices.ContainsFunc(all, func(g delimited.Given) bool { return g.Name == "" }) {
		return nil, usagef("-dtype is the dtype of all columns, or has NAME=DTYPE for each of some: %q", text)
	}
	return all, nil
}
