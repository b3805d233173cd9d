//go:build !linux

package osfile

import "io/fs"

// Names calls visit for the entries of d with their types.
func (d *Dir) Names(visit func(name string, kind fs.FileMode)) error {
	entries, err := d.ReadDir()
	for _, e := range entries {
		visit(e.Name(), e.Type())
	}
	return err
}
