package format

import "math"

// A NewCollection is a collection of a global heap that is written (its bytes are drawn in
// globalheap.go).
type NewCollection struct {
	at, size int64
	b        []byte
	count    uint32
}

const (
	heapHead       = 16   // of a collection and of an object
	leastHeap      = 4096 // bytes of a collection
	mostHeapNumber = math.MaxUint16
)

// CollectionSize returns the bytes of a collection that has room for an object of n bytes, and that
// has at least least bytes.
func CollectionSize(n, least int64) int64 {
	return max(leastHeap, least&^7, heapHead+heapHead+(n+7)&^7)
}

// BeginCollection begins a collection of size bytes at an address.
func BeginCollection(at, size int64) *NewCollection {
	b := append([]byte("GCOL\x01"), 0, 0, 0)
	return &NewCollection{at: at, size: size, b: le.AppendUint64(b, uint64(size))}
}

// Add adds an object, and returns its number. It reports false if there is no room.
func (c *NewCollection) Add(object []byte) (number uint32, ok bool) {
	n := int64(heapHead + (len(object)+7)&^7)
	if c.count == mostHeapNumber || int64(len(c.b))+n > c.size {
		return 0, false
	}

	c.count++
	c.b = le.AppendUint16(c.b, uint16(c.count))
	c.b = append(le.AppendUint16(c.b, 1), 0, 0, 0, 0)
	c.b = le.AppendUint64(c.b, uint64(len(object)))
	c.b = append(c.b, object...)
	c.b = append(c.b, make([]byte, -len(object)&7)...)
	return c.count, true
}

// Bytes returns the collection, and its address.
func (c *NewCollection) Bytes() (b []byte, at int64) {
	b = c.b
	if left := c.size - int64(len(b)); left >= heapHead { // what is free is an object of number 0
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
		b = le.AppendUint64(b, uint64(left))
	}
	return append(b, make([]byte, c.size-int64(len(b)))...), c.at
}

// At returns the address of the collection.
func (c *NewCollection) At() int64 { return c.at }

// AppendHeapRef appends what refers to an object of a collection, of n elements.
func AppendHeapRef(b []byte, n int, at int64, number uint32) []byte {
	b = le.AppendUint32(b, uint32(n))
	b = le.AppendUint64(b, uint64(at))
	return le.AppendUint32(b, number)
}
