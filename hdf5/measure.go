package hdf5

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
)

// measure finds the longest text of variable length of each datatype in the items. Each string has
// an object of its own in a heap, so together they are hardly longer than the file.
func (d *Dataset) measure(ctx context.Context, w widths) error {
	c, err := newConversion(d.item, w)
	if err != nil {
		return err
	}
	if most := d.file.format.Limits.MaxAlloc; d.bytes() > most {
		return fmt.Errorf("texts of variable length, whose references have more than %d bytes (Limits.MaxAlloc): %w", most, cairn.ErrLimit)
	}

	d.heap.left = 4*d.file.format.Size() + 1<<30
	return d.eachSlab(ctx, make([]int64, len(d.shape)), d.shape, func(items []byte) error {
		for ; len(items) > 0; items = items[c.from:] {
			if err := c.widen(ctx, d.heap, w, items); err != nil {
				return err
			}
			if d.heap.left < 0 {
				return fmt.Errorf("texts of variable length with more bytes than the file: %w", cairn.ErrLimit)
			}
		}
		return nil
	})
}

// widen makes widths at least those of the strings of an item.
func (c *conversion) widen(ctx context.Context, h *heapReader, w widths, item []byte) error {
	for i := range c.moves {
		m := &c.moves[i]
		if m.d == nil || !hasVariable(m.d) {
			continue
		}
		text, err := h.textOf(ctx, m.d, item[m.from:][:m.size])
		if err != nil {
			return err
		}

		h.left -= int64(len(text))
		n := len(text)
		if utf8.Valid(text) { // Latin-1 has as many characters as bytes
			n = utf8.RuneCount(text)
		}

		w[m.d] = max(w[m.d], n)
	}
	return nil
}
