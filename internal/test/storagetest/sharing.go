package storagetest

import (
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// testConcurrent appends to a file while others read it. Readers must see exactly the bytes that
// were written.
func testConcurrent(t *testing.T, fsys storage.FS, dir string) {
	f, err := fsys.Create(dir + "/a")
	must(t, err)
	defer f.Close()

	const pieces, length = 64, 1000
	written := make(chan int, pieces)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			buf := make([]byte, length)
			for i := range written {
				if _, err := f.ReadAt(buf, int64(i*length)); err != nil && !errors.Is(err, io.EOF) {
					t.Error(err)
				}
				for _, c := range buf {
					if c != byte(i) {
						t.Errorf("piece %d holds %d", i, c)
						break
					}
				}
			}
		})
	}

	piece := make([]byte, length)
	for i := range pieces {
		for k := range piece {
			piece[k] = byte(i)
		}
		if _, err := f.WriteAt(piece, int64(i*length)); err != nil {
			t.Error(err)
			break
		}
		written <- i
	}

	close(written)
	readers.Wait()
}

// testLending tests files that lend their memory: lent bytes must not change while the file grows,
// shrinks or is removed.
func testLending(t *testing.T, fsys storage.FS, dir string) {
	f, err := fsys.Create(dir + "/a")
	must(t, err)
	defer f.Close()

	if _, err := f.WriteAt([]byte("0123456789"), 0); err != nil {
		t.Fatal(err)
	}

	s, ok := f.(storage.Lender)
	if !ok {
		return // lending is optional
	}

	lent := s.Slice(2, 5)
	if string(lent) != "23456" || cap(lent) != 5 {
		t.Fatalf("lent %q with capacity %d", lent, cap(lent))
	}
	if s.Slice(8, 3) != nil || s.Slice(-1, 2) != nil {
		t.Fatal("bytes were lent that do not exist")
	}
	if _, err := f.WriteAt(make([]byte, 1<<16), 10); err != nil {
		t.Fatal(err)
	}

	must(t, f.Truncate(3))
	must(t, f.Truncate(20))
	if string(lent) != "23456" {
		t.Fatalf("what was lent became %q", lent)
	}
	if s.Lease(19, 2) != nil {
		t.Fatal("bytes were leased that do not exist")
	}

	leased := s.Lease(0, 3)
	if string(leased) != "012" {
		t.Fatalf("what was leased became %q", leased)
	}

	s.Release()
}

// testLocking tests locks of a file system, if it has any.
func testLocking(t *testing.T, fsys storage.FS, dir string) {
	locker, ok := fsys.(storage.Locker)
	if !ok {
		return // locking is optional
	}

	a, err := locker.OpenLock(dir + "/lock")
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}

	must(t, err)
	b, err := locker.OpenLock(dir + "/lock")
	must(t, err)
	defer b.Close()

	try := func(l storage.Lock, exclusive, want bool) {
		t.Helper()
		if got, err := l.TryLock(exclusive); err != nil || got != want {
			t.Fatalf("exclusive %v: got %v, %v", exclusive, got, err)
		}
	}

	try(a, false, true)
	try(b, true, false)
	try(b, false, true)
	must(t, b.Unlock())
	must(t, a.Unlock())
	try(a, true, true)
	try(b, false, false)
	if _, err := a.WriteAt([]byte("12345678"), 8); err != nil {
		t.Fatal(err)
	}

	var got [8]byte
	if _, err := b.ReadAt(got[:], 8); err != nil || string(got[:]) != "12345678" {
		t.Fatalf("the lock's file holds %q, %v", got, err)
	}

	must(t, a.Close())
	try(b, true, true)
	must(t, b.Unlock())
}

// testClaiming tests claims of files, if they support them.
func testClaiming(t *testing.T, fsys storage.FS, dir string) {
	put(t, fsys, dir+"/a", "hello")
	var handles [2]storage.Claimer
	for i := range handles {
		f, err := fsys.OpenRW(dir + "/a")
		must(t, err)
		c, ok := f.(storage.Claimer)
		if !ok {
			must(t, f.Close())
			return // claims are optional
		}
		handles[i] = c
	}

	a := handles[0]
	b := handles[1]
	try := func(c storage.Claimer, want bool) {
		t.Helper()
		if got, err := c.TryClaim(); err != nil || got != want {
			t.Fatalf("a claim: %v, %v", got, err)
		}
	}

	is := func(c storage.Claimer, want bool) {
		t.Helper()
		if got, err := c.Is(dir + "/a"); err != nil || got != want {
			t.Fatalf("the name is the file's: %v, %v", got, err)
		}
	}

	try(a, true)
	try(b, false)
	if _, err := b.WriteAt([]byte("J"), 0); err != nil { // a claim does not prevent writes
		t.Fatal(err)
	}
	if got := content(t, b); got != "Jello" {
		t.Fatalf("read %q", got)
	}

	must(t, a.Unclaim())
	try(b, true)
	must(t, b.Unclaim())
	try(a, true)
	must(t, a.Close()) // which releases the claim
	try(b, true)
	is(b, true)
	put(t, fsys, dir+"/b", "other")
	must(t, fsys.Rename(dir+"/b", dir+"/a"))
	is(b, false)
	must(t, fsys.Remove(dir+"/a"))
	is(b, false)
	must(t, b.Close())
}
