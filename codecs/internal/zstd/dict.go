package zstd

import (
	"encoding/binary"

	cairn "github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/zstdhuff"
	"github.com/cairn-go/cairn/internal/asm/zstdseq"
)

const errDictRepeat reason = "a repeated distance is not within the content"

const dictionaryMagic = 0xec30a437

// A dictionary is the initial state of a frame's decoder (RFC 8878 §5). Decoders that share one
// only read it.
type dictionary struct {
	id      uint32
	tables  bool // the following tables are present
	codes   zstdhuff.Single
	logs    [3]uint8
	entries [3][zstdseq.TableSize]zstdseq.Entry
	repeat  [3]int64
	content []byte
}

// A tableSource is the origin of a decoder's table, which determines whether and how it can be
// repeated.
type tableSource uint8

const (
	sourceNone tableSource = iota
	sourceBlock
	sourcePredefined
	sourceDictionary // possibly not yet copied
)

// SetDict sets the dictionary of subsequent frames: a complete one with entropy tables, or, if it
// does not begin with the magic number, raw content; nil removes it. The decoder refers to b until
// the next call. After an error, which matches cairn.ErrCorrupt, it has no dictionary.
func (d *Decoder) SetDict(b []byte) error {
	d.dict = nil
	d.placed = placed{}

	if b == nil {
		if d.own != nil {
			d.own.content = nil
		}
		return nil
	}

	if d.own == nil {
		d.own = new(dictionary)
	}
	if err := d.parseDictionary(d.own, b); err != nil {
		return cairn.Corruptf("zstd dictionary", -1, "%v", err)
	}
	d.dict = d.own
	return nil
}

// ShareDict makes the decoder use other's dictionary, which other must keep while this decoder uses
// it.
func (d *Decoder) ShareDict(other *Decoder) {
	d.dict = other.dict
	d.placed = placed{}
}

// parseDictionary parses a dictionary: magic number, id, Huffman table, tables of distances, match
// lengths and literal lengths, three repeated distances, content. It uses the decoder's own tables
// as scratch memory.
func (d *Decoder) parseDictionary(to *dictionary, b []byte) error {
	to.id = 0
	to.tables = false
	to.repeat = [3]int64{1, 4, 8}
	to.content = b

	if len(b) < 8 || binary.LittleEndian.Uint32(b) != dictionaryMagic {
		return nil
	}

	n, err := d.readHuffman(b, 8)
	if err != nil {
		return err
	}
	at := 8 + n
	to.id = binary.LittleEndian.Uint32(b[4:])
	to.tables = true
	to.codes = d.codes

	for _, t := range []table{offsets, matchLengths, literalLengths} {
		n, err := d.readTable(t, modeFSE, b[at:])
		if err != nil {
			return err
		}
		at += n
		to.logs[t] = d.logs[t]
		to.entries[t] = *d.entries(t)
	}

	if len(b)-at < 12 {
		return errTruncated
	}
	to.content = b[at+12:]
	for i := range to.repeat {
		v := int64(binary.LittleEndian.Uint32(b[at+4*i:]))
		if v == 0 || v > int64(len(to.content)) {
			return errDictRepeat
		}
		to.repeat[i] = v
	}
	return nil
}

// placed records which tables of the dictionary are in place, so that they need not be copied for
// every frame.
type placed struct {
	codes, pairs bool
	tables       [3]bool
}

// useDictionary initializes a frame with the dictionary's state.
func (d *Decoder) useDictionary() {
	d.seq.Repeat = d.dict.repeat
	if !d.dict.tables {
		return
	}

	d.haveHuff = sourceDictionary
	for t := range d.have {
		d.have[t] = sourceDictionary
	}
}

// placeCodes copies the dictionary's Huffman table if it is not in place.
func (d *Decoder) placeCodes() {
	if !d.placed.codes {
		d.codes = d.dict.codes
		d.placed.codes = true
		d.placed.pairs = false
	}
	d.haveHuff = sourceBlock
	d.huffPairs = d.placed.pairs
}

// placeTable copies one of the dictionary's other tables if it is not in place.
func (d *Decoder) placeTable(t table) {
	if !d.placed.tables[t] {
		log := d.dict.logs[t]
		copy(d.entries(t)[:1<<log], d.dict.entries[t][:1<<log])
		d.logs[t] = log
		d.placed.tables[t] = true
	}
	d.have[t] = sourceBlock
}

// fromDictionary copies the part of a match that begins in the dictionary, before bytes before the
// output, and returns its length.
func (d *Decoder) fromDictionary(dst []byte, before int64) (int, error) {
	if d.dict == nil || before > int64(len(d.dict.content)) {
		return 0, errDistance
	}
	content := d.dict.content
	return copy(dst, content[len(content)-int(before):]), nil
}
