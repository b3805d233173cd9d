package storage

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-go/cairn/internal/osfile"
)

// TryClaim claims the file by a lock: on the file itself, or on Windows on a byte beyond any file's
// end.
func (f diskFile) TryClaim() (bool, error) { return osfile.TryClaim(f.File) }

func (f diskFile) Unclaim() error { return osfile.Unclaim(f.File) }

func (f diskFile) Is(name string) (bool, error) {
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}

	there, err := os.Stat(name)
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, there), err
}

// Resolve follows symbolic links.
func (osFS) Resolve(name string) (string, error) { return filepath.EvalSymlinks(name) }

func (f *memoryFile) TryClaim() (bool, error) {
	if err := f.check("claim", false, 0); err != nil {
		return false, err
	}
	return f.claimed.CompareAndSwap(nil, f), nil
}

func (f *memoryFile) Unclaim() error {
	if !f.claimed.CompareAndSwap(f, nil) {
		return nameError("unclaim", f.name, fs.ErrInvalid)
	}
	return nil
}

func (f *memoryFile) Is(name string) (bool, error) {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.fs.entries[clean(name)] == f.buffer, nil
}
