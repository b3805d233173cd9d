package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// TestReadersBesideAWriter writes the number of the change into all chunks. A reader of a state
// must find the same number in all of them.
func TestReadersBesideAWriter(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	for _, place := range []string{"memory", "disk"} {
		for _, sparse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sparse=%v", place, sparse), func(t *testing.T) {
				fsys, path := storage.FS(storage.NewMemory()), "f"
				n := rounds
				if place == "disk" {
					fsys, path = storage.OS(), filepath.Join(t.TempDir(), "f")
					n /= 5
				}
				f := mustCreate(t, path, &Options{TypeSize: 4, FS: fsys, Sparse: sparse})
				readWhileWriting(t, f, n)
				mustClose(t, f)
				if _, err := Verify(noContext, path, &OpenOptions{FS: fsys}); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

const stampedChunks = 4

func stamp(n, chunk int) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(n)), uint32(chunk)), 20)
}

func readWhileWriting(t *testing.T, f *Frame, rounds int) {
	for i := range stampedChunks {
		mustAppend(t, f, stamp(0, i))
	}
	if err := f.Commit(noContext); err != nil {
		t.Fatal(err)
	}
	published := make(chan *Snapshot, rounds)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for v := range published {
				checkStamps(t, v)
			}
		})
	}
	readers.Go(func() {
		buf := make([]byte, 160)
		for {
			select {
			case <-done:
				return
			default:
			}
			// Chunk 0 is never removed, so it can be read in every state.
			if _, err := f.ReadChunk(noContext, buf, 0); err != nil {
				t.Error(err)
				return
			}
			checkBytes(t, buf)
		}
	})
	rng := rand.New(rand.NewPCG(1, 9))
	for n := 1; n <= rounds; n++ {
		if !writeRound(t, f, rng, n) {
			break
		}
		published <- f.Snapshot()
	}
	close(published)
	close(done)
	readers.Wait()
}

// writeRound gives all chunks a new stamp, by updates or by adding chunks and deleting the old
// ones, and sometimes commits, compacts or rolls back.
func writeRound(t *testing.T, f *Frame, rng *rand.Rand, n int) bool {
	for i := range stampedChunks {
		if err := f.Update(noContext, i, stamp(n, i)); err != nil {
			t.Error(err)
			return false
		}
	}
	if rng.IntN(3) == 0 {
		mustAppend(t, f, stamp(n, stampedChunks))
		if err := f.Delete(noContext, stampedChunks); err != nil {
			t.Error(err)
			return false
		}
	}
	var err error
	switch rng.IntN(5) {
	case 0, 1:
		err = f.Commit(noContext)
	case 2:
		_, err = f.Compact(noContext)
	case 3:
		err = f.Rollback()
	}
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// checkStamps checks that all chunks of a state have the same stamp.
func checkStamps(t *testing.T, v *Snapshot) {
	var first []byte
	for i := range v.NumChunks() {
		buf := make([]byte, 160)
		if _, err := v.ReadChunk(noContext, buf, i); err != nil {
			t.Error(err)
			return
		}
		checkBytes(t, buf)
		if first == nil {
			first = buf[:4]
		} else if !bytes.Equal(first, buf[:4]) {
			t.Errorf("chunk %d is of state %v, chunk 0 of %v", i, buf[:4], first)
		}
	}
}

// checkBytes checks that all bytes of a chunk belong together.
func checkBytes(t *testing.T, buf []byte) {
	if !bytes.Equal(buf[8:], buf[:152]) {
		t.Errorf("a torn chunk: % x", buf)
	}
}

func TestSnapshotsStayReadable(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		f, err := New(&Options{Sparse: sparse, TypeSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		var views []*Snapshot
		var want []model
		m := model{vl: map[string]string{}, meta: map[string]string{}}
		s := &script{t: t, rng: rand.New(rand.NewPCG(3, 3)), f: f, m: m, committed: m.clone()}
		for range 80 {
			s.step()
			views = append(views, f.Snapshot())
			want = append(want, s.m.clone())
		}
		for i, v := range views {
			if err := want[i].differs(v); err != nil {
				t.Fatalf("sparse=%v: view %d: %v", sparse, i, err)
			}
		}
		mustClose(t, f)
	}
}
