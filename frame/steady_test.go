package frame

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// disturbed is a file system for reading that calls a function before each operation.
type disturbed struct {
	storage.FS
	ops    int          // so far
	meddle func(op int) // called before each
}

func (m *disturbed) step() {
	m.ops++
	m.meddle(m.ops)
}

func (m *disturbed) Stat(name string) (storage.Info, error) {
	m.step()
	return m.FS.Stat(name)
}

func (m *disturbed) Open(name string) (storage.File, error) {
	m.step()
	f, err := m.FS.Open(name)
	return disturbedFile{f, m}, err
}

type disturbedFile struct {
	storage.File
	m *disturbed
}

func (f disturbedFile) Size() (int64, error) {
	f.m.step()
	return f.File.Size()
}

func (f disturbedFile) ReadAt(b []byte, off int64) (int, error) {
	f.m.step()
	return f.File.ReadAt(b, off)
}

// meddlings are changes by a writer between two reads of a handle that opens the frame. Every chunk
// is 64 times the same byte.
var meddlings = map[string]func(f *Frame, n int) error{
	"append":  func(f *Frame, n int) error { _, err := f.Append(noContext, chunkOf(n)); return err },
	"update":  func(f *Frame, n int) error { return f.Update(noContext, n%f.NumChunks(), chunkOf(n)) },
	"delete":  func(f *Frame, n int) error { return f.Delete(noContext, f.NumChunks()-1) },
	"name":    func(f *Frame, n int) error { return f.SetVL("n", bytes.Repeat([]byte{byte(n)}, 1+n%7)) },
	"compact": func(f *Frame, n int) error { _, err := f.Compact(noContext); return err },
	"stage":   nil, // stays staged behind the frame
}

func chunkOf(n int) []byte { return bytes.Repeat([]byte{byte(n)}, 64) }

// TestOpeningBesideCommits lets a writer commit between any two operations of a handle that opens
// the frame without a lock: once, or before many operations in a row.
func TestOpeningBesideCommits(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for kind, change := range meddlings {
			for _, times := range []int{1, 3, 25} {
				t.Run(fmt.Sprintf("sparse=%v %s %d", sparse, kind, times), func(t *testing.T) {
					for at := 1; openMeddled(t, sparse, change, at, times); at++ {
					}
				})
			}
		}
	}
}

// openMeddled opens a frame that a writer changes before operation at and the following ones. It
// reports whether opening takes that many operations.
func openMeddled(t *testing.T, sparse bool, change func(f *Frame, n int) error, at, times int) bool {
	t.Helper()
	memory := storage.NewMemory()
	w := must(Create("f", &Options{ChunkSize: 64, Sparse: sparse, FS: memory}))
	for n := range 40 {
		must(w.Append(noContext, chunkOf(n)))
	}
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatalf("at %d: %v", at, err)
		}
	}
	check(w.Commit(noContext))
	if change == nil {
		must(w.Append(noContext, chunkOf(99))) // bytes behind the last record
	}
	m := &disturbed{FS: memory}
	m.meddle = func(op int) {
		if op < at || op >= at+times {
			return
		}
		if change != nil {
			check(change(w, op))
		}
		check(w.Commit(noContext))
		if change == nil {
			must(w.Append(noContext, chunkOf(op)))
		}
	}
	f, err := Open("f", &OpenOptions{FS: m})
	check(err)
	opened := m.ops
	m.meddle = func(int) {}
	info := f.Info()
	if info.Healed || info.Verdict != Verified {
		t.Fatalf("at %d: %v, healed: %v", at, info.Verdict, info.Healed)
	}
	if !sparse { // a sparse frame removes replaced chunks
		b := make([]byte, 64)
		for i := range f.NumChunks() {
			_, err := f.ReadChunk(noContext, b, i)
			check(err)
		}
	}
	check(f.Close())
	check(w.Close())
	return opened >= at
}

// TestCorruptFilesAreReportedAtOnce checks that an unchanged corrupt file is read only twice.
func TestCorruptFilesAreReportedAtOnce(t *testing.T) {
	memory := storage.NewMemory()
	w := must(Create("f", &Options{ChunkSize: 64, FS: memory}))
	must(w.Append(noContext, chunkOf(1)))
	mustClose(t, w)
	file := must(memory.OpenRW("f"))
	size := must(file.Size())
	if err := file.Truncate(size - 1); err != nil {
		t.Fatal(err)
	}
	m := &disturbed{FS: memory, meddle: func(int) {}}
	if _, err := Open("f", &OpenOptions{FS: m}); err == nil {
		t.Fatal("a frame without its end opens")
	}
	if m.ops > 20 {
		t.Errorf("%d operations to say that a frame is corrupt", m.ops)
	}
}
