package store

import (
	"os"
	"path/filepath"
	"testing"
)

// unpackedFiles returns the files of an archive by name.
func unpackedFiles(t testing.TB, name string) map[string][]byte {
	files := map[string][]byte{}
	for name, f := range unpacked(t, name) {
		files[name] = f.Data
	}
	return files
}

// writeTree writes files below a directory that it makes.
func writeTree(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		check(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644))
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	check(t, err)
	check(t, os.WriteFile(to, data, 0o644))
}
