package filter

import (
	"fmt"

	"github.com/cairn-go/cairn"
)

// A Decoder decodes chunks of one dataset. It reuses its memory from chunk to chunk, and must not
// be used concurrently.
type Decoder struct {
	filters []Filter
	w       workspace
}

// NewDecoder returns a decoder for the filters of a dataset, or the error of [Check].
func NewDecoder(filters []Filter) (*Decoder, error) {
	if err := Check(filters); err != nil {
		return nil, err
	}
	return &Decoder{filters: filters}, nil
}

// Decode fills dst, which has the size of the chunk's items, from the stored bytes of a chunk. It
// undoes the filters from the last to the first, except those whose bit in mask is set. dst and src
// must not overlap.
//
// Errors match [cairn.ErrCorrupt] if src does not decode to exactly len(dst) bytes, and
// [cairn.ErrChecksum] if its checksum differs. Then the contents of dst are undefined. Between two
// filters there are at most twice as many bytes as in dst, and 64 KiB; other chunks fail with
// [cairn.ErrLimit].
func (d *Decoder) Decode(dst, src []byte, mask uint32) error {
	w := &d.w

	first := firstUsed(d.filters, mask)
	for i := len(d.filters) - 1; i >= first; i-- {
		if masked(mask, i) {
			continue
		}
		if d.streams(i, first, len(dst), mask) {
			return inflateShuffled(dst, src, int(d.filters[first].param(0)))
		}

		to := dst
		if i > first {
			n, err := sizeBefore(d.filters[:i+1], mask, src, len(dst))
			if err != nil {
				return err
			}
			to = w.free(n)
		}
		out, err := lookup(d.filters[i].ID).decode(w, d.filters[i], to, src)
		if err != nil {
			return err
		}

		// Mark the memory of the result of a filter as in use.
		if free := w.between[1-w.used]; len(out) > 0 && len(free) > 0 && &out[0] == &free[0] {
			w.used = 1 - w.used
		}

		src = out
	}

	if len(src) != len(dst) {
		return cairn.Corruptf("HDF5 chunk", -1, "%d bytes, want %d", len(src), len(dst))
	}
	if len(dst) > 0 && &src[0] != &dst[0] {
		copy(dst, src)
	}
	return nil
}

// streams reports whether filter i is a deflate with only a shuffle before it, of a large chunk.
func (d *Decoder) streams(i, first, size int, mask uint32) bool {
	if size < streamed || d.filters[i].ID != Deflate || d.filters[first].ID != Shuffle {
		return false
	}
	item := d.filters[first].param(0)
	return first+1+firstUsed(d.filters[first+1:], mask>>(first+1)) == i && item > 1 && item < int64(size)
}

// Decode is [Decoder.Decode] for a single chunk.
func Decode(dst, src []byte, filters []Filter, mask uint32) error {
	d, err := NewDecoder(filters)
	if err != nil {
		return err
	}
	return d.Decode(dst, src, mask)
}

// An Encoder encodes chunks of one dataset. It reuses its memory from chunk to chunk, and must not
// be used concurrently.
type Encoder struct {
	filters []Filter
	w       workspace
}

// NewEncoder returns an encoder for the filters of a dataset. It fails with an error that matches
// [cairn.ErrUnsupported] for filters that [Check] refuses, and for nbit, scale-offset, bzip2 and
// those that round numbers.
func NewEncoder(filters []Filter) (*Encoder, error) {
	if err := Check(filters); err != nil {
		return nil, err
	}

	for _, f := range filters {
		if lookup(f.ID).encode == nil {
			return nil, unsupported(f, "cannot be encoded")
		}
	}
	return &Encoder{filters: filters}, nil
}

// Append appends to dst what is to be stored for the items of a chunk. It applies the filters in
// their order, and returns the mask of those that it left out because the chunk would not have
// become smaller. The mask is stored with the chunk. dst and src must not overlap.
func (e *Encoder) Append(dst, src []byte) (out []byte, mask uint32, err error) {
	for i, f := range e.filters {
		r := lookup(f.ID)

		// What the last filter makes need not be copied.
		direct := i == len(e.filters)-1 && len(dst) == 0
		to := dst
		if !direct {
			to = e.w.free(0)
		}

		var made []byte
		if r.extra != varies || len(src) > 0 {
			if made, err = r.encode(&e.w, f, to, src); err != nil {
				return dst, 0, err
			}
		}

		switch {
		case made == nil:
			mask |= 1 << i
			continue
		case len(made) > 0 && len(src) > 0 && &made[0] == &src[0]: // where it was
		case direct:
			return made, mask, nil
		default:
			e.w.used = 1 - e.w.used
			e.w.between[e.w.used] = made
		}
		src = made
	}
	return append(dst, src...), mask, nil
}

// Encode is [Encoder.Append] for a single chunk.
func Encode(dst, src []byte, filters []Filter) (out []byte, mask uint32, err error) {
	e, err := NewEncoder(filters)
	if err != nil {
		return dst, 0, err
	}
	return e.Append(dst, src)
}

func masked(mask uint32, i int) bool { return mask>>i&1 != 0 }

// firstUsed returns the first filter that the mask does not leave out.
func firstUsed(filters []Filter, mask uint32) int {
	for i := range filters {
		if !masked(mask, i) {
			return i
		}
	}
	return len(filters)
}

// sizeBefore returns the number of bytes of which the last of the filters made src, for a chunk of
// size bytes.
func sizeBefore(filters []Filter, mask uint32, src []byte, size int) (int, error) {
	last := len(filters) - 1
	n := size
	known := true

	for i, f := range filters[:last] {
		if !masked(mask, i) {
			extra := lookup(f.ID).extra
			known = known && extra != varies
			n += extra
		}
	}
	if known {
		return n, nil
	}

	f := filters[last]
	most := 2*size + 64<<10
	r := lookup(f.ID)
	n = len(src)
	if r.extra != varies {
		n -= r.extra
	} else {
		var err error
		if n, err = r.size(f, src, most); err != nil {
			return 0, err
		}
	}

	switch {
	case n < 0:
		return 0, corrupt(f.ID, "%d bytes", len(src))
	case n > most:
		return 0, fmt.Errorf("HDF5 chunk: %s decodes to more than %d bytes, for %d of items: %w", f.ID, most, size, cairn.ErrLimit)
	}
	return n, nil
}
