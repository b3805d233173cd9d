package frame

import (
	"errors"

	"github.com/cairn-go/cairn/internal/inside"
)

// leaseChunk is EncodedChunk for bytes that are needed only until l is released.
func (v *state) leaseChunk(l *inside.Lease, buf []byte, i int) ([]byte, error) {
	entry, err := v.entry(i)
	if err != nil {
		return nil, err
	}
	c, _, err := v.lease(l, buf, i, entry)
	return c, v.inChunk(i, entry, err)
}

// lease is leaseChunk for an entry of the index, and tells whether the bytes are the frame's own
// memory.
func (v *state) lease(l *inside.Lease, buf []byte, i int, entry int64) (c []byte, lent bool, err error) {
	sp := span{brief: true}
	c, lent, err = v.fetchFrom(&sp, buf, i, entry)
	*l = sp.Lease
	if err != nil {
		err = errors.Join(err, l.Release())
	}
	return c, lent, err
}

// leaseFresh is leaseChunk for bytes that get another checksum, which it returns: they are compared
// with the one that they have even if they were before, or damage since would look sound for good.
func (v *state) leaseFresh(
	l *inside.Lease, buf []byte, i int, entry int64,
) (c []byte, sum uint32, lent bool, err error) {
	sp := span{brief: true}
	c, behind, lent, err := v.fetchUnchecked(&sp, buf, nil, i, entry)
	*l = sp.Lease
	if err == nil {
		if sum = checksum(c); v.mayHaveFooter() && v.env.verify != VerifyOff {
			_, err = v.compare(entry, sum, behind)
		}
	}
	if err != nil {
		err = errors.Join(err, l.Release())
	}
	return c, sum, lent, err
}
