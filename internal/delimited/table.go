// Package delimited reads tables of text, such as CSV, as arrays: records with a field per column,
// an array per column, or one array of numbers.
package delimited

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// Bounds of tables.
const (
	maxColumns = 10_000   // columns of a table
	maxRecord  = 16 << 20 // bytes of text of a row, and of its items
	markEvery  = 256      // rows between places that are remembered
)

// Options say how a table is read. Zero values stand for what the text tells.
type Options struct {
	Delimiter rune     // between entries
	Header    Header   // whether the first row has names
	Missing   []string // entries that stand for nothing, besides empty ones; nil for usual words
	Columns   bool     // an array per column
	DTypes    []Given  // what is known of columns
}

// A Header says whether the first row of a table has the names of its columns.
type Header uint8

// What is known of the first row.
const (
	GuessHeader Header = iota
	WithHeader
	WithoutHeader
)

// A Given is the dtype that a user has chosen for a column, or if Name is empty for all of them.
type Given struct {
	Name  string
	DType meta.DType
}

// A Table is a table of text, of which rows can be read in any order. Any number of goroutines may
// use it.
type Table struct {
	Rows    int64
	Names   []string     // of the columns, each once
	DTypes  []meta.DType // of the columns
	Matrix  bool         // one array of numbers: there are no names
	in      io.ReaderAt
	size    int64
	begin   int64 // behind a byte order mark
	comma   rune
	header  bool
	missing map[string]bool
	marks   []int64 // where rows begin, every markEvery rows
}

// Open reads a table once from front to back, and guesses what its columns hold.
func Open(ctx context.Context, r io.ReaderAt, size int64, o *Options) (*Table, error) {
	t := &Table{in: r, size: size, comma: o.Delimiter, missing: missingWords(o.Missing)}
	head, err := t.look()
	if err != nil {
		return nil, err
	}
	if t.comma == 0 {
		t.comma = guessDelimiter(head)
	}
	if !validDelimiter(t.comma) {
		return nil, fmt.Errorf("%q cannot be between entries: %w", t.comma, cairn.ErrInvalid)
	}

	guesses, first, err := t.scan(ctx)
	if err != nil {
		return nil, err
	}
	t.decideHeader(o.Header, guesses, first)

	t.DTypes = make([]meta.DType, len(guesses))
	given, err := t.given(o.DTypes)
	if err != nil {
		return nil, err
	}

	for i := range guesses {
		if given[i].Size() > 0 {
			t.DTypes[i] = given[i]
			continue
		}
		if t.DTypes[i], err = guesses[i].dtype(); err != nil {
			return nil, fmt.Errorf("column %q: %w", t.Names[i], err)
		}
	}

	t.Matrix = !o.Columns && t.isMatrix(o.DTypes)
	if size := t.recordSize(); size > maxRecord {
		return nil, fmt.Errorf("records of %d bytes, the most is %d: %w", size, maxRecord, cairn.ErrLimit)
	}
	return t, nil
}

// look returns the beginning of the text, behind a byte order mark.
func (t *Table) look() (string, error) {
	const enough = 64 << 10
	head := make([]byte, min(enough, max(0, t.size)))
	n, err := t.in.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}

	text, marked := strings.CutPrefix(string(head[:n]), "\ufeff")
	if marked {
		t.begin = int64(len("\ufeff"))
	}
	if strings.ContainsRune(text, 0) {
		return "", fmt.Errorf("zero bytes in a table of text, which may be UTF-16: convert it to UTF-8: %w",
			cairn.ErrUnsupported)
	}
	return text, nil
}

// scan reads all rows. It returns guesses at what the columns hold in all rows but the first, and
// the entries of that.
func (t *Table) scan(ctx context.Context) (guesses []guess, first []string, err error) {
	r := t.reader(t.begin)
	for ; ; t.Rows++ {
		if t.Rows%markEvery == 0 {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			t.marks = append(t.marks, r.offset())
		}

		entries, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			if first == nil {
				return nil, nil, fmt.Errorf("a table without rows: %w", cairn.ErrNotFound)
			}
			return guesses, first, nil
		case err != nil:
			return nil, nil, err
		}

		if first == nil {
			if len(entries) > maxColumns {
				return nil, nil, fmt.Errorf("%d columns, the most is %d: %w", len(entries), maxColumns, cairn.ErrLimit)
			}
			for _, text := range entries {
				first = append(first, strings.Clone(text))
			}
			guesses = make([]guess, len(first))
			continue
		}
		for i, text := range entries {
			guesses[i].add(text, t.missing)
		}
	}
}

// decideHeader takes the first row for names, or for items. It is one of names if none of its
// entries is a number, a time and so on, unless it is not to be.
func (t *Table) decideHeader(known Header, guesses []guess, first []string) {
	t.header = known == WithHeader
	if known == GuessHeader {
		t.header = !slices.ContainsFunc(first, func(text string) bool {
			var g guess
			g.add(text, t.missing)
			return g.rows > 0 && g.kind() != textKind || g.rows == 0 && text != ""
		}) && slices.ContainsFunc(first, func(text string) bool { return text != "" })
	}

	if t.header {
		t.Rows--
		t.Names = columnNames(first)
		return
	}
	for i, text := range first {
		guesses[i].add(text, t.missing)
	}
	t.Names = columnNames(make([]string, len(first)))
}

// columnNames makes names of which each occurs once: f0, f1 and so on where there is none.
func columnNames(header []string) []string {
	names := make([]string, len(header))
	taken := map[string]bool{}
	for i, text := range header {
		name := strings.TrimSpace(readable(text))
		if name == "" {
			name = "f" + strconv.Itoa(i)
		}
		own := name
		for k := 1; taken[ColumnKey(own)]; k++ {
			own = name + "_" + strconv.Itoa(k)
		}
		taken[ColumnKey(own)] = true
		names[i] = own
	}
	return names
}

// given returns the dtypes that the user has chosen, of size 0 for the other columns.
func (t *Table) given(all []Given) ([]meta.DType, error) {
	found := make([]meta.DType, len(t.Names))
	for _, g := range all {
		if !readableDType(g.DType) {
			return nil, fmt.Errorf("dtype %v: tables of text have bools, integers, floats, times and texts: %w",
				g.DType, cairn.ErrUnsupported)
		}
		if g.Name == "" {
			for i := range found {
				found[i] = g.DType
			}
			continue
		}

		i := slices.Index(t.Names, g.Name)
		if i < 0 {
			return nil, fmt.Errorf("there is no column %q, but %s: %w", g.Name, someNames(t.Names), cairn.ErrNotFound)
		}
		found[i] = g.DType
	}
	return found, nil
}

// someNames lists the first names.
func someNames(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%q and %d more", names[:most], len(names)-most)
	}
	return fmt.Sprintf("%q", names)
}

// recordSize returns the bytes of the items of a row.
func (t *Table) recordSize() int {
	size := 0
	for _, d := range t.DTypes {
		size += d.Size()
	}
	return size
}
