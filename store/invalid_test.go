package store

import (
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

func TestMistakesOfCallersAreInvalid(t *testing.T) {
	ctx := t.Context()
	m := storage.NewMemory()
	e, err := Create("s.b2z", &Options{OpenOptions: OpenOptions{FS: m}})
	check(t, err, e.Put(ctx, "/a", numbers(t, 1), nil), e.Close())
	s, err := Open("s.b2z", &OpenOptions{FS: m})
	check(t, err)
	defer s.Close()
	_, path := Create("", nil)
	_, workers := Open("s.b2z", &OpenOptions{FS: m, Workers: -1})
	_, key := s.Array(ctx, "/a//b")
	for name, err := range map[string]error{
		"an empty path": path, "workers": workers, "a key": key, "a new key": CheckKey("/x\n"),
		"chunks of a copy": s.Copy(ctx, "t.b2z", &ndarray.CopyOptions{ChunkShape: ndarray.Shape{1}}),
	} {
		if !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
