package storage_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/storage"
)

// promptly fails if a call blocks.
func promptly(t *testing.T, what string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s waits", what)
		return nil
	}
}

// TestOnlyRegularFilesAreOpened opens a pipe without a writer, and devices.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	if err := osfile.MakePipe(filepath.Join(dir, "pipe")); errors.Is(err, errors.ErrUnsupported) {
		t.Log("no named pipes here")
		return
	} else if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "pipe", "zero": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	disk, generic, below := storage.OS(), storage.IOFS(os.DirFS(dir)), storage.NoLinks(dir)
	opened := func(f storage.File, err error) error {
		if err == nil {
			return f.Close()
		}
		return err
	}
	for _, name := range []string{"pipe", "link", "zero"} {
		path := filepath.Join(dir, name)
		for what, open := range map[string]func() error{
			"open":    func() error { return opened(disk.Open(path)) },
			"open rw": func() error { return opened(disk.OpenRW(path)) },
			"io/fs":   func() error { return opened(generic.Open(name)) },
			"below":   func() error { return opened(below.Open(path)) },
		} {
			err := promptly(t, what+" "+name, open)
			if !errors.Is(err, cairn.ErrUnsupported) || strings.Count(err.Error(), "unsupported") != 1 {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
	if err := promptly(t, "lock", func() error {
		l, err := disk.(storage.Locker).OpenLock(filepath.Join(dir, "pipe"))
		return opened(l, err)
	}); err == nil {
		t.Error("a pipe is locked")
	}
}

// TestLockFilesThatAreLinksAreRefused opens a lock file that is a link, whose target must not be
// written.
func TestLockFilesThatAreLinksAreRefused(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "x.b2lock")); err != nil {
		t.Logf("no symbolic links here: %v", err)
		return
	}
	if l, err := storage.OS().(storage.Locker).OpenLock(filepath.Join(dir, "x.b2lock")); err == nil {
		t.Errorf("a link is locked: %v", l.Close())
	}
}
