package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/cairn-go/cairn/internal/show/table"
)

// Count returns a number of things in words: "1 chunk", "2 chunks".
func Count[N int | int64](n N, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "leaf":
		return fmt.Sprintf("%d leaves", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// OneLine returns a text on one line, without control characters from names in files.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// Marshal returns indented JSON. It keeps characters such as < and escapes those that terminals act
// upon.
func Marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return []byte(EscapeJSON(b.String())), err
}

// JSONLine returns a value of a metalayer as JSON, truncated to a line.
func JSONLine(v any) string {
	if v == nil {
		return ""
	}
	text, err := Marshal(v, "")
	if err != nil {
		return ""
	}
	const most = 101
	return table.Cut(strings.TrimSpace(string(text)), most)
}

// IsHidden reports whether a terminal may act upon a character, or show nothing.
func IsHidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

// EscapeJSON escapes the characters in JSON that terminals act upon or that change the direction of
// text. They occur only in strings.
func EscapeJSON(text string) string {
	if strings.IndexFunc(text, IsHidden) < 0 {
		return text
	}

	var b strings.Builder
	for _, r := range text {
		switch {
		case !IsHidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// An EscapingWriter writes JSON, whole tokens at a time, as EscapeJSON does.
type EscapingWriter struct{ To io.Writer }

// Write escapes text and writes it.
func (w EscapingWriter) Write(text []byte) (int, error) {
	if bytes.IndexFunc(text, IsHidden) < 0 {
		return w.To.Write(text)
	}
	_, err := io.WriteString(w.To, EscapeJSON(string(text)))
	return len(text), err
}

// Named returns a writer that names its target in errors, which are those of printing.
func Named(w io.Writer, name string) io.Writer { return namedWriter{w, name} }

type namedWriter struct {
	w    io.Writer
	name string
}

func (w namedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		// The operating system's error names the stream its own way: keep only the cause.
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		err = &PrintError{fmt.Errorf("writing %s: %w", w.name, err)}
	}
	return n, err
}

// A PrintError is one of an output rather than of an array that is read.
type PrintError struct{ error }

// Unwrap returns the cause.
func (e *PrintError) Unwrap() error { return e.error }
