package format

import "github.com/cairn-go/cairn"

// A Mapping says that the selected items of a virtual dataset are those of a source.
type Mapping struct {
	File, Dataset  string // of the source
	Source, Target Selection
}

// Virtual reads the mappings of a virtual dataset:
//
//	u8 version, entries, for each entry of version 0 the name of a file and that of a dataset,
//	both with a 0 behind them, the selection of the source, that of the virtual dataset; checksum
//
// An entry of version 1 begins with u8 flags. Names that another entry has already are its number,
// and the name of the file itself is left out.
func (r *Reader) Virtual(l *Layout) ([]Mapping, error) {
	if l.Address == None {
		return nil, nil
	}

	g, err := r.Collection(l.Address)
	if err != nil {
		return nil, err
	}

	b, ok := g.objects[l.Object]
	if !ok {
		return nil, cairn.Corruptf(layerGlobal, -1, "no object %d in the collection at address %d", l.Object, g.at)
	}
	return r.mappings(b)
}

// mappings reads the object of a global heap.
func (r *Reader) mappings(b []byte) ([]Mapping, error) {
	b, err := r.checked(layerVirtual, b, None)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerVirtual, b, None)
	version := c.version(layerVirtual, 0, 1)
	count := c.length()
	if count > int64(len(b))/leastMapping {
		c.Failf(c.Pos(), "%d entries in %d bytes", count, len(b))
		return nil, c.done()
	}

	list := make([]Mapping, 0, count)
	for range count {
		m := Mapping{}
		flags := uint8(0)
		if version == 1 {
			flags = c.Uint8()
		}

		switch m.File = "."; {
		case flags&mappingSameFile != 0:
		case flags&mappingFileShared != 0:
			m.File = c.earlier(list).File
		default:
			m.File = c.text()
		}

		if flags&mappingDatasetShared != 0 {
			m.Dataset = c.earlier(list).Dataset
		} else {
			m.Dataset = c.text()
		}

		m.Source = c.selection()
		m.Target = c.selection()
		if c.Err() != nil {
			return nil, c.done()
		}

		list = append(list, m)
	}
	return list, c.done()
}

const layerVirtual = "virtual dataset"

const (
	mappingFileShared    = 1 << 0
	mappingDatasetShared = 1 << 1
	mappingSameFile      = 1 << 2

	leastMapping = 3 + 2*16 // bytes of the shortest entry
)

// text reads a text up to a 0.
func (c *cursor) text() string {
	var text []byte
	for c.Err() == nil {
		b := c.Uint8()
		if b == 0 {
			break
		}
		text = append(text, b)
	}
	return string(text)
}

// earlier reads the number of an entry, and returns that.
func (c *cursor) earlier(list []Mapping) Mapping {
	at := c.Pos()
	n := c.length()
	if n >= int64(len(list)) {
		c.Failf(at, "entry %d of %d", n, len(list))
		return Mapping{}
	}
	return list[n]
}
