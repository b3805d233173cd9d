package format

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5/filter"
)

// A huge object of a fractal heap lies by itself in the file. Its ID has its address, its length
// and, if there are filters, their u32 mask and the decoded length; or, if that is too long, a
// number by which a B-tree of version 2 has these.

// mostHuge is the most huge objects of a heap.
const mostHuge = 1 << 20

// A hugePlace is where a huge object is.
type hugePlace struct {
	at, size int64
	mask     uint32
	decoded  int64
}

func (h *Heap) hugePlace(c *cursor) hugePlace {
	p := hugePlace{at: c.address(), size: c.length()}
	p.decoded = p.size
	if h.filters != nil {
		p.mask = c.u32()
		p.decoded = c.length()
	}
	return p
}

// huge returns the huge object of an ID, without its first byte.
func (r *Reader) huge(h *Heap, id []byte) ([]byte, error) {
	direct := r.OffsetSize + r.LengthSize
	if h.filters != nil {
		direct += 4 + r.LengthSize
	}

	var p hugePlace
	c := r.cursor(layerFractal, id, None)
	if h.idSize-1 >= direct {
		p = h.hugePlace(&c)
	} else {
		number := c.uint(min(h.idSize-1, r.LengthSize))
		if err := c.done(); err != nil {
			return nil, err
		}
		var err error
		if p, err = r.findHuge(h, number); err != nil {
			return nil, err
		}
	}

	if err := c.done(); err != nil {
		return nil, err
	}

	if p.decoded > r.Limits.MaxMeta {
		return nil, fmt.Errorf("object of %d bytes in a fractal heap, the most is %d: %w", p.decoded, r.Limits.MaxMeta,
			cairn.ErrLimit)
	}

	b, err := r.Bytes(layerFractal, p.at, p.size, r.Limits.MaxMeta)
	if err != nil || h.filters == nil {
		return b, err
	}

	decoded := make([]byte, p.decoded)
	if err := filter.Decode(decoded, b, h.filters, p.mask); err != nil {
		return nil, fmt.Errorf("object in a fractal heap at offset %d: %w", r.offset(p.at), err)
	}
	return decoded, nil
}

// findHuge looks a huge object up by its number.
func (r *Reader) findHuge(h *Heap, number uint64) (hugePlace, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hugePlaces == nil {
		places := map[uint64]hugePlace{}
		err := r.walkTree2(h.huge, func(t *tree2, record []byte) error {
			if t.kind != hugeRecord && t.kind != hugePackedRecord {
				return cairn.Corruptf(layerTree2, r.offset(h.huge), "type %d for huge objects", t.kind)
			}
			if len(places) == mostHuge {
				return fmt.Errorf("more than %d huge objects in a heap: %w", mostHuge, cairn.ErrLimit)
			}

			c := r.cursor(layerTree2, record, None)
			p := h.hugePlace(&c)
			places[c.uint(r.LengthSize)] = p
			return c.done()
		})
		if err != nil {
			return hugePlace{}, err
		}
		h.hugePlaces = places
	}

	p, ok := h.hugePlaces[number]
	if !ok {
		return hugePlace{}, cairn.Corruptf(layerFractal, r.offset(h.at), "no huge object has the number %d", number)
	}
	return p, nil
}
