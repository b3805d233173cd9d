// Package place tells what an operand names: a path of this machine, standard input or output, or
// the URL of something on a web server or in a bucket, and the array in it.
package place

import (
	"os"
	"strconv"
	"strings"
)

// Mark separates a file from the key of an array in it: PATH::KEY.
const Mark = "::"

// Stream is the operand for standard input or output.
const Stream = "-"

// A Kind is where something is.
type Kind uint8

// The kinds of places.
const (
	Local    Kind = iota // a path of this machine
	Standard             // standard input or output
	Web                  // a URL of a web server
	Bucket               // another URL: of something in a bucket
)

// A Place is what an operand names.
type Place struct {
	Name  string // without the key
	Key   string // as it was given; it may be empty
	Keyed bool   // there is a key
	Kind  Kind
}

// Of returns the place of an operand. A path with the mark in it is split behind the longest part
// that exists, or before the first mark if none does; one that exists as a whole has no key. In a
// URL the first mark behind the host counts.
func Of(operand string) Place {
	p := Place{Name: operand, Kind: kindOf(operand)}
	name, key, ok := strings.Cut(operand, Mark)
	switch {
	case !ok:
		return p
	case p.Far():
		// Split off the key of a URL, whose host may have colons of its own.
		scheme, rest, _ := strings.Cut(p.Name, "//")
		host, path, _ := strings.Cut(rest, "/")
		if path, key, ok := strings.Cut(path, Mark); ok {
			p.Name = scheme + "//" + host + "/" + path
			p.Key = key
			p.Keyed = true
		}
		return p
	case exists(operand):
		return p
	}

	p.Keyed = true
	for at := len(operand); strings.Contains(operand[:at], Mark); {
		at = strings.LastIndex(operand[:at], Mark)
		if at > 0 && exists(operand[:at]) {
			p.Name = operand[:at]
			p.Key = operand[at+len(Mark):]
			return p
		}
	}

	p.Name = name
	p.Key = key
	if p.Name == Stream {
		p.Kind = Standard
	}
	return p
}

// All returns the places of operands.
func All(operands []string) []Place {
	all := make([]Place, len(operands))
	for i, operand := range operands {
		all[i] = Of(operand)
	}
	return all
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// kindOf returns where an operand is.
func kindOf(operand string) Kind {
	scheme, _, ok := strings.Cut(operand, "://")
	switch {
	case operand == Stream:
		return Standard
	case !ok || !isScheme(scheme):
		return Local
	case scheme == "http" || scheme == "https":
		return Web
	}
	return Bucket
}

// isScheme reports whether text is the scheme of a URL (RFC 3986, section 3.1).
func isScheme(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return text != "" && strings.Contains(letters, text[:1]) && strings.Trim(text, letters+"0123456789+.-") == ""
}

// Far reports whether a place is a URL.
func (p Place) Far() bool { return p.Kind == Web || p.Kind == Bucket }

// Whole returns the place of the file, without the key.
func (p Place) Whole() Place { return Place{Name: p.Name, Kind: p.Kind} }

// One reports whether an output can be no more than a single file: it is an array in another one,
// or standard output.
func (p Place) One() bool { return p.Keyed || p.Kind == Standard }

// String returns the operand, in its shortest form.
func (p Place) String() string {
	if p.Keyed {
		return p.Name + Mark + p.Key
	}
	return p.Name
}

// Version splits NAME@N, which may be version N of what a name in a bucket stands for. Otherwise it
// returns the name and 0.
func Version(name string) (base string, version int64) {
	at := strings.LastIndexByte(name, '@')
	if at <= strings.LastIndexByte(name, '/')+1 {
		return name, 0
	}

	version, err := strconv.ParseInt(name[at+1:], 10, 64)
	if err != nil || version < 1 {
		return name, 0
	}
	return name[:at], version
}
