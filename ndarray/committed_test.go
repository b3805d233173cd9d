package ndarray

import (
	"errors"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// TestErrorsOfArraysSayWhetherTheyAreCommitted makes each operation of a change of an array fail.
func TestErrorsOfArraysSayWhetherTheyAreCommitted(t *testing.T) {
	ctx := t.Context()
	values := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	committed := 0
	for kind := range 4 {
		sparse, atomically := kind&1 != 0, kind&2 != 0
		for at, done := 1, false; !done; at++ {
			fsys := storage.NewMemory()
			a, err := Create[int32]("a", Shape{8}, &Options{ChunkShape: Shape{4}, Sparse: sparse, FS: fsys})
			check(t, err, a.Write(ctx, values), a.Close())
			faults := &storagetest.Faults{FS: fsys, FailAt: at, Closes: true}
			a, err = OpenAs[int32]("a", &OpenOptions{Mode: ReadWrite, FS: faults})
			if err == nil {
				write := func() error { return a.Fill(ctx, 9, Range(2, 6)) }
				if atomically {
					err = a.Atomically(ctx, write)
				} else {
					err = write()
				}
				err = errors.Join(err, a.Close())
			}
			done = faults.Hits() == 0

			a, opened := OpenAs[int32]("a", &OpenOptions{FS: fsys})
			check(t, opened)
			got, failed := a.Read(ctx)
			check(t, failed, a.Close())
			want := values
			if err == nil || errors.Is(err, cairn.ErrCommitted) {
				want = []int32{0, 1, 9, 9, 9, 9, 6, 7}
			}
			if !slices.Equal(got, want) {
				t.Errorf("sparse %v, atomically %v, operation %d: %v after %v", sparse, atomically, at, got, err)
			}
			if errors.Is(err, cairn.ErrCommitted) {
				committed++
			}
		}
	}
	if committed < 6 {
		t.Errorf("%d faults after the commit", committed)
	}
}
