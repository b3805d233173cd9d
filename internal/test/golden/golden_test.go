package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiles checks that the files are exactly those that the manifest lists, unchanged.
func TestFiles(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{"MANIFEST.json": true, "generate.py": true, "recipe": true, "early.py": true, "early": true}
	total := int64(0)
	for i := range m.Cases {
		c := &m.Cases[i]
		listed[c.Name] = true
		total += c.Size
		if c.Files == nil {
			checkFile(t, c.Path(), File{c.Size, c.SHA256})
			continue
		}
		for name, f := range c.Files {
			checkFile(t, filepath.Join(c.Path(), name), f)
		}
	}
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !listed[e.Name()] && !strings.HasPrefix(e.Name(), "__") {
			t.Errorf("%s is in the directory but not in the manifest", e.Name())
		}
	}
	if total > 8<<20 {
		t.Errorf("goldens take %d bytes, want at most 8 MiB", total)
	}
}

func TestFind(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if c, err := m.Find("empty.b2frame"); err != nil || c.Kind != Frame {
		t.Errorf("Find(empty.b2frame) = %v, %v", c, err)
	}
	if _, err := m.Find("no such file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Find of an unknown name gives %v", err)
	}
}

func checkFile(t *testing.T, path string, want File) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	sum := sha256.Sum256(data)
	if int64(len(data)) != want.Size || hex.EncodeToString(sum[:]) != want.SHA256 {
		t.Errorf("%s is not the file that was recorded", filepath.Base(path))
	}
}
