// Package naming puts the name of a file before errors, once. It is the only place where the text
// of an error is looked at.
package naming

import (
	"errors"
	"io/fs"
	"strings"
)

// In puts a name before an error, unless the error begins with it or the name is empty. An error of
// a file system in it that has the same name loses that.
func In(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	if at, ok := err.(*fs.PathError); ok && at.Path == name {
		return err
	}
	if known := (*inFile)(nil); errors.As(err, &known) && known.name == name {
		return err
	}
	return &inFile{name: name, err: err}
}

// Call is like [In] for an error of a call, as in "open a.b2nd: …". It always adds both.
func Call(call, name string, err error) error {
	if err == nil {
		return nil
	}
	return &inFile{call + " ", name, err}
}

// Of returns the name of the file that an error is about, or nothing if it has none.
func Of(err error) string {
	if known := (*inFile)(nil); errors.As(err, &known) {
		return known.name
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Path
	}
	return ""
}

// Reader returns the name of what a reader reads, or nothing if it tells none.
func Reader(r any) string {
	named, ok := r.(interface{ Name() string })
	if !ok {
		return ""
	}
	return named.Name()
}

// Reason returns what is wrong, without names of files and what is before them.
func Reason(err error) error {
	for {
		if known := (*inFile)(nil); errors.As(err, &known) {
			err = known.err
		} else if at := (*fs.PathError)(nil); errors.As(err, &at) {
			err = at.Err
		} else {
			return err
		}
	}
}

// Without returns an error without a name that [In] has put before it.
func Without(name string, err error) error {
	if known, ok := err.(*inFile); ok && known.name == name {
		return known.err
	}
	return err
}

// Plain returns an error whose text does not end in that of a kind, for lists where the reason says
// enough.
func Plain(err error, kinds ...error) error {
	text := err.Error()
	for _, kind := range kinds {
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	return errors.New(text)
}

// inFile is an error with the name of a file. The text is made on demand: a damaged file may yield
// millions of errors.
type inFile struct {
	call string // with a space behind it, or empty
	name string
	err  error
}

func (e *inFile) Error() string {
	text := e.err.Error()
	var at *fs.PathError
	if errors.As(e.err, &at) && at.Path == e.name {
		text = strings.Replace(text, at.Error(), at.Err.Error(), 1)
	}
	return e.call + e.name + ": " + text
}

// Unwrap returns the error without the name.
func (e *inFile) Unwrap() error { return e.err }
