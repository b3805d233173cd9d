package osfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncData is Sync without what reading the file does not take, such as its time of change.
func SyncData(f *os.File) error {
	if err := control(f, unix.Fdatasync); err != nil {
		return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
	}
	return nil
}
