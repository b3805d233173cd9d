package frame

import "errors"

// A Lease is the right to the bytes of an encoded chunk, which may be the frame's own memory, for as long as somebody needs them and not longer: a
// frame in memory can use memory again that was only leased. The zero Lease is none. It serves one goroutine at a time.
type Lease struct {
	view *View // kept alive, and with it the mapping of a file that the bytes may be in
	span span
}

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
	l.view, l.span = v, span{brief: true}
	c, lent, err = v.fetchFrom(&l.span, buf, i, entry)
	if err != nil {
		err = errors.Join(err, l.Release())
	}
	return c, lent, err
}

// Release ends the lease. It may be called for none.
func (l *Lease) Release() error {
	err := l.span.close()
	l.view, l.span = nil, span{}
	return err
}
