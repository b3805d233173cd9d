package format

import "github.com/cairn-go/cairn"

// required returns the first message of a type, which the header must have.
func (r *Reader) required(h *Header, kind uint8, layer string) (*message, error) {
	m := h.find(kind)
	if m == nil {
		return nil, cairn.Corruptf(layerHeader, r.offset(h.Address), "no %s", layer)
	}
	return m, nil
}
