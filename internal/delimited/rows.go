package delimited

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
)

// A rowReader reads rows from a place on. Their entries are valid until the next one is read.
type rowReader struct {
	table *Table
	from  int64
	csv   *csv.Reader
	meter *meter
}

// reader returns a reader of the rows from an offset on.
func (t *Table) reader(from int64) *rowReader {
	m := &meter{in: io.NewSectionReader(t.in, from, max(0, t.size-from))}
	c := csv.NewReader(m)
	c.Comma = t.comma
	c.ReuseRecord = true
	c.FieldsPerRecord = len(t.Names)
	return &rowReader{t, from, c, m}
}

// offset returns where the next row begins.
func (r *rowReader) offset() int64 { return r.from + r.csv.InputOffset() }

// next returns the entries of the next row.
func (r *rowReader) next() ([]string, error) {
	begin := r.offset()
	r.meter.left = maxRecord
	entries, err := r.csv.Read()
	if err == nil || errors.Is(err, io.EOF) {
		return entries, err
	}

	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse) && errors.Is(err, csv.ErrFieldCount):
		return nil, fmt.Errorf("line %d has %d entries, where the first row has %d, with %q between them: %w",
			r.line(parse.StartLine), len(entries), r.csv.FieldsPerRecord, r.table.comma, cairn.ErrCorrupt)
	case errors.As(err, &parse):
		return nil, fmt.Errorf("line %d: %v: %w", r.line(parse.Line), parse.Err, cairn.ErrCorrupt)
	case errors.Is(err, cairn.ErrLimit):
		return nil, fmt.Errorf("byte %d begins a row of more than %d bytes, as a quote without an end does: %w",
			begin, maxRecord, cairn.ErrLimit)
	}
	return nil, err
}

// line returns the number in the file of a line that is so many behind the place where the reader
// began. It counts them, which only errors need.
func (r *rowReader) line(own int) int {
	in := io.NewSectionReader(r.table.in, 0, r.from)
	piece := make([]byte, 64<<10)
	for {
		n, err := in.Read(piece)
		own += bytes.Count(piece[:n], []byte{'\n'})
		if err != nil {
			return own
		}
	}
}

// A meter stops reading once a row has too many bytes.
type meter struct {
	in   io.Reader
	left int64
}

// Read implements [io.Reader].
func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, cairn.ErrLimit
	}
	n, err := m.in.Read(p)
	m.left -= int64(n)
	return n, err
}

// delimiters are those that are guessed, in the order in which they are preferred: numbers and
// texts have commas more often than the others.
const delimiters = "\t;,|"

// guessDelimiter returns the delimiter with which all rows at the beginning of a text have the same
// number of entries, more than one. If there is none, rows have one entry.
func guessDelimiter(head string) rune {
	for _, comma := range delimiters {
		if entriesBy(head, comma) > 1 {
			return comma
		}
	}
	return ','
}

// entriesBy returns the number of entries of each row at the beginning of a text, or 0 if rows
// differ.
func entriesBy(head string, comma rune) int {
	const rows = 100
	r := csv.NewReader(strings.NewReader(head))
	r.Comma = comma
	r.ReuseRecord = true

	n := 0
	for range rows {
		entries, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return n
		case err != nil && n > 0 && r.InputOffset() == int64(len(head)):
			return n // the last row is not whole
		case err != nil:
			return 0
		}
		n = len(entries)
	}
	return n
}

// validDelimiter reports whether a rune may be between entries.
func validDelimiter(c rune) bool {
	return c != '"' && c != '\r' && c != '\n' && c != 0 && c != unicode.ReplacementChar && utf8.ValidRune(c)
}

// characters returns how many a text has as UTF-8, or as Latin-1.
func characters(text string) int {
	if utf8.ValidString(text) {
		return utf8.RuneCountInString(text)
	}
	return len(text)
}

// readable returns a text as UTF-8: what is none is taken for Latin-1.
func readable(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}
