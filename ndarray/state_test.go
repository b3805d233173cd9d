package ndarray

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-go/cairn"
)

func TestSnapshotStaysAsItWas(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		a, err := Create[int32](filepath.Join(t.TempDir(), "a"), Shape{6, 4}, &Options{ChunkShape: Shape{2, 4}, BlockShape: Shape{1, 4}, Sparse: sparse, Fill: 7})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Set(1, 0, 0); err != nil {
			t.Fatal(err)
		}
		s, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Read(t.Context())
		if err != nil || want[0] != 1 {
			t.Fatalf("a snapshot does not have what is staged: %v, %v", want, err)
		}
		for v := range int32(20) {
			if err := errors.Join(a.Fill(t.Context(), v), a.Commit(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Read(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Errorf("sparse %v: the snapshot became %v, %v", sparse, got, err)
		}
		if now, err := a.At(0, 0); err != nil || now != 19 {
			t.Errorf("sparse %v: the array holds %d, %v", sparse, now, err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSnapshotChangesNothing(t *testing.T) {
	a, err := FromSlice([]int16{1, 2, 3}, Shape{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, compact := s.Compact(t.Context())
	for name, err := range map[string]error{
		"write": s.Set(5, 0), "fill": s.Fill(t.Context(), 5), "commit": s.Commit(t.Context()), "rollback": s.Rollback(), "compact": compact,
		"atomically": s.Atomically(t.Context(), func() error { return nil }),
	} {
		if !errors.Is(err, cairn.ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(t.Context()); !errors.Is(err, cairn.ErrClosed) {
		t.Errorf("reading a closed snapshot: %v", err)
	}
	if v, err := a.At(2); err != nil || v != 3 {
		t.Errorf("the array after that: %v, %v", v, err)
	}
}
