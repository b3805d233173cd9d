package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
)

// TestVerifyTakesPlainFrames verifies a leaf that is not an array, valid and damaged.
func TestVerifyTakesPlainFrames(t *testing.T) {
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		e, err := Edit(path, nil)
		check(t, err)
		f, err := frame.New(&frame.Options{TypeSize: 1})
		check(t, err)
		_, err = f.Append(t.Context(), []byte("some bytes, which are no array"))
		check(t, err, putFrame(t.Context(), e, "/plain", f), f.Close(), e.Close())
		s, err := Open(path, nil)
		check(t, err)
		if r, err := s.Verify(t.Context(), "/plain"); err != nil || r.Shape != nil || r.Frame.Info.NumChunks != 1 {
			t.Errorf("%s: %v, %d chunks", ext, err, r.Frame.Info.NumChunks)
		}
		if r, err := s.Verify(t.Context(), "/a"); err != nil || len(r.Shape) != 1 {
			t.Errorf("%s: %v, shape %v", ext, err, r.Shape)
		}
		if _, err := s.Verify(t.Context(), "/nothing"); !errors.Is(err, cairn.ErrNotFound) {
			t.Errorf("%s: a leaf that is not there: %v", ext, err)
		}
		check(t, s.Close())
	}
	path := filepath.Join(t.TempDir(), "s.b2d")
	makeStore(t, path)
	check(t, os.WriteFile(filepath.Join(path, "bad.b2f"), []byte("\xfe\xff\x01\x02 no frame"), 0o666))
	s, err := Open(path, nil)
	check(t, err)
	defer s.Close()
	if _, err := s.Verify(t.Context(), "/bad"); !errors.Is(err, cairn.ErrCorrupt) {
		t.Errorf("no frame: %v", err)
	}
}
