//go:build !windows

package osfile

import "os"

func open(name string, flag int) (*os.File, error) { return os.OpenFile(name, flag, 0o666) }

func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	if err := dir.Sync(); err != nil {
		_ = dir.Close() // the failed sync is what the caller must hear of
		return err
	}
	return dir.Close()
}
