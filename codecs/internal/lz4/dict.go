package lz4

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/lz4block"
)

// A dictionary stands before the source, in one buffer with it, so that a search needs to know
// nothing of it: it begins behind the dictionary, with the dictionary's positions in its tables.
// Those are made once and copied, or put back, for every source.

// maxDict is how much of a dictionary is used: the end, which matches can reach.
const maxDict = 1<<15 + 1<<14

// A history is a dictionary and, behind it, the source at hand.
type history struct {
	buf  []byte
	size int // of the dictionary
}

// set makes the end of dict the dictionary.
func (h *history) set(dict []byte) {
	dict = dict[max(0, len(dict)-maxDict):]
	h.buf, h.size = append(h.buf[:0], dict...), len(dict)
}

// put places a source behind the dictionary and returns both.
func (h *history) put(src []byte) []byte {
	h.buf = append(h.buf[:h.size], src...)
	return h.buf
}

// A learned is what an [Encoder] knows of its dictionary: a table for each way to begin a search.
type learned struct {
	history
	tables [4]*[1 << lz4block.TableBits]uint16
	made   [4]bool
}

// SetDict makes the blocks that follow such as need dict, or its last 48 KiB, before them to be
// decoded; nil or nothing means none. It is copied.
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

// load sets the encoder's table to that of the dictionary, for a search and for sources that are
// near or not.
func (e *Encoder) load(s *lz4block.Search, near bool) {
	d, k, slots, shift := e.dict, 0, 1<<lz4block.TableBits, 64-lz4block.TableBits
	if s == &e.searches.long {
		k = 1
	}
	if near {
		k, slots, shift = k+2, 1<<lz4block.NearBits, 64-lz4block.NearBits
	}
	if d.tables[k] == nil {
		d.tables[k] = new([1 << lz4block.TableBits]uint16)
	}
	table := d.tables[k][:slots]
	if !d.made[k] {
		clear(table)
		for at := 1; at+8 <= d.size; at++ {
			table[binary.LittleEndian.Uint64(d.buf[at:])*s.Factor>>shift&uint64(slots-1)] = uint16(at)
		}
		d.made[k] = true
	}
	copy(e.table[:slots], table)
}

// A learnedHC is what an [HCEncoder] knows of its dictionary: all of its heads and links, with the
// dictionary entered.
type learnedHC struct {
	history
	// the first position of the dictionary that has not been entered: what is hashed there goes
	// beyond it
	next  int
	heads [1 << headBits]uint32
	links [maxDict]uint16
}

// SetDict makes the blocks that follow such as need dict, or its last 48 KiB, before them to be
// decoded; nil or nothing means none. It is copied.
func (e *HCEncoder) SetDict(dict []byte) {
	if e.on = len(dict) > 0; !e.on {
		return
	}
	if e.dict == nil {
		e.dict = new(learnedHC)
	}
	d, c := e.dict, &e.chains
	d.set(dict)
	if c.base > 1<<30 {
		c.base = 0 // there has to be room for the longest source
	}
	c.start(d.buf)
	d.next = max(0, d.size-7)
	if e.level < 3 {
		for at := range d.next {
			short, long := hashPair(binary.LittleEndian.Uint64(d.buf[at:]))
			c.heads[short], c.heads[long] = c.base+uint32(at), c.base+uint32(at)
		}
	} else {
		c.enter(d.next)
	}
	d.heads = c.heads
	copy(d.links[:], c.links[:])
}

// begin puts src behind the dictionary, if there is one, and returns where it begins.
func (e *HCEncoder) begin(src []byte) int {
	c := &e.chains
	if !e.on {
		c.start(src)
		return 0
	}
	all := e.dict.put(src)
	c.src, c.next, c.end, c.keptPos = all, e.dict.next, len(all)-endLiterals, 0
	return e.dict.size
}

// forget makes the chains know nothing but the dictionary again: by going through the source once
// more, unless that is long.
func (e *HCEncoder) forget() {
	d, c := e.dict, &e.chains
	src := c.src
	switch {
	case len(src)-d.size > len(c.heads)/8:
		c.heads = d.heads
	case e.level < 3:
		for at := d.next; at+8 <= len(src); at++ {
			short, long := hashPair(binary.LittleEndian.Uint64(src[at:]))
			c.heads[short], c.heads[long] = d.heads[short], d.heads[long]
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
