package format

// A dataspace message of version 1 or 2 is
//
//	version 1: u8 version, u8 rank, u8 flags, 5 reserved, extents, perhaps maximum extents
//	version 2: u8 version, u8 rank, u8 flags, u8 type, extents, perhaps maximum extents

// A Dataspace is the shape of a dataset or an attribute.
type Dataspace struct {
	Null  bool    // it has no items, nor a shape
	Shape []int64 // items per dimension; none for a scalar
	Max   []int64 // maximum of Shape, None for one without bound
}

// MaxRank is the most dimensions of a dataspace.
const MaxRank = 32

const layerSpace = "dataspace message"

const (
	spaceHasMax = 1 << 0
	spaceNull   = 2
)

// Dataspace returns the dataspace of a dataset.
func (r *Reader) Dataspace(h *Header) (Dataspace, error) {
	m, err := r.required(h, msgDataspace, layerSpace)
	if err != nil {
		return Dataspace{}, err
	}

	data, at, err := r.resolved(m)
	if err != nil {
		return Dataspace{}, err
	}
	return r.dataspace(data, at)
}

func (r *Reader) dataspace(b []byte, at int64) (Dataspace, error) {
	c := r.cursor(layerSpace, b, at)
	s := Dataspace{Shape: []int64{}}

	version := c.version(layerSpace, 1, 2)
	rank := int(c.Uint8())
	flags := c.Uint8()
	if version == 1 {
		c.Skip(5)
	} else {
		s.Null = c.Uint8() == spaceNull
	}

	if rank > MaxRank {
		c.Failf(1, "%d dimensions, the most is %d", rank, MaxRank)
		return s, c.done()
	}

	for range rank {
		n := c.length()
		s.Shape = append(s.Shape, n)
	}

	s.Max = append([]int64{}, s.Shape...)
	if flags&spaceHasMax != 0 {
		for d := range s.Max {
			s.Max[d] = c.orNone(c.f.LengthSize, "extent")
			if s.Max[d] != None && s.Max[d] < s.Shape[d] {
				c.Failf(c.Pos(), "dimension %d has %d items, more than its maximum %d", d, s.Shape[d], s.Max[d])
			}
		}
	}
	return s, c.done()
}
