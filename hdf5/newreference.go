package hdf5

import "github.com/cairn-go/cairn/hdf5/internal/format"

// referenceSize is the bytes of a reference to an object: an address.
const referenceSize = 8

// isObject reports whether a datatype is that of references to objects.
func isObject(t *format.Datatype) bool {
	return t.Class == format.Reference && t.RefKind == 0 && t.Size == referenceSize
}

// A newReferences is the items of a dataset that refer to objects, by their keys, until the
// addresses of all objects are known. Each key is held once.
type newReferences struct {
	layout  *format.Layout
	keys    []string
	numbers map[string]uint32
	items   []uint32
}

// references returns what holds the items of a dataset of references, and nil for others.
func (d *newDataset) references() *newReferences {
	if !isObject(d.datatype) {
		return nil
	}
	r := &newReferences{layout: d.layout, numbers: map[string]uint32{}}
	d.w.refer = append(d.w.refer, r)
	return r
}

func (r *newReferences) add(key string) {
	number, ok := r.numbers[key]
	if !ok {
		number = uint32(len(r.keys))
		r.keys = append(r.keys, key)
		r.numbers[key] = number
	}
	r.items = append(r.items, number)
}

// write writes the items. Keys of nothing in the file become references that lead nowhere.
func (r *newReferences) write(w *Writer) error {
	const most = 1 << 13 // items at a time
	at := r.layout.Address
	var b []byte
	for items := r.items; len(items) > 0; {
		n := min(most, len(items))
		b = b[:0]
		for _, number := range items[:n] {
			address, _ := w.address(r.keys[number])
			b = appendUint(b, uint64(address), referenceSize, false)
		}

		if _, err := w.file.WriteAt(b, at); err != nil {
			return err
		}
		at += int64(len(b))
		items = items[n:]
	}
	return nil
}
