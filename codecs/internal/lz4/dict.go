package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/hashchain"
	"github.com/cairn-go/cairn/internal/asm/lz"
)

// A dictionary precedes the source in the same buffer, so that searches need no special case: they
// begin behind the dictionary, with its positions in their tables. These tables are built once, and
// copied or restored for every source.

// maxDict is the number of bytes used of a dictionary: its end, which matches can reach.
const maxDict = 1<<15 + 1<<14

// A history is a dictionary followed by the current source.
type history struct {
	buf  []byte
	size int // of the dictionary
}

// set makes the end of dict the dictionary.
func (h *history) set(dict []byte) {
	dict = dict[max(0, len(dict)-maxDict):]
	h.buf = append(h.buf[:0], dict...)
	h.size = len(dict)
}

// put appends a source to the dictionary and returns both.
func (h *history) put(src []byte) []byte {
	h.buf = append(h.buf[:h.size], src...)
	return h.buf
}

// learned is the dictionary of an [Encoder]: a table for each initial search.
type learned struct {
	history
	tables [4]*table
	made   [4]bool
}

// SetDict sets the dictionary of subsequent blocks to a copy of dict, or of its last 48 KiB; nil or
// an empty one removes it.
func (e *Encoder) SetDict(dict []byte) {
	if e.on = len(dict) > 0; !e.on {
		return
	}
	if e.dict == nil {
		e.dict = new(learned)
	}
	e.dict.set(dict)
	e.dict.made = [4]bool{}
}

// load copies the dictionary's table to the encoder's, for a search and for short or long sources.
func (e *Encoder) load(s *lz.Search, near bool) {
	d := e.dict
	k := 0
	slots := 1 << lz.TableBits
	shift := 64 - lz.TableBits
	if s != &e.searches.short {
		k = 1
	}
	if near {
		k += 2
		slots = 1 << lz.NearBits
		shift = 64 - lz.NearBits
	}

	if d.tables[k] == nil {
		d.tables[k] = new(table)
	}
	learned := d.tables[k][:slots]

	if !d.made[k] {
		clear(learned)
		for at := 1; at+8 <= d.size; at++ {
			learned[binary.LittleEndian.Uint64(d.buf[at:])*s.Factor>>shift&uint64(slots-1)] = uint16(at)
		}
		d.made[k] = true
	}

	copy(e.tables[0][:], learned)
}

// learnedHC is the dictionary of an [HCEncoder]: all heads and links after inserting the
// dictionary.
type learnedHC struct {
	history
	// first position of the dictionary that has not been inserted, since its hash includes bytes of
	// the source
	next  int
	run   int // of the last position before that
	heads [1 << headBits]uint32
	links [maxDict]hashchain.Link
}

// SetDict sets the dictionary of subsequent blocks to a copy of dict, or of its last 48 KiB; nil or
// an empty one removes it.
func (e *HCEncoder) SetDict(dict []byte) {
	if e.on = len(dict) > 0; !e.on {
		return
	}
	if e.dict == nil {
		e.dict = new(learnedHC)
	}

	d := e.dict
	c := &e.chains
	d.set(dict)
	if c.base > 1<<30 {
		c.base = 0 // leaves room for the longest source
	}

	c.start(d.buf)
	d.next = max(0, d.size-7)
	if e.level < 3 {
		for at := range d.next {
			short, long := hashPair(binary.LittleEndian.Uint64(d.buf[at:]))
			here := c.base + uint32(at)
			c.heads[short] = here
			c.heads[long] = here
		}
	} else {
		c.enter(d.next)
	}

	d.run = c.all.Run
	d.heads = c.heads
	copy(d.links[:], c.links[:])
}

// begin appends src to the dictionary, if there is one, and returns its offset.
func (e *HCEncoder) begin(src []byte) int {
	c := &e.chains

	if !e.on {
		c.start(src)
		return 0
	}

	all := e.dict.put(src)
	c.begin(all, e.dict.next, e.dict.run)
	return e.dict.size
}

// forget restores the chains to the dictionary alone: by visiting the positions of the source or,
// if that is long, by copying the tables.
func (e *HCEncoder) forget() {
	d := e.dict
	c := &e.chains
	src := c.src

	switch {
	case len(src)-d.size > len(c.heads)/8:
		c.heads = d.heads
	case e.level < 3:
		for at := d.next; at+8 <= len(src); at++ {
			short, long := hashPair(binary.LittleEndian.Uint64(src[at:]))
			c.heads[short] = d.heads[short]
			c.heads[long] = d.heads[long]
		}
	default:
		for at := d.next; at+4 <= len(src); at++ {
			h := hashHead(binary.LittleEndian.Uint32(src[at:]))
			c.heads[h] = d.heads[h]
		}
	}

	if len(src) > windowMask {
		copy(c.links[:d.size], d.links[:])
	}
}
