//go:build !linux

package osfile

import "os"

// SyncData is Sync.
func SyncData(f *os.File) error { return f.Sync() }
