package zstd

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/zstdhuff"
	"github.com/cairn-go/cairn/internal/asm/zstdseq"
)

const (
	errNoDictionary reason = "not a Zstandard dictionary"
	errDictRepeat   reason = "a repeated distance is not within the content"
)

const dictionaryMagic = 0xec30a437

// A dictionary is what a frame starts with besides its own bytes (RFC 8878 §5).
type dictionary struct {
	id      uint32
	codes   zstdhuff.Single
	tables  [3]predefined
	repeat  [3]int64
	content []byte
}

// A tableSource says what a decoder's table holds, and so whether and how it can be repeated.
type tableSource uint8

const (
	sourceNone tableSource = iota
	sourceBlock
	sourcePredefined
	sourceDictionary // not copied to its place yet
)

// parseDictionary reads a dictionary: magic number, id, Huffman table, tables of distances, match lengths and literal lengths, three
// distances to repeat, content.
func parseDictionary(b []byte) (*dictionary, error) {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) != dictionaryMagic {
		return nil, errNoDictionary
	}
	var d Decoder // for its tables and their builder
	n, err := d.readHuffman(b, 8)
	if err != nil {
		return nil, err
	}
	at := 8 + n
	dict := &dictionary{id: binary.LittleEndian.Uint32(b[4:]), codes: d.codes}
	for _, t := range []table{offsets, matchLengths, literalLengths} {
		n, err := d.readTable(t, modeFSE, b[at:])
		if err != nil {
			return nil, err
		}
		at += n
		dict.tables[t] = predefined{d.logs[t], append([]zstdseq.Entry(nil), d.entries(t)[:1<<d.logs[t]]...)}
	}
	if len(b)-at < 12 {
		return nil, errTruncated
	}
	dict.content = b[at+12:]
	for i := range dict.repeat {
		v := int64(binary.LittleEndian.Uint32(b[at+4*i:]))
		if v == 0 || v > int64(len(dict.content)) {
			return nil, errDictRepeat
		}
		dict.repeat[i] = v
	}
	return dict, nil
}

// useDictionary makes a frame start with the dictionary's state.
func (d *Decoder) useDictionary() {
	d.seq.Repeat = d.dict.repeat
	d.haveHuff = sourceDictionary
	for t := range d.have {
		d.have[t] = sourceDictionary
	}
}

// fromDictionary starts a match that begins before bytes before the output, and returns how many bytes the dictionary has for it.
func (d *Decoder) fromDictionary(dst []byte, before int64) (int, error) {
	if d.dict == nil || before > int64(len(d.dict.content)) {
		return 0, errDistance
	}
	content := d.dict.content
	return copy(dst, content[len(content)-int(before):]), nil
}
