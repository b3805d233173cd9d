//go:build !unix

package osfile

import (
	"os"
	"path/filepath"
)

func syncRoot(*os.Root) error { return nil } // as SyncDir

// renameAt goes by the names of the directories: there is no call that takes two of them.
func renameAt(from *os.Root, elem string, to *os.Root, name string) error {
	return os.Rename(filepath.Join(from.Name(), elem), filepath.Join(to.Name(), name))
}
