// Package storagetest tests implementations of [storage.FS] and code that uses one. It has a
// conformance suite ([Run]), a file system that records operations and reconstructs what a crash
// could leave ([Recorder]), and one that fails on demand ([Faults]).
package storagetest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"

	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// Run checks the contract of [storage.FS] and of the optional interfaces that fsys implements; it
// logs those that it does not. dir is an empty directory of fsys for the tests.
func Run(t *testing.T, fsys storage.FS, dir string) {
	t.Helper()
	t.Run("optional", func(t *testing.T) { tellMissing(t, fsys, dir) })
	for _, c := range []struct {
		name string
		test func(*testing.T, storage.FS, string)
	}{
		{"create", testCreate}, {"offsets", testOffsets}, {"pieces", testPieces}, {"truncate", testTruncate}, {"read-only", testReadOnly},
		{"rename file", testRenameFile}, {"rename directory", testRenameDirectory}, {"exchange", testExchange}, {"remove", testRemove},
		{"list", testList}, {"concurrent", testConcurrent}, {"lending", testLending}, {"locking", testLocking}, {"claiming", testClaiming},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := dir + "/" + c.name
			must(t, fsys.Mkdir(base))
			c.test(t, fsys, base)
			must(t, fsys.SyncDir(base))
		})
	}
}

// tellMissing logs which optional interfaces a file system and its files do not implement.
func tellMissing(t *testing.T, fsys storage.FS, dir string) {
	f, err := fsys.Create(dir + "/optional")
	must(t, err)
	defer f.Close()

	_, replaces := fsys.(storage.Replacer)
	_, exchanges := fsys.(storage.Exchanger)
	_, locks := fsys.(storage.Locker)
	_, claims := f.(storage.Claimer)
	_, lends := f.(storage.Lender)
	_, gathers := f.(storage.Gatherer)
	_, maps := f.(storage.Mapper)
	for _, o := range []struct {
		name string
		has  bool
	}{
		{"Replacer", replaces}, {"Exchanger", exchanges}, {"Locker", locks},
		{"Claimer", claims}, {"Lender", lends}, {"Gatherer", gathers}, {"Mapper", maps},
	} {
		if !o.has {
			t.Logf("%T, %T: no storage.%s", fsys, f, o.name)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustFail fails the test with a text unless there is an error.
func mustFail(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil {
		t.Fatal(text)
	}
}

func want(t *testing.T, got, target error) {
	t.Helper()
	if !errors.Is(got, target) {
		t.Fatalf("got error %v, want %v", got, target)
	}
}

// put creates a file with the given content.
func put(t *testing.T, fsys storage.FS, name, content string) {
	t.Helper()
	f, err := fsys.Create(name)
	must(t, err)
	if _, err := f.WriteAt([]byte(content), 0); err != nil {
		t.Fatal(err)
	}
	must(t, f.Sync())
	must(t, f.Close())
}

func content(t *testing.T, f storage.File) string {
	t.Helper()
	size, err := f.Size()
	must(t, err)
	buf := make([]byte, size)
	if _, err := f.ReadAt(buf, 0); err != nil && size > 0 {
		t.Fatal(err)
	}
	return string(buf)
}

func get(t *testing.T, fsys storage.FS, name string) string {
	t.Helper()
	f, err := fsys.Open(name)
	must(t, err)
	defer f.Close()
	return content(t, f)
}

func testCreate(t *testing.T, fsys storage.FS, dir string) {
	_, err := fsys.Open(dir + "/a")
	want(t, err, fs.ErrNotExist)
	_, err = fsys.OpenRW(dir + "/a")
	want(t, err, fs.ErrNotExist)
	_, err = fsys.Stat(dir + "/a")
	want(t, err, fs.ErrNotExist)
	_, err = fsys.Create(dir + "/missing/a")
	want(t, err, fs.ErrNotExist)
	put(t, fsys, dir+"/a", "hello")
	if got := get(t, fsys, dir+"/a"); got != "hello" {
		t.Fatalf("read %q", got)
	}

	_, err = fsys.Create(dir + "/a")
	want(t, err, fs.ErrExist)
	want(t, fsys.Mkdir(dir+"/a"), fs.ErrExist)
	info, err := fsys.Stat(dir + "/a")
	must(t, err)
	if info != (storage.Info{Name: "a", Size: 5}) {
		t.Fatalf("stat says %+v", info)
	}

	f, err := fsys.OpenRW(dir + "/a")
	must(t, err)
	if _, err := f.WriteAt([]byte("J"), 0); err != nil {
		t.Fatal(err)
	}

	must(t, f.Close())
	if got := get(t, fsys, dir+"/a"); got != "Jello" {
		t.Fatalf("after a write read %q", got)
	}
}

func testOffsets(t *testing.T, fsys storage.FS, dir string) {
	f, err := fsys.Create(dir + "/a")
	must(t, err)
	defer f.Close()

	if _, err := f.WriteAt([]byte("end"), 7); err != nil {
		t.Fatal(err)
	}
	if got := content(t, f); got != "\x00\x00\x00\x00\x00\x00\x00end" {
		t.Fatalf("a write behind the end leaves %q", got)
	}

	buf := make([]byte, 5)
	n, err := f.ReadAt(buf, 8)
	if n != 2 || !errors.Is(err, io.EOF) || string(buf[:n]) != "nd" {
		t.Fatalf("reading over the end: %d bytes, %v", n, err)
	}
	if n, err := f.ReadAt(buf, 10); n != 0 || !errors.Is(err, io.EOF) {
		t.Fatalf("reading at the end: %d bytes, %v", n, err)
	}
	_, err = f.ReadAt(buf, -1)
	mustFail(t, err, "reading at a negative offset succeeds")
	_, err = f.WriteAt(buf, -1)
	mustFail(t, err, "writing at a negative offset succeeds")
}

// testPieces compares a file that takes several pieces at once with one that takes them one by one:
// behind the end, over what is there and beyond, and more pieces than systems take at once.
func testPieces(t *testing.T, fsys storage.FS, dir string) {
	f, err := fsys.Create(dir + "/a")
	must(t, err)
	defer f.Close()
	many, ok := f.(storage.Gatherer)
	if !ok {
		return // tellMissing has told
	}

	want := []byte{}
	letter := byte('a')
	for _, c := range []struct {
		off   int64
		sizes []int
	}{
		{0, nil}, {3, []int{2, 0, 5}}, {1, []int{1, 1}}, {8, []int{1, 2, 3, 4}},
		{5, slices.Repeat([]int{1, 3}, 1500)}, {10, []int{100_000, 7, 300_000}}, {400_000, []int{5000, 20_000}},
	} {
		var pieces [][]byte
		for _, n := range c.sizes {
			pieces = append(pieces, bytes.Repeat([]byte{letter}, n))
			letter = 'a' + (letter-'a'+1)%26
		}
		all := bytes.Join(pieces, nil)
		n, err := many.WritePieces(pieces, c.off)
		must(t, err)
		if n != int64(len(all)) {
			t.Fatalf("%d of %d bytes were written", n, len(all))
		}

		if end := int(c.off) + len(all); len(all) > 0 && end > len(want) {
			want = append(want, make([]byte, end-len(want))...)
		}
		copy(want[min(int(c.off), len(want)):], all)
		if got := content(t, f); got != string(want) {
			t.Fatalf("%d pieces at %d leave other bytes", len(pieces), c.off)
		}
	}

	_, err = many.WritePieces([][]byte{{1}}, -1)
	mustFail(t, err, "writing at a negative offset succeeds")
	must(t, f.Close())
	_, err = many.WritePieces([][]byte{{1}}, 0)
	mustFail(t, err, "a closed file was written")
}

func testTruncate(t *testing.T, fsys storage.FS, dir string) {
	f, err := fsys.Create(dir + "/a")
	must(t, err)
	defer f.Close()

	if _, err := f.WriteAt([]byte("0123456789"), 0); err != nil {
		t.Fatal(err)
	}

	must(t, f.Truncate(4))
	must(t, f.Truncate(6))
	if got := content(t, f); got != "0123\x00\x00" {
		t.Fatalf("shrunk and grown: %q", got)
	}
	mustFail(t, f.Truncate(-1), "a negative size is accepted")
}

func testReadOnly(t *testing.T, fsys storage.FS, dir string) {
	put(t, fsys, dir+"/a", "abc")
	f, err := fsys.Open(dir + "/a")
	must(t, err)
	_, err = f.WriteAt([]byte("x"), 0)
	mustFail(t, err, "a file opened for reading was written")
	mustFail(t, f.Truncate(0), "a file opened for reading was truncated")

	must(t, f.Close())
	_, err = f.ReadAt(make([]byte, 1), 0)
	mustFail(t, err, "a closed file can be read")
	if got := get(t, fsys, dir+"/a"); got != "abc" {
		t.Fatalf("content is %q", got)
	}
}

func testRenameFile(t *testing.T, fsys storage.FS, dir string) {
	put(t, fsys, dir+"/old", "old")
	put(t, fsys, dir+"/new", "new")
	f, err := fsys.OpenRW(dir + "/old")
	must(t, err)
	defer f.Close()

	g, err := fsys.OpenRW(dir + "/new")
	must(t, err)
	defer g.Close()

	must(t, fsys.Rename(dir+"/new", dir+"/old"))
	if got := get(t, fsys, dir+"/old"); got != "new" {
		t.Fatalf("the name reads %q", got)
	}
	if got := content(t, f); got != "old" {
		t.Fatalf("the handle on the replaced file reads %q", got)
	}
	if _, err := g.WriteAt([]byte("NEW"), 0); err != nil {
		t.Fatal(err)
	}
	if got := get(t, fsys, dir+"/old"); got != "NEW" {
		t.Fatalf("after writing through the moved handle the name reads %q", got)
	}

	_, err = fsys.Stat(dir + "/new")
	want(t, err, fs.ErrNotExist)
	want(t, fsys.Rename(dir+"/gone", dir+"/x"), fs.ErrNotExist)
}

func testRenameDirectory(t *testing.T, fsys storage.FS, dir string) {
	must(t, fsys.Mkdir(dir+"/a"))
	put(t, fsys, dir+"/a/x", "1")
	must(t, fsys.Mkdir(dir+"/ab"))
	must(t, fsys.SyncDir(dir+"/a"))
	want(t, fsys.Rename(dir+"/a", dir+"/ab"), fs.ErrExist)
	must(t, fsys.Rename(dir+"/a", dir+"/c"))
	if got := get(t, fsys, dir+"/c/x"); got != "1" {
		t.Fatalf("file in the moved directory reads %q", got)
	}

	_, err := fsys.Stat(dir + "/a")
	want(t, err, fs.ErrNotExist)
	info, err := fsys.Stat(dir + "/c")
	must(t, err)
	if info != (storage.Info{Name: "c", Dir: true}) {
		t.Fatalf("stat says %+v", info)
	}
}

// testExchange tests the replacement of directories, by an exchange of names or otherwise.
func testExchange(t *testing.T, fsys storage.FS, dir string) {
	must(t, fsys.Mkdir(dir+"/a"))
	put(t, fsys, dir+"/a/x", "directory")
	put(t, fsys, dir+"/b", "file")
	if x, ok := fsys.(storage.Exchanger); ok {
		want(t, x.Exchange(dir+"/a", dir+"/missing"), fs.ErrNotExist)
		err := x.Exchange(dir+"/a", dir+"/b")
		if !errors.Is(err, errors.ErrUnsupported) {
			must(t, err)
			if get(t, fsys, dir+"/a") != "file" || get(t, fsys, dir+"/b/x") != "directory" {
				t.Fatal("names were not exchanged")
			}
			must(t, x.Exchange(dir+"/b", dir+"/a"))
		}
	}

	for range 2 {
		must(t, placing.Replace(fsys, dir+"/b", dir+"/a", true))
		if got := get(t, fsys, dir+"/a"); got != "file" {
			t.Fatalf("what replaced a directory reads %q", got)
		}
		if _, err := fsys.Stat(dir + "/b"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the replaced directory still exists: %v", err)
		}

		must(t, fsys.Mkdir(dir+"/b"))
		put(t, fsys, dir+"/b/y", "another")
		must(t, placing.Replace(fsys, dir+"/b", dir+"/a", true))
		if got := get(t, fsys, dir+"/a/y"); got != "another" {
			t.Fatalf("the directory that replaced a file reads %q", got)
		}

		put(t, fsys, dir+"/b", "file")
	}

	infos, err := fsys.ReadDir(dir)
	must(t, err)
	if len(infos) != 2 {
		t.Fatalf("left behind: %v", infos)
	}

	must(t, fsys.Rename(dir+"/a", dir+"/a.tmp-old"))
	if !placing.Restore(fsys, dir+"/a") || placing.Restore(fsys, dir+"/a") || get(t, fsys, dir+"/a/y") != "another" {
		t.Fatal("a directory that was moved aside is not restored")
	}
}

func testRemove(t *testing.T, fsys storage.FS, dir string) {
	put(t, fsys, dir+"/a", "a")
	f, err := fsys.Open(dir + "/a")
	must(t, err)
	defer f.Close()

	must(t, fsys.Remove(dir+"/a"))
	if got := content(t, f); got != "a" {
		t.Fatalf("the handle on the removed file reads %q", got)
	}

	want(t, fsys.Remove(dir+"/a"), fs.ErrNotExist)
	must(t, fsys.Mkdir(dir+"/d"))
	put(t, fsys, dir+"/d/x", "x")
	mustFail(t, fsys.Remove(dir+"/d"), "a directory with a file in it was removed")

	must(t, fsys.RemoveAll(dir+"/d"))
	must(t, fsys.RemoveAll(dir+"/d"))
	_, err = fsys.Stat(dir + "/d/x")
	want(t, err, fs.ErrNotExist)
	must(t, fsys.Mkdir(dir+"/d"))
	must(t, fsys.Remove(dir+"/d"))
}

func testList(t *testing.T, fsys storage.FS, dir string) {
	_, err := fsys.ReadDir(dir + "/missing")
	want(t, err, fs.ErrNotExist)
	put(t, fsys, dir+"/b", "bb")
	must(t, fsys.Mkdir(dir+"/c"))
	put(t, fsys, dir+"/c/inner", "")
	put(t, fsys, dir+"/a", "")
	got, err := fsys.ReadDir(dir)
	must(t, err)
	if !slices.Equal(got, []storage.Info{{Name: "a"}, {Name: "b", Size: 2}, {Name: "c", Dir: true}}) {
		t.Fatalf("listing is %+v", got)
	}
}
