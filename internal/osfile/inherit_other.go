//go:build !unix

package osfile

import (
	"io/fs"
	"os"
)

func create(name string, _ fs.FileMode) (*os.File, error) { return open(name, Exclusive) }

func inherit(string, string, fs.FileInfo) error { return nil }
