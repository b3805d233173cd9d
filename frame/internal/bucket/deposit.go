package bucket

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/cairn-go/cairn"
)

// Deposit puts the object of a chunk for a commit to come, and returns its number, which follows
// from seed and content. If there is the same object already, this is the one.
func (r *Objects) Deposit(ctx context.Context, seed, content []byte) (int64, error) {
	h := sha256.New()
	h.Write(seed)
	h.Write(content)
	number := 1 + int64(binary.LittleEndian.Uint64(h.Sum(nil))>>2)
	err := r.put(ctx, number, content)
	if errors.Is(err, cairn.ErrConflict) { // the number of another chunk
		number = NewNumber()
		err = r.put(ctx, number, content)
	}
	return number, err
}

// Find fails unless the object of a chunk is there and has a size.
func (r *Objects) Find(ctx context.Context, number, size int64) error {
	name := ObjectName(number, ChunkKind)
	at, err := r.Stat(ctx, r.Name(number, ChunkKind))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return broken(err, name, "a chunk that was deposited")
	case err == nil && at.Size != size:
		return cairn.Corruptf(Layer, -1, "%s has %d bytes, must have %d", name, at.Size, size)
	}
	return err
}
