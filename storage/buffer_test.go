package storage_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// TestMemoryFileIsASequenceOfBytes applies random operations to a file in memory and to a slice.
// Lent bytes must not change, even if they are overwritten.
func TestMemoryFileIsASequenceOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f, err := storage.NewMemory().Create("a")
		if err != nil {
			t.Fatal(err)
		}
		var want []byte
		type loan struct {
			lent, was []byte
			leased    bool
		}
		var loans []loan
		forGood := r.IntN(2) == 0
		for range 200 {
			if len(loans) > 0 && r.IntN(10) == 0 {
				for _, l := range loans {
					if l.leased {
						f.(storage.Lender).Release()
					}
				}
				loans = nil
			}
			off := r.IntN(len(want) + 1)
			if r.IntN(8) == 0 {
				off = len(want) + r.IntN(100) // leaves a gap
			}
			p := make([]byte, 1+r.IntN(1<<(1+r.IntN(15))))
			for i := range p {
				p[i] = byte(r.Uint32())
			}
			switch r.IntN(10) {
			case 0:
				size := r.IntN(len(want) + 200)
				if err := f.Truncate(int64(size)); err != nil {
					t.Fatal(err)
				}
				want = append(want, make([]byte, max(0, size-len(want)))...)[:size]
			default:
				if n, err := f.WriteAt(p, int64(off)); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
				want = append(want, make([]byte, max(0, off+len(p)-len(want)))...)
				copy(want[off:], p)
				lend := f.(storage.Lender).Lease
				if forGood {
					lend = f.(storage.Lender).Slice
				}
				lent := lend(int64(off), len(p))
				if lent == nil && len(p) >= 4<<10 {
					t.Fatalf("%d bytes written at once cannot be lent", len(p))
				}
				if lent != nil { // else it spans several extents
					if !bytes.Equal(lent, p) || cap(lent) != len(p) {
						t.Fatalf("lent %d bytes with a capacity of %d that differ from the %d written", len(lent), cap(lent), len(p))
					}
					loans = append(loans, loan{lent, bytes.Clone(lent), !forGood})
				}
			}
			for _, l := range loans {
				if !bytes.Equal(l.lent, l.was) {
					t.Fatal("lent bytes changed")
				}
			}
			sameContent(t, f, want, r)
		}
	}
}

// sameContent compares all of a file, and a random part of it.
func sameContent(t *testing.T, f storage.File, want []byte, r *rand.Rand) {
	t.Helper()
	if n, err := f.Size(); n != int64(len(want)) || err != nil {
		t.Fatalf("%d bytes, %v; not %d", n, err, len(want))
	}
	got := make([]byte, len(want)+1)
	if n, err := f.ReadAt(got, 0); n != len(want) || !errors.Is(err, io.EOF) || !bytes.Equal(got[:n], want) {
		t.Fatalf("read %d of %d bytes, %v, or not the same", n, len(want), err)
	}
	if len(want) == 0 {
		return
	}
	from := r.IntN(len(want))
	part := got[:r.IntN(len(want)-from+1)]
	if n, err := f.ReadAt(part, int64(from)); n != len(part) || err != nil || !bytes.Equal(part, want[from:from+n]) {
		t.Fatalf("read %d of %d bytes at %d, %v, or not the same", n, len(part), from, err)
	}
}

// TestMemoryFileLendsEachWrite checks that a chunk appended by one write can be lent,
// which frames rely on.
func TestMemoryFileLendsEachWrite(t *testing.T) {
	f, err := storage.NewMemory().Create("a")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	off := int64(97) // after a header that is written later
	for range 300 {
		p := bytes.Repeat([]byte{byte(off)}, 1+r.IntN(1<<r.IntN(18)))
		if _, err := f.WriteAt(p, off); err != nil {
			t.Fatal(err)
		}
		if lent := f.(storage.Lender).Slice(off, len(p)); !bytes.Equal(lent, p) {
			t.Fatalf("%d bytes at %d are not lent as they were written", len(p), off)
		}
		off += int64(len(p))
	}
}

// TestMemoryFilesKnowTheirHandles counts handles.
func TestMemoryFilesKnowTheirHandles(t *testing.T) {
	m := storage.NewMemory()
	f, err := m.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	alone := func(want bool) {
		t.Helper()
		if f.(interface{ Alone() bool }).Alone() != want {
			t.Fatalf("alone: %v", !want)
		}
	}
	alone(true)
	for _, open := range []func(string) (storage.File, error){m.Open, m.OpenRW} {
		other, err := open("a")
		if err != nil {
			t.Fatal(err)
		}
		alone(false)
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if err := other.Close(); err == nil {
			t.Fatal("closed twice")
		}
		alone(true)
	}
}

// TestReadersOfReplacedMemory leases bytes in many goroutines while they are overwritten. All bytes
// of a lease are of one write, until its end.
func TestReadersOfReplacedMemory(t *testing.T) {
	const n = 40_000
	_, f := file(t, 0)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				b := f.Lease(20_000, n)
				if b == nil {
					continue // it spans several extents
				}
				was := b[0]
				for k := 0; k < n; k += 50 {
					if b[k] != was {
						t.Errorf("byte %d of the lent ones is %d, the first one was %d", k, b[k], was)
						break
					}
				}
				f.Release()
			}
		})
	}
	for i := range 500 {
		p := bytes.Repeat([]byte{byte(i)}, n)
		if _, err := f.(storage.File).WriteAt(p, 20_000); err != nil {
			t.Fatal(err)
		}
		if _, err := f.(storage.File).WriteAt(p[:100+i%400], 0); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
}

// file returns a file of 100 000 bytes in a new file system.
func file(t *testing.T, fill byte) (storage.FS, storage.Lender) {
	t.Helper()
	m := storage.NewMemory()
	f, err := m.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{fill}, 100_000), 0); err != nil {
		t.Fatal(err)
	}
	return m, f.(storage.Lender)
}

// TestDiscardedMemoryIsNotShared discards files while some of their bytes are lent, and writes
// others of the same size.
func TestDiscardedMemoryIsNotShared(t *testing.T) {
	var kept [][]byte
	for i := range 50 {
		m, f := file(t, byte(i))
		switch i % 3 {
		case 0:
			kept = append(kept, f.Slice(100, 50_000))
		case 1:
			kept = append(kept, f.Lease(100, 50_000))
			if f.Lease(100, 50_000) == nil || f.Lease(1, 1<<20) != nil {
				t.Fatal("a lease of bytes that are there was refused, or of others given")
			}
			f.Release() // one of two leases
		}
		m.(interface{ Discard() }).Discard()
		if f.Lease(0, 1) != nil || f.Slice(0, 1) != nil {
			t.Fatal("a discarded file lends memory")
		}
		if n, err := f.(storage.File).ReadAt(make([]byte, 10), 0); n != 0 || !errors.Is(err, io.EOF) {
			t.Fatalf("a discarded file has %d bytes, %v", n, err)
		}
		if infos, err := m.ReadDir("."); len(infos) != 0 || err != nil {
			t.Fatal(infos, err)
		}
	}
	for i, b := range kept {
		if want := byte(i/2*3 + i%2); !bytes.Equal(b, bytes.Repeat([]byte{want}, 50_000)) {
			t.Errorf("bytes that were lent by file %d changed", want)
		}
	}
}

// TestReusedMemoryIsCleared creates files in reused memory, in which old contents must not be
// visible.
func TestReusedMemoryIsCleared(t *testing.T) {
	for range 20 {
		m, _ := file(t, 0xa5)
		m.(interface{ Discard() }).Discard()
		f, err := storage.NewMemory().Create("a")
		if err != nil {
			t.Fatal(err)
		}
		want := append(bytes.Repeat([]byte{7}, 90_000), make([]byte, 30_000)...)
		if _, err := f.WriteAt(want[:90_000], 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(120_000); err != nil {
			t.Fatal(err)
		}
		sameContent(t, f, want, rand.New(rand.NewPCG(5, 6)))
	}
}
