package osfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenFilesCanBeReplacedAndStillRead(t *testing.T) {
	dir := t.TempDir()
	name, next := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write := func(name, content string) *os.File {
		f, err := Open(name, Exclusive)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		return f
	}
	old := write(name, "old")
	defer old.Close()
	fresh := write(next, "new")
	defer fresh.Close()
	if err := os.Rename(next, name); err != nil {
		t.Fatal(err)
	}
	if err := SyncDir(dir); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 3)
	if _, err := old.ReadAt(buf, 0); err != nil || string(buf) != "old" {
		t.Fatalf("the replaced file reads %q, %v", buf, err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "new" {
		t.Fatalf("the name reads %q, %v", got, err)
	}
}

func TestOpenModes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if _, err := Open(name, ReadOnly); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("missing file: %v", err)
	}
	f, err := Open(name, Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name, Exclusive); !errors.Is(err, fs.ErrExist) {
		t.Fatalf("creating twice: %v", err)
	}
	f, err = Open(name, ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("x"); err == nil {
		t.Fatal("a read-only file took a write")
	}
	rw, err := Open(name, ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer rw.Close()
	if _, err := rw.WriteString("x"); err != nil {
		t.Fatal(err)
	}
}

func TestMappedMemoryEqualsTheFile(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "a"), Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("mapped"); err != nil {
		t.Fatal(err)
	}
	if _, err := Map(f, 0); !errors.Is(err, ErrNoMap) {
		t.Fatalf("nothing to map: %v", err)
	}
	b, err := Map(f, 6)
	if closeErr := f.Close(); closeErr != nil {
		t.Fatal(closeErr)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return // and that is the right error
	}
	if err != nil || string(b) != "mapped" {
		t.Fatalf("%q, %v", b, err)
	}
	if err := Unmap(b); err != nil {
		t.Fatal(err)
	}
}

func TestLocksKeepOthersOut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := OpenLock(name)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	a, b := open(), open()
	if a == nil {
		return // and that is the right error
	}
	step := func(f *os.File, exclusive, want bool) {
		t.Helper()
		if got, err := TryLock(f, exclusive); err != nil || got != want {
			t.Fatalf("exclusive %v: got %v, %v", exclusive, got, err)
		}
	}
	give := func(f *os.File) {
		t.Helper()
		if err := Unlock(f); err != nil {
			t.Fatal(err)
		}
	}
	step(a, true, true)
	step(b, true, false)
	step(b, false, false)
	if _, err := b.WriteAt([]byte("x"), 8); err != nil {
		t.Fatalf("what is not locked can be written: %v", err)
	}
	give(a)
	step(b, false, true)
	step(a, false, true)
	give(a)
	step(a, true, false)
	give(b)
	step(a, true, true)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	step(b, true, true)
}
