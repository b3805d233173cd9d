//go:build !unix

package osfile

import (
	"os"
	"path/filepath"
)

func syncRoot(*os.Root) error { return nil } // like SyncDir

// renameAt uses the paths of the directories, since there is no call that takes two handles.
func renameAt(from *os.Root, elem string, to *os.Root, name string) error {
	return os.Rename(filepath.Join(from.Name(), elem), filepath.Join(to.Name(), name))
}
