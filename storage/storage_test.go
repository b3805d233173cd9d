package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

func TestImplementationsKeepTheContract(t *testing.T) {
	memory := storage.NewMemory()
	if err := memory.Mkdir("base"); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, c := range []struct {
		name string
		fsys storage.FS
		dir  string
	}{
		{"disk", storage.OS(), t.TempDir()},
		{"disk without links", storage.NoLinks(root), root},
		{"disk beside", storage.NoLinks(t.TempDir()), t.TempDir()},
		{"memory", memory, "base"},
		{"recorder", storagetest.NewRecorder(), "."},
		{"faults", &storagetest.Faults{FS: storage.NewMemory()}, "."},
	} {
		t.Run(c.name, func(t *testing.T) { storagetest.Run(t, c.fsys, c.dir) })
	}
}

func TestMemoryTakesEverySpellingOfAName(t *testing.T) {
	m := storage.NewMemory()
	if err := m.Mkdir("/a/"); err != nil {
		t.Fatal(err)
	}
	f, err := m.Create("a/./x")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Stat("/a/b/../x"); err != nil {
		t.Fatal(err)
	}
	if err := m.Rename("a", "a/b"); err == nil {
		t.Fatal("a directory was moved into itself")
	}
	if _, err := m.Open("a"); err == nil {
		t.Fatal("a directory was opened as a file")
	}
}

func TestReaderFileHasOnlyASize(t *testing.T) {
	f := storage.ReaderFile(strings.NewReader("0123456789"), 4)
	buf := make([]byte, 6)
	if n, err := f.ReadAt(buf, 1); n != 3 || err != io.EOF || string(buf[:n]) != "123" {
		t.Fatalf("read %q, %v", buf[:n], err)
	}
	if n, err := f.ReadAt(buf[:4], 0); n != 4 || err != nil {
		t.Fatalf("read %d bytes, %v", n, err)
	}
	long := storage.ReaderFile(strings.NewReader("01"), 1000)
	if n, err := long.ReadAt(buf, 0); n != 2 || err != io.EOF {
		t.Fatalf("a reader shorter than its size: %d bytes, %v", n, err)
	}
	if _, err := f.WriteAt(buf, 0); !errors.Is(err, cairn.ErrReadOnly) {
		t.Fatalf("write: %v", err)
	}
	if err := f.Truncate(0); !errors.Is(err, cairn.ErrReadOnly) {
		t.Fatalf("truncate: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(buf, 0); !errors.Is(err, fs.ErrClosed) {
		t.Fatalf("read after close: %v", err)
	}
}

// TestReaderFileLendsOnlyItsOwn checks that a File of part of a reader lends only that part, and
// nothing after Close.
func TestReaderFileLendsOnlyItsOwn(t *testing.T) {
	whole := storage.BytesFile([]byte("0123456789"))
	f := storage.ReaderFile(whole, 4)
	lender := f.(storage.Lender)
	if got := lender.Slice(1, 3); string(got) != "123" {
		t.Errorf("lent %q", got)
	}
	if lender.Slice(1, 4) != nil || lender.Lease(4, 1) != nil || lender.Slice(-1, 2) != nil {
		t.Error("lent bytes that the file does not have")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if lender.Slice(0, 1) != nil || lender.Lease(0, 1) != nil {
		t.Error("lent after Close")
	}
}

func TestBytesFileLendsItsMemory(t *testing.T) {
	b := []byte("0123456789")
	f := storage.BytesFile(b)
	lent := f.(storage.Lender).Slice(3, 4)
	if &lent[0] != &b[3] || len(lent) != 4 || cap(lent) != 4 {
		t.Fatalf("lent %q", lent)
	}
}

func TestIOFS(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{
		"directory":      os.DirFS(dir),
		"map":            fstest.MapFS{"a": {Data: []byte("abc")}},
		"without ReadAt": streams{fstest.MapFS{"a": {Data: []byte("abc")}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := storage.IOFS(fsys)
			f, err := s.Open("a")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			buf := make([]byte, 2)
			if n, err := f.ReadAt(buf, 1); n != 2 || err != nil || string(buf) != "bc" {
				t.Fatalf("read %q, %v", buf[:n], err)
			}
			if _, err := s.Open("missing"); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("missing file: %v", err)
			}
			if _, err := s.Open("."); err == nil {
				t.Fatal("a directory was opened as a file")
			}
			if _, err := s.OpenRW("a"); !errors.Is(err, cairn.ErrReadOnly) {
				t.Fatalf("open for writing: %v", err)
			}
			if _, err := s.Create("b"); !errors.Is(err, cairn.ErrReadOnly) {
				t.Fatalf("create: %v", err)
			}
			if info, err := s.Stat("a"); err != nil || info != (storage.Info{Name: "a", Size: 3}) {
				t.Fatalf("stat: %+v, %v", info, err)
			}
			if list, err := s.ReadDir("."); err != nil || len(list) != 1 || list[0].Name != "a" {
				t.Fatalf("list: %+v, %v", list, err)
			}
		})
	}
}

// streams hides all methods of its files except those of fs.File.
type streams struct{ fstest.MapFS }

func (s streams) Open(name string) (fs.File, error) {
	f, err := s.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	return struct{ fs.File }{f}, nil
}

func TestRecorderRebuildsWhatACrashLeaves(t *testing.T) {
	r := storagetest.NewRecorder()
	f, err := r.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	write := func(s string, off int64) {
		t.Helper()
		if _, err := f.WriteAt([]byte(s), off); err != nil {
			t.Fatal(err)
		}
	}
	write("abc", 0)
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := r.SyncDir("."); err != nil {
		t.Fatal(err)
	}
	write("X", 1)
	write("Y", 5)
	if err := r.Rename("a", "b"); err != nil {
		t.Fatal(err)
	}
	ops := r.Ops()
	for _, c := range []struct {
		keep func(int) bool
		name string
		want string
	}{
		{nil, "b", "aXc\x00\x00Y"},
		{func(int) bool { return false }, "a", "abc"},
		{func(i int) bool { return ops[i].Offset == 5 }, "a", "abc\x00\x00Y"},
		{func(i int) bool { return ops[i].Kind == storagetest.OpRename }, "b", "abc"},
	} {
		m := storagetest.Image(ops, c.keep)
		g, err := m.Open(c.name)
		if err != nil {
			t.Fatal(err)
		}
		size, err := g.Size()
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, size)
		if _, err := g.ReadAt(buf, 0); err != nil || string(buf) != c.want {
			t.Fatalf("%s reads %q, %v, want %q", c.name, buf, err, c.want)
		}
	}
}

func TestFaultsFailTheChosenOperations(t *testing.T) {
	run := func(f *storagetest.Faults) (failed []int) {
		step := 0
		check := func(err error) {
			step++
			if errors.Is(err, storagetest.ErrInjected) {
				failed = append(failed, step)
			} else if err != nil {
				t.Fatal(err)
			}
		}
		check(f.Mkdir("d"))
		check(f.Mkdir("e"))
		file, err := f.Create("x")
		check(err)
		if err == nil {
			_, err := file.WriteAt([]byte("1234"), 0)
			check(err)
			check(file.Sync())
		}
		check(f.SyncDir("."))
		return failed
	}
	if got := run(&storagetest.Faults{FS: storage.NewMemory()}); len(got) != 0 {
		t.Fatalf("failed without being told: %v", got)
	}
	m := storage.NewMemory()
	if got := run(&storagetest.Faults{FS: m, FailAt: 4, Short: true}); len(got) != 1 || got[0] != 4 {
		t.Fatalf("failed: %v", got)
	}
	if info, err := m.Stat("x"); err != nil || info.Size != 2 {
		t.Fatalf("after a short write: %+v, %v", info, err)
	}
	if got := run(&storagetest.Faults{FS: storage.NewMemory(), FailAt: 5, Persistent: true}); len(got) != 2 || got[0] != 5 {
		t.Fatalf("failed: %v", got)
	}
}

func ExampleNewMemory() {
	m := storage.NewMemory()
	f, err := m.Create("greeting")
	if err != nil {
		panic(err)
	}
	if _, err := f.WriteAt([]byte("hello"), 0); err != nil {
		panic(err)
	}
	info, err := m.Stat("greeting")
	fmt.Println(info.Name, info.Size, err)
	// Output: greeting 5 <nil>
}

func ExampleReaderFile() {
	f := storage.ReaderFile(bytes.NewReader([]byte("a frame inside of something larger")), 7)
	size, err := f.Size()
	fmt.Println(size, err)
	// Output: 7 <nil>
}

// faults reports whether run accesses unmapped memory.
func faults(run func()) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	run()
	return false
}

func TestMappedFileEqualsTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("0123456789"), 0o666); err != nil {
		t.Fatal(err)
	}
	plain, err := storage.OS().Open(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := plain.(storage.Mapper).Map()
	if errors.Is(err, errors.ErrUnsupported) {
		if err := plain.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	s := f.(storage.Lender)
	if got := s.Lease(3, 4); string(got) != "3456" || cap(got) != 4 {
		t.Fatalf("lent %q", got)
	}
	s.Release()
	if s.Slice(3, 4) != nil {
		t.Fatal("lent for good")
	}
	for _, c := range [][2]int{{-1, 2}, {3, -1}, {9, 2}, {11, 0}} {
		if got := s.Lease(int64(c[0]), c[1]); got != nil {
			t.Fatalf("lent %q at %d", got, c[0])
		}
	}
	if err := os.Truncate(name, 5); err != nil {
		t.Fatal(err)
	}
	lent := s.Lease(1, 4)
	if s.Lease(3, 4) != nil || string(lent) != "1234" {
		t.Fatal("lent what is not there any more")
	}
	if n, err := f.ReadAt(make([]byte, 4), 3); n != 2 || err != io.EOF {
		t.Fatalf("read %d bytes, %v", n, err)
	}
	if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, cairn.ErrReadOnly) {
		t.Fatalf("write: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Lease(0, 1) != nil {
		t.Fatal("lent after Close")
	}
	if string(lent) != "1234" {
		t.Fatalf("after Close what was lent is %q", lent)
	}
	s.Release()
	sum := byte(0)
	if !faults(func() { sum += lent[0] }) {
		t.Error("the file is still mapped", sum)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Fatalf("closed twice: %v", err)
	}
}
