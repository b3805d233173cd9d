// Package naming puts the name of a file before errors, once.
package naming

import (
	"errors"
	"io/fs"
	"strings"
)

// In puts a name before an error, unless the error begins with it or the name is empty. An error of
// a file system in it that has the same name loses that.
func In(name string, err error) error {
	if err == nil || name == "" || isNamed(name, err) {
		return err
	}
	return &inFile{name, err}
}

// isNamed reports whether an error has the name already.
func isNamed(name string, err error) bool {
	if at, ok := err.(*fs.PathError); ok && at.Path == name {
		return true
	}
	var known *inFile
	return errors.As(err, &known) && known.name == name
}

// inFile is an error with the name of a file. The text is made on demand: a damaged file may yield
// millions of errors.
type inFile struct {
	name string
	err  error
}

func (e *inFile) Error() string {
	text := e.err.Error()
	var at *fs.PathError
	if errors.As(e.err, &at) && at.Path == e.name {
		text = strings.Replace(text, at.Error(), at.Err.Error(), 1)
	}
	return e.name + ": " + text
}

// Unwrap returns the error without the name.
func (e *inFile) Unwrap() error { return e.err }
