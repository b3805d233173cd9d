package frame

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/inside"
	"github.com/cairn-go/cairn/storage"
)

// onDisk writes a frame of n chunks of several kinds to a file, behind some other bytes.
func onDisk(t *testing.T, n int, before int64) string {
	t.Helper()
	f, err := New(&Options{TypeSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if i%7 == 3 {
			err = f.AppendSpecial(noContext, chunk.SpecialZeros, 4000)
		} else {
			_, err = f.Append(noContext, ramp(1000, i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b := must(f.Bytes())
	mustClose(t, f)
	path := filepath.Join(t.TempDir(), "frame")
	if err := os.WriteFile(path, append(make([]byte, before), b...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMappedReadsAreReads(t *testing.T) {
	for _, before := range []int64{0, 13} {
		path := onDisk(t, 300, before)
		plain := must(Open(path, &OpenOptions{Offset: before}))
		mapped := must(Open(path, &OpenOptions{Offset: before, Map: true}))
		_, lends := mapped.cur.Load().oneFile().(storage.Lender)
		onUnix := runtime.GOOS != "windows" && runtime.GOOS != "plan9" && runtime.GOOS != "js" &&
			runtime.GOOS != "wasip1"
		if lends != onUnix {
			t.Fatalf("mapped: %v", lends)
		}
		a, b := make([]byte, 4000), make([]byte, 4000)
		for i := range plain.NumChunks() {
			if wantInfo, gotInfo := must(plain.Chunk(i)), must(mapped.Chunk(i)); wantInfo != gotInfo {
				t.Fatalf("chunk %d is %+v, mapped %+v", i, wantInfo, gotInfo)
			}
			must(plain.ReadChunk(noContext, a, i))
			must(mapped.ReadChunk(noContext, b, i))
			if !bytes.Equal(a, b) {
				t.Fatalf("chunk %d differs", i)
			}
			if !bytes.Equal(must(plain.EncodedChunk(nil, i)), must(mapped.EncodedChunk(nil, i))) {
				t.Fatalf("chunk %d differs as stored", i)
			}
			from := i % 900
			n := must(plain.ReadItems(noContext, a, i, from, from+100))
			m := must(mapped.ReadItems(noContext, b, i, from, from+100))
			if n != m || !bytes.Equal(a[:n], b[:m]) {
				t.Fatalf("items of chunk %d differ", i)
			}
		}
		if !bytes.Equal(must(plain.Bytes()), must(mapped.Bytes())) {
			t.Fatal("the frames differ")
		}
		mustClose(t, plain)
		mustClose(t, mapped)
		if _, err := mapped.ReadChunk(noContext, a, 0); !errors.Is(err, cairn.ErrClosed) {
			t.Fatalf("after Close: %v", err)
		}
	}
}

func TestMapIsForReading(t *testing.T) {
	path := onDisk(t, 3, 0)
	if _, err := Open(path, &OpenOptions{Map: true, Mode: ReadWrite}); !errors.Is(err, cairn.ErrReadOnly) {
		t.Fatalf("got %v", err)
	}
	f := must(Open(path, &OpenOptions{Map: true}))
	if _, err := f.Append(noContext, ramp(1000, 0)); !errors.Is(err, cairn.ErrReadOnly) {
		t.Fatalf("append: %v", err)
	}
	mustClose(t, f)
}

func TestMappedFilesThatShrinkGiveErrors(t *testing.T) {
	path := onDisk(t, 50, 0)
	f := must(Open(path, &OpenOptions{Map: true}))
	if err := os.Truncate(path, 3000); err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 4000)
	if _, err := f.ReadChunk(noContext, dst, 0); err != nil {
		t.Fatalf("what is still there: %v", err)
	}
	if _, err := f.ReadChunk(noContext, dst, 48); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("what is not: %v", err)
	}
	if _, err := f.Chunk(48); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatalf("what is not: %v", err)
	}
	mustClose(t, f)
}

// TestMappedFramesMayBeClosedDuringReads closes a frame during reads.
func TestMappedFramesMayBeClosedDuringReads(t *testing.T) {
	path := onDisk(t, 50, 0)
	plain := must(Open(path, nil))
	for range 10 {
		f := must(Open(path, &OpenOptions{Map: true}))
		v := f.Snapshot()
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(g), 5))
				got, want := make([]byte, 4000), make([]byte, 4000)
				for {
					i := rng.IntN(50)
					if _, err := v.ReadChunk(noContext, got, i); err != nil {
						if !errors.Is(err, cairn.ErrClosed) && !errors.Is(err, fs.ErrClosed) {
							t.Errorf("chunk %d: %v", i, err)
						}
						return
					}
					if _, err := plain.ReadChunk(noContext, want, i); err != nil || !bytes.Equal(got, want) {
						t.Errorf("chunk %d differs, %v", i, err)
						return
					}
				}
			})
		}
		runtime.Gosched()
		mustClose(t, f)
		wg.Wait()
	}
	mustClose(t, plain)
}

// TestMappedMemoryOutlivesItsOwner uses encoded chunks when the frame is unreachable, closed or
// not. Callers need not keep the frame alive.
func TestMappedMemoryOutlivesItsOwner(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	path := onDisk(t, 50, 0)
	plain := must(Open(path, nil))
	want := must(plain.EncodedChunk(nil, 5))
	mustClose(t, plain)
	for _, closes := range []bool{false, true} {
		var lease inside.Lease
		for name, take := range map[string]func(v *Snapshot) []byte{
			"encoded": func(v *Snapshot) []byte { return must(v.EncodedChunk(nil, 5)) },
			"leased": func(v *Snapshot) []byte {
				c, _, err := v.Inside().Lease(context.Background(), &lease, nil, 5)
				return must(c, err)
			},
		} {
			f := must(Open(path, &OpenOptions{Map: true}))
			got := take(f.Snapshot())
			if closes {
				mustClose(t, f)
			}
			for range 3 {
				runtime.GC()
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the chunk has changed", name)
			}
		}
		if err := lease.Release(); err != nil {
			t.Error(err)
		}
	}
}

// TestChunksBesideTheirFootersAreLent appends chunks that fill their memory exactly, so that their
// footers are elsewhere. They must be lent, not copied, and verified all the same.
func TestChunksBesideTheirFootersAreLent(t *testing.T) {
	for _, mode := range []VerifyMode{VerifyOnFirstTouch, VerifyAlways} {
		f, err := New(&Options{Level: chunk.Stored, Verify: mode})
		if err != nil {
			t.Fatal(err)
		}
		noise := make([]byte, 3<<16-chunk.HeaderSize)
		for i := range noise {
			noise[i] = byte(i * i >> 7)
		}
		for range 4 {
			must(f.Append(noContext, noise))
		}
		for i := range 4 {
			var lease inside.Lease
			first, _, err := f.Inside().Lease(context.Background(), &lease, nil, i)
			if err != nil {
				t.Fatal(err)
			}
			mustRelease(t, &lease)
			again, _, err := f.Inside().Lease(context.Background(), &lease, nil, i)
			if err != nil {
				t.Fatal(err)
			}
			if &first[0] != &again[0] || !bytes.Equal(first[chunk.HeaderSize:], noise) {
				t.Errorf("%v: chunk %d is copied, or wrong", mode, i)
			}
			mustRelease(t, &lease)
		}
		mustClose(t, f)
	}
}

func mustRelease(t *testing.T, l *inside.Lease) {
	t.Helper()
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}
