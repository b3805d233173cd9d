package frame

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

func TestRollbackToSavepoints(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for _, fresh := range []bool{false, true} {
			m := storage.NewMemory()
			f := must(Create("f", &Options{TypeSize: 4, FS: m, Sparse: sparse}))
			must(f.Append(noContext, ramp(100, 0)))
			must(0, f.SetVL("a", []byte("before")))
			want := model{chunks: [][]byte{ramp(100, 0)}, vl: map[string]string{"a": "before"}, meta: map[string]string{}}
			if !fresh {
				must(0, f.Commit(noContext))
			}
			s := f.Inside().Savepoint()
			stage := func() {
				must(f.Append(noContext, ramp(100, 1)))
				must(0, f.Update(noContext, 0, ramp(100, 2)))
				must(0, f.SetVL("a", []byte("after")))
			}
			stage()
			must(0, f.Inside().RollbackTo(s))
			if err := want.differs(f.Snapshot()); err != nil {
				t.Fatalf("sparse=%v, fresh=%v: %v", sparse, fresh, err)
			}
			stage()
			must(0, f.Inside().RollbackChunksTo(s))
			want.vl["a"] = "after"
			if err := want.differs(f.Snapshot()); err != nil {
				t.Fatalf("sparse=%v, fresh=%v, chunks alone: %v", sparse, fresh, err)
			}
			if s.Gone() {
				t.Fatal("gone without a commit")
			}
			must(0, f.Commit(noContext))
			if err := f.Inside().RollbackTo(s); !errors.Is(err, cairn.ErrConflict) || !s.Gone() {
				t.Fatalf("after a commit: %v", err)
			}
			mustClose(t, f)
			g := must(Open("f", &OpenOptions{FS: m}))
			if err := want.differs(g.Snapshot()); err != nil {
				t.Fatalf("sparse=%v, fresh=%v, committed: %v", sparse, fresh, err)
			}
			must(g.Snapshot().Verify(noContext))
			mustClose(t, g)
		}
	}
}

// TestFailedChangesKeepTheLockOfATransaction checks that a failed first change in Atomically does
// not release the lock.
func TestFailedChangesKeepTheLockOfATransaction(t *testing.T) {
	h := sharedHandles(t, storage.NewMemory(), false, 2)
	must(0, h[0].Atomically(noContext, func() error {
		if err := h[0].Delete(noContext, 3); !errors.Is(err, cairn.ErrBounds) {
			t.Fatal(err)
		}
		if !h[0].edit.lock.Holds() {
			t.Fatal("the lock is free")
		}
		_, err := h[0].Append(noContext, lockStamp(0, 0))
		return err
	}))
	must(0, h[0].Lock(noContext))
	must(0, h[0].Lock(noContext))
	must(0, h[0].Unlock())
	if !h[0].edit.lock.Holds() {
		t.Fatal("one of two calls of Lock is enough to give it back")
	}
	s := h[0].Inside().Savepoint()
	must(h[0].Append(noContext, lockStamp(0, 1)))
	must(0, h[0].Unlock())
	if !h[0].edit.lock.Holds() {
		t.Fatal("a staged change does not keep the lock")
	}
	must(0, h[0].Inside().RollbackTo(s))
	if h[0].edit.lock.Holds() {
		t.Fatal("nothing is staged, and the lock is kept")
	}
	must(0, h[1].Lock(noContext))
	if h[1].NumChunks() != 1 {
		t.Fatalf("%d chunks", h[1].NumChunks())
	}
	if err := errors.Join(h[0].Unlock(), h[1].Unlock(), h[0].Close(), h[1].Close()); err != nil {
		t.Fatal(err)
	}
}

// TestCloseReportsANameThatMayNotBeDurable lets the first commit of an empty frame fail after the
// rename. There are no staged changes, but Close must report that the durable state is unknown.
func TestCloseReportsANameThatMayNotBeDurable(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		told := 0
		for at := 1; ; at++ {
			fsys := &storagetest.Faults{FS: storage.NewMemory(), FailAt: at}
			f, err := Create("f", &Options{FS: fsys, Sparse: sparse})
			if err != nil {
				continue
			}
			err = f.Commit(noContext)
			_, named := fsys.Stat("f")
			if closed := f.Close(); err != nil && named == nil {
				told++
				if closed == nil {
					t.Errorf("sparse=%v: Commit fails at operation %d, and Close does not", sparse, at)
				}
			}
			if err == nil {
				break
			}
		}
		if told == 0 {
			t.Errorf("sparse=%v: no commit failed that late", sparse)
		}
	}
}
