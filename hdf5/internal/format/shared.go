package format

import (
	"sync"

	"github.com/cairn-go/cairn"
)

// A shared message is replaced by the place of the message that it stands for:
//
//	version 1: u8 version, u8 type, 6 reserved, address of an object header
//	version 2: u8 version, u8 type, address of an object header
//	version 3: u8 version, u8 type, address or 8 bytes that are the ID of an object in a heap

const layerShared = "shared message"

const (
	sharedInHeap = 1
	heapIDSize   = 8 // of shared messages
)

// resolved returns the content of a message, which may be shared.
func (r *Reader) resolved(m *message) (data []byte, at int64, err error) {
	if m.flags&msgShared == 0 {
		return m.data, m.at, nil
	}
	return r.unshare(m.kind, m.data, m.at)
}

// unshare returns the message of a kind that b stands for.
func (r *Reader) unshare(kind uint8, b []byte, at int64) (data []byte, place int64, err error) {
	c := r.cursor(layerShared, b, at)
	version := c.version(layerShared, 1, 3)
	how := c.Uint8()
	if version == 1 {
		c.Skip(6)
	}

	if version == 3 && how == sharedInHeap {
		id := c.Bytes(heapIDSize)
		if err := c.done(); err != nil {
			return nil, 0, err
		}
		data, err = r.sharedInHeap(kind, id)
		return data, None, err
	}
	address := c.address()
	if err := c.done(); err != nil {
		return nil, 0, err
	}

	h, err := r.types.get(address, mostCommitted, r.Header)
	if err != nil {
		return nil, 0, err
	}

	m := h.find(kind)
	if m == nil || m.flags&msgShared != 0 {
		return nil, 0, cairn.Corruptf(layerShared, r.offset(at), "no message of type %d in the object header at address %d",
			kind, address)
	}
	return m.data, m.at, nil
}

// lasting has the structures of a kind that were read last, by their addresses.
type lasting[T any] struct {
	mu   sync.Mutex
	kept map[int64]*T
}

// How many structures are kept at most. Those of heaps have a block each.
const (
	mostHeaps     = 64
	mostCommitted = 256
)

// get returns the structure at an address, which read reads if it is not kept. At most so many are.
func (k *lasting[T]) get(at int64, most int, read func(at int64) (*T, error)) (*T, error) {
	k.mu.Lock()
	kept := k.kept[at]
	k.mu.Unlock()
	if kept != nil {
		return kept, nil
	}

	made, err := read(at)
	if err != nil {
		return nil, err
	}

	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) == most {
		k.kept = map[int64]*T{}
	}
	k.kept[at] = made
	return made, nil
}

// The table of shared messages is at an address that a message of the superblock's extension gives,
// with that of the number of indexes:
//
//	u8 version, address of the table, u8 indexes
//
//	"SMTB", for each index: u8 version, u8 type, u16 types of messages, u32 least size,
//	u16 and u16 cutoffs, u16 messages, address of the index, address of the heap; checksum

const layerSharedTable = "table of shared messages"

// sharedTable has the heaps of shared messages, which are read when the first one is needed.
type sharedTable struct {
	mu    sync.Mutex
	known bool
	heaps []sharedHeap
}

type sharedHeap struct {
	kinds uint16 // bit k is set for messages of type k
	heap  int64
}

func (r *Reader) sharedInHeap(kind uint8, id []byte) ([]byte, error) {
	heaps, err := r.sharedHeaps()
	if err != nil {
		return nil, err
	}
	for _, s := range heaps {
		if kind < 16 && s.kinds&(1<<kind) != 0 {
			heap, err := r.FractalHeap(s.heap)
			if err != nil {
				return nil, err
			}
			return r.Object(heap, id)
		}
	}
	return nil, cairn.Corruptf(layerShared, -1, "no heap for shared messages of type %d", kind)
}

func (r *Reader) sharedHeaps() ([]sharedHeap, error) {
	s := &r.shared
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.known {
		return s.heaps, nil
	}

	if r.Extension == None {
		return nil, nil
	}

	h, err := r.Header(r.Extension)
	if err != nil {
		return nil, err
	}

	m := h.find(msgSharedTable)
	if m == nil {
		return nil, nil
	}

	c := r.cursor(layerSharedTable, m.data, m.at)
	c.version(layerSharedTable, 0, 0)
	at := c.address()
	n := int64(c.Uint8())
	if err := c.done(); err != nil {
		return nil, err
	}

	if s.heaps, err = r.readSharedTable(at, n); err != nil {
		return nil, err
	}
	s.known = true
	return s.heaps, nil
}

func (r *Reader) readSharedTable(at, n int64) ([]sharedHeap, error) {
	entry := int64(2 + 2 + 4 + 3*2 + 2*r.OffsetSize)
	size := 4 + n*entry + checksumSize
	b, err := r.Bytes(layerSharedTable, at, size, size)
	if err != nil {
		return nil, err
	}

	b, err = r.checked(layerSharedTable, b, at)
	if err != nil {
		return nil, err
	}

	c := r.cursor(layerSharedTable, b, at)
	c.signature("SMTB")
	var heaps []sharedHeap

	for range n {
		c.version(layerSharedTable, 0, 0)
		c.Skip(1)
		kinds := c.u16()
		c.Skip(4 + 3*2)
		c.address()
		heaps = append(heaps, sharedHeap{kinds, c.address()})
	}
	return heaps, c.done()
}
