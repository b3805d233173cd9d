package format

import (
	"bytes"

	"github.com/cairn-go/cairn/hdf5/filter"
)

// A filter pipeline message is
//
//	version 1: u8 version, u8 filters, 6 reserved, for each filter
//	           u16 id, u16 size of the name, u16 flags, u16 parameters, name, u32 parameters,
//	           4 bytes more if they are odd
//	version 2: u8 version, u8 filters, for each filter
//	           u16 id, u16 size of the name if the id is at least 256, u16 flags, u16 parameters,
//	           name, u32 parameters

const (
	layerPipeline = "filter pipeline message"

	mostFilters  = 32 // filters of a dataset, the bits of a mask
	firstForeign = 256
)

// Pipeline returns the filters of a dataset, in the order in which they encode.
func (r *Reader) Pipeline(h *Header) ([]filter.Filter, error) {
	m := h.find(msgPipeline)
	if m == nil {
		return nil, nil
	}

	data, at, err := r.resolved(m)
	if err != nil {
		return nil, err
	}
	return r.pipeline(data, at)
}

func (r *Reader) pipeline(b []byte, at int64) ([]filter.Filter, error) {
	c := r.cursor(layerPipeline, b, at)
	version := c.version(layerPipeline, 1, 2)
	n := int(c.Uint8())
	if n > mostFilters {
		c.Failf(1, "%d filters, the most is %d", n, mostFilters)
	}
	if version == 1 {
		c.Skip(6)
	}

	var filters []filter.Filter
	for range n {
		f := filter.Filter{ID: filter.ID(c.u16())}
		named := int64(0)
		if version == 1 || f.ID >= firstForeign {
			named = int64(c.u16())
		}
		c.Skip(2) // flags: whether the filter may be left out

		count := int64(c.u16())
		if version == 1 {
			named = (named + 7) &^ 7
		}
		name, _, _ := bytes.Cut(c.Bytes(named), []byte{0})
		f.Name = string(name)

		if params := c.Bytes(4 * count); len(params) > 0 {
			in := r.cursor(layerPipeline, params, at)
			for range count {
				f.Params = append(f.Params, in.u32())
			}
		}

		if version == 1 && count%2 == 1 {
			c.Skip(4)
		}
		if c.Err() != nil {
			break
		}

		filters = append(filters, f)
	}
	return filters, c.done()
}
