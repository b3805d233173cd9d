package golden_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/cairn-go/cairn/internal/test/golden"
	"github.com/cairn-go/cairn/ndarray"
)

func TestHostileArrays(t *testing.T) {
	for _, c := range toDamage(t, golden.B2ND) {
		if c.Sparse {
			continue
		}
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			damage(t, victim{c.Name, raw, c.DecodedSize, readArray})
		})
	}
}

func readArray(raw []byte) ([32]byte, error) {
	// a panic of another goroutine could not be caught
	u, err := ndarray.FromBytes(raw, &ndarray.OpenOptions{Workers: 1})
	if err != nil {
		return [32]byte{}, err
	}
	defer u.Close()
	return digestArray(u)
}

// digestArray reads the array, or, if damage has enlarged it, as much of its corner as fits into a
// fixed buffer.
func digestArray(u *ndarray.Untyped) ([32]byte, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	stop := append([]int64{}, u.Shape()...)
	size := int64(u.TypeSize())
	for i := range stop {
		stop[i] = min(stop[i], max(1, int64(len(*buf))/max(size, 1)))
		size *= stop[i]
	}
	if size > int64(len(*buf)) {
		return [32]byte{}, errors.New("one item does not fit the buffer")
	}
	if err := u.ReadBytes(context.Background(), (*buf)[:size], make([]int64, len(stop)), stop); err != nil {
		return [32]byte{}, err
	}
	return sha256.Sum256((*buf)[:size]), nil
}
