package format

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// A NewDense is the attributes of an object that lie outside of its header, as those must of which
// one exceeds MaxMessage: in a fractal heap (drawn in heap.go), each as a huge object, with B-trees
// of version 2 (tree2.go) of these, of names, and of the order of creation. Each tree is a leaf.
// They lie one behind the other in the file:
//
//	header of the heap, for each tree its header and its leaf, attribute messages
type NewDense struct {
	Heap, Names, Order int64 // addresses
	attributes         []*Attribute
}

// Sizes of what is written.
const (
	heapHeadSize  = 4 + 1 + 2 + 2 + 1 + 4 + 3*8 + 12*8 + 4*2 + checksumSize
	tree2HeadSize = 4 + 1 + 1 + 4 + 2 + 2 + 1 + 1 + 8 + 2 + 8 + checksumSize

	hugeSize  = 8 + 8 + 8     // address, length, number
	nameSize  = 8 + 1 + 4 + 4 // ID, flags, order, hash of the name
	orderSize = 8 + 1 + 4     // ID, flags, order

	orderRecord   = 9   // a type of trees
	leastNodeSize = 512 // bytes of a node
)

// MaxAttributes is the most attributes of an object.
const MaxAttributes = math.MaxUint16

// nodeSizeOf returns the bytes of a leaf with n records.
func nodeSizeOf(n, record int) int64 {
	return max(leastNodeSize, int64(nodePrefix+n*record+checksumSize))
}

// Layout gives attributes their places at an address, and returns the bytes that they take.
func (d *NewDense) Layout(at int64, attributes []*Attribute) int64 {
	d.attributes = attributes
	n := len(attributes)
	huge := at + heapHeadSize
	d.Heap = at
	d.Names = huge + tree2HeadSize + nodeSizeOf(n, hugeSize)
	d.Order = d.Names + tree2HeadSize + nodeSizeOf(n, nameSize)
	end := d.objects()
	for _, a := range attributes {
		end += int64(len(a.Append(nil)))
	}
	return end - at
}

// objects returns the address of the first attribute.
func (d *NewDense) objects() int64 {
	return d.Order + tree2HeadSize + nodeSizeOf(len(d.attributes), orderSize)
}

// Append appends all of it, which is at Heap.
func (d *NewDense) Append(b []byte) []byte {
	var objects []byte
	var huge, order [][]byte
	names := make([]nameEntry, len(d.attributes))
	at := d.objects()
	for i, a := range d.attributes {
		start := len(objects)
		objects = a.Append(objects)
		size := int64(len(objects) - start)
		number := uint64(i + 1)

		record := le.AppendUint64(nil, uint64(at))
		record = le.AppendUint64(record, uint64(size))
		huge = append(huge, le.AppendUint64(record, number))
		at += size

		const kindHuge = 1 << 4 // of an ID, whose other bytes are the number
		id := append([]byte{kindHuge}, le.AppendUint64(nil, number)[:heapIDSize-1]...)
		id = le.AppendUint32(append(id, 0), uint32(i))
		order = append(order, id)
		hash := lookup3([]byte(a.Name))
		names[i] = nameEntry{a.Name, hash, le.AppendUint32(slices.Clone(id), hash)}
	}
	sort.Slice(names, func(i, j int) bool {
		a := &names[i]
		b := &names[j]
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name)) < 0
	})

	b = d.appendHeap(b, int64(len(objects)))
	b = appendLeafTree(b, hugeRecord, d.Heap+heapHeadSize, hugeSize, huge)
	sorted := make([][]byte, len(names))
	for i := range names {
		sorted[i] = names[i].record
	}
	b = appendLeafTree(b, attributeRecord, d.Names, nameSize, sorted)
	b = appendLeafTree(b, orderRecord, d.Order, orderSize, order)
	return append(b, objects...)
}

// A nameEntry is a record of the tree of names, which is sorted by hash, and then by name.
type nameEntry struct {
	name   string
	hash   uint32
	record []byte
}

// appendHeap appends the header of a heap that has nothing but huge objects, of size bytes.
func (d *NewDense) appendHeap(b []byte, size int64) []byte {
	const (
		mostManaged = 4096
		width       = 4
		firstBlock  = 1024
		mostBlock   = 65536
		offsetBits  = 40
	)
	start := len(b)
	n := uint64(len(d.attributes))
	b = append(b, "FRHP\x00"...)
	b = le.AppendUint16(b, heapIDSize)
	b = le.AppendUint16(b, 0) // bytes of filters
	b = append(b, heapChecked)
	b = le.AppendUint32(b, mostManaged)
	b = le.AppendUint64(b, n+1) // the next number
	b = le.AppendUint64(b, uint64(d.Heap+heapHeadSize))
	b = le.AppendUint64(b, 0) // free bytes
	b = le.AppendUint64(b, math.MaxUint64)
	for range 4 { // of managed objects
		b = le.AppendUint64(b, 0)
	}
	b = le.AppendUint64(b, uint64(size))
	b = le.AppendUint64(b, n)
	for range 2 { // of tiny objects
		b = le.AppendUint64(b, 0)
	}

	b = le.AppendUint16(b, width)
	b = le.AppendUint64(b, firstBlock)
	b = le.AppendUint64(b, mostBlock)
	b = le.AppendUint16(b, offsetBits)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint64(b, math.MaxUint64) // the root block
	b = le.AppendUint16(b, 0)
	return appendChecksum(b, start)
}

// appendLeafTree appends a tree of one leaf, and that.
func appendLeafTree(b []byte, kind byte, at int64, size int, records [][]byte) []byte {
	start := len(b)
	node := nodeSizeOf(len(records), size)
	b = append(b, 'B', 'T', 'H', 'D', 0, kind)
	b = le.AppendUint32(b, uint32(node))
	b = le.AppendUint16(b, uint16(size))
	b = le.AppendUint16(b, 0)
	b = append(b, 100, 40) // when nodes are split and merged, in per cent
	b = le.AppendUint64(b, uint64(at+tree2HeadSize))
	b = le.AppendUint16(b, uint16(len(records)))
	b = le.AppendUint64(b, uint64(len(records)))
	b = appendChecksum(b, start)

	start = len(b)
	b = append(b, 'B', 'T', 'L', 'F', 0, kind)
	for _, r := range records {
		b = append(b, r...)
	}
	b = appendChecksum(b, start)
	return append(b, make([]byte, node-int64(len(b)-start))...)
}
