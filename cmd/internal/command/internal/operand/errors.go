package operand

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
)

// A ForeignError is an error of a file of another format than Blosc2.
type ForeignError struct {
	Name string
	Err  error
}

// Error returns the text, with the name of the file.
func (e *ForeignError) Error() string { return naming.In(e.Name, e.Err).Error() }

// Unwrap returns the error with the name.
func (e *ForeignError) Unwrap() error { return naming.In(e.Name, e.Err) }

// A NotForeignError is the error for something that has none of the other formats, where only these
// are wanted.
type NotForeignError struct {
	Name string
	What string // it is, or ""
}

// Error says what it is.
func (e *NotForeignError) Error() string {
	switch {
	case e.What == "a Blosc2 frame":
		return fmt.Sprintf("%s: this is a Blosc2 frame, not a foreign file; use cairn copy: %v",
			e.Name, cairn.ErrUnsupported)
	case e.What == "":
		return fmt.Sprintf("%s: unknown format: want one of %s: %v", e.Name, readable(), cairn.ErrUnsupported)
	}
	return fmt.Sprintf("%s: this is %s: want one of %s: %v", e.Name, e.What, readable(), cairn.ErrUnsupported)
}

// Unwrap returns what it is as an error, which matches [cairn.ErrUnsupported].
func (e *NotForeignError) Unwrap() error { return naming.In(e.Name, &foreign.Error{Is: e.What}) }

// readable lists the formats that are recognised by their content.
func readable() string {
	var all []string
	for _, f := range formats.Foreign() {
		if f.Detect != nil {
			all = append(all, f.Plural)
		}
	}
	return strings.Join(all, ", ")
}
