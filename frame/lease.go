package frame

import "errors"

// A Lease is the right to the bytes of an encoded chunk, which may be the frame's own memory or mapped,
// for as long as somebody needs them and not longer: a frame in memory can use memory again that was only
// leased, and a file stays mapped until the last lease is released. The zero Lease is none. It serves one
// goroutine at a time.
type Lease struct{ span span }

// LeaseChunk is EncodedChunk for bytes that are needed only until [Lease.Release] of l, which has to be called before l is used again.
func (v *View) LeaseChunk(l *Lease, buf []byte, i int) ([]byte, error) {
	entry, err := v.entry(i)
	if err != nil {
		return nil, err
	}
	c, _, err := v.lease(l, buf, i, entry)
	return c, v.inChunk(i, entry, err)
}

// lease is LeaseChunk for an entry of the index, and tells whether the bytes are the frame's own memory.
func (v *View) lease(l *Lease, buf []byte, i int, entry int64) (c []byte, lent bool, err error) {
	l.span = span{brief: true}
	c, lent, err = v.fetchFrom(&l.span, buf, i, entry)
	if err != nil {
		err = errors.Join(err, l.Release())
	}
	return c, lent, err
}

// leaseFresh is LeaseChunk for bytes that get another checksum, which it returns: they are compared with
// the one that they have even if they were before, or damage since would look sound for good.
func (v *View) leaseFresh(l *Lease, buf []byte, i int, entry int64) (c []byte, sum uint32, lent bool, err error) {
	l.span = span{brief: true}
	c, behind, lent, err := v.fetchUnchecked(&l.span, buf, nil, i, entry)
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

// Release ends the lease. It may be called for none.
func (l *Lease) Release() error {
	err := l.span.close()
	l.span = span{}
	return err
}
