package format

// A fill value message is
//
//	old:          u32 size, value
//	version 1, 2: u8 version, u8 and u8 when it is written, u8 defined, perhaps u32 size, value
//	version 3:    u8 version, u8 flags, perhaps u32 size, value

const layerFill = "fill value message"

const (
	fillUndefined = 1 << 4
	fillDefined   = 1 << 5
)

// Fill returns the fill value of a dataset, encoded as an item of it; nil if the file has none,
// which stands for zeros. undefined is set if the file says that there is none.
func (r *Reader) Fill(h *Header) (value []byte, undefined bool, err error) {
	m := h.find(msgFill)
	if m == nil {
		m = h.find(msgOldFill)
		if m == nil {
			return nil, false, nil
		}
	}

	data, at, err := r.resolved(m)
	if err != nil {
		return nil, false, err
	}

	c := r.cursor(layerFill, data, at)
	if m.kind == msgFill {
		version := c.version(layerFill, 1, 3)
		flags := c.Uint8()
		there := flags&fillDefined != 0
		undefined = flags&fillUndefined != 0
		if version < 3 {
			c.Skip(1)
			there = c.Uint8() != 0 || version == 1
			undefined = !there
		}
		if !there {
			return nil, undefined, c.done()
		}
	}

	n := int32(c.u32())
	if n < 0 { // the library's way to say undefined
		return nil, true, c.done()
	}

	value = c.Bytes(int64(n))
	if len(value) == 0 {
		value = nil
	}
	return value, false, c.done()
}
