package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// A sealedStore is the output of a job with several results.
type sealedStore struct {
	j    *Job
	o    *SealOptions
	path string
	made []*ndarray.Untyped // of each leaf
}

// A pendingStore is a new store, which appears when it is closed.
type pendingStore struct{ *store.Editor }

func (p pendingStore) Commit(context.Context) error { return p.Editor.Close() }
func (p pendingStore) Close() error                 { return nil }

func (s *sealedStore) create(ctx context.Context) (pending, error) {
	e, err := store.Create(s.path, &store.Options{OpenOptions: store.OpenOptions{FS: s.o.FS}})
	if err != nil {
		return nil, err
	}

	for i, l := range s.j.plan.Leaves {
		if err := e.Put(ctx, l.Key, s.made[i], nil); err != nil {
			return nil, errors.Join(err, e.Abort())
		}
	}
	return pendingStore{e}, nil
}

func (s *sealedStore) compare(ctx context.Context) error {
	other := isOther(s.path)
	have, err := store.Open(s.path, &store.OpenOptions{FS: s.o.FS})
	if err != nil {
		return fmt.Errorf("%w: %w", other, err)
	}
	defer have.Close()

	leaves := 0
	for range have.Leaves() {
		leaves++
	}
	if leaves != len(s.j.plan.Leaves) {
		return other
	}

	for i, l := range s.j.plan.Leaves {
		u, err := have.Array(ctx, l.Key)
		if err != nil {
			return fmt.Errorf("%w: %w", other, err)
		}
		same := l.fits(u)
		if same {
			same, err = sameChunks(ctx, u.Frame(), s.made[i].Frame())
		}
		if err = cmp.Or(err, u.Close()); err != nil {
			return err
		}
		if !same {
			return other
		}
	}
	return nil
}

// sameChunks reports whether frames have the same encoded chunks.
func sameChunks(ctx context.Context, a, b *frame.Frame) (bool, error) {
	if a.NumChunks() != b.NumChunks() {
		return false, nil
	}

	for i := range a.NumChunks() {
		x, err := a.EncodedChunk(nil, i)
		if err != nil {
			return false, err
		}

		y, err := b.EncodedChunk(nil, i)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return false, err
		}
		if !bytes.Equal(x, y) {
			return false, nil
		}
	}
	return true, nil
}
