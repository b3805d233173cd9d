package command

import (
	"flag"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-go/cairn/internal/delimited"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/meta"
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
