//go:build unix

package osfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// replacing calls replace again and again until the test ends.
func replacing(t *testing.T, replace func() error) {
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := replace(); err != nil {
				ended <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestDirOpensWhatIsReplaced opens a plain file that others replace by renames meanwhile: it is
// never taken for a link.
func TestDirOpensWhatIsReplaced(t *testing.T) {
	dir := t.TempDir()
	name, next := filepath.Join(dir, "file"), filepath.Join(dir, "next")
	if err := os.WriteFile(name, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	replacing(t, func() error {
		return errors.Join(os.WriteFile(next, []byte("x"), 0o666), os.Rename(next, name))
	})

	n := 20_000
	if testing.Short() {
		n = 5000
	}
	for i := range n {
		f, err := d.Open("file", ReadOnly)
		if err != nil {
			t.Fatalf("open %d: %v", i, err)
		}
		f.Close()
	}
}

// TestDirNeverFollowsReplacedLinks opens a file that a link to another one replaces meanwhile.
func TestDirNeverFollowsReplacedLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(in("file"), []byte("own"), 0o666), os.WriteFile(in("other"), []byte("other"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", in("link")); err != nil {
		t.Logf("no symbolic links here: %v", err)
		return
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	replacing(t, func() error {
		_ = os.Remove(in("next"))
		err := errors.Join(os.Symlink("other", in("next")), os.Rename(in("next"), in("file")))
		return errors.Join(err, os.WriteFile(in("next"), []byte("own"), 0o666), os.Rename(in("next"), in("file")))
	})

	opened := 0
	for range 5000 {
		f, err := d.Open("file", ReadOnly)
		if err != nil {
			if !errors.Is(err, ErrLink) && !errors.Is(err, errReplaced) {
				t.Fatal(err)
			}
			continue
		}
		b, err := io.ReadAll(f)
		f.Close()
		if string(b) == "other" || err != nil {
			t.Fatalf("the file has %q (%v)", b, err)
		}
		opened++
	}
	if opened == 0 {
		t.Error("the file was never opened")
	}
}
