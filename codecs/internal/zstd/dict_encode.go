package zstd

import (
	"encoding/binary"
	"github.com/cairn-go/cairn/internal/asm/zstdcode"

	cairn "github.com/cairn-go/cairn"
)

// A known is an encoder's dictionary. Its content and the data of the current frame are in one
// buffer.
type known struct {
	find learner
	read *Decoder // decodes dictionaries
	buf  []byte
	size int // of the content

	repeat  [3]uint32
	tables  bool // the following tables are present
	lengths [256]uint8
	codes   zstdcode.HuffmanCodes
	encoder [3]fseEncoder
}

// SetDict sets the dictionary of subsequent frames to a copy of dict: a complete dictionary, or, if
// it does not begin with the magic number, raw content; nil removes it. After an error, which
// matches cairn.ErrCorrupt, there is none.
//
// Frames do not contain the dictionary's id, which would take four bytes: whoever has the frames
// has the dictionary too.
func (e *Encoder) SetDict(dict []byte) error {
	if e.on = false; dict == nil {
		return nil
	}

	if e.known == nil {
		e.known = &known{find: newLearner(e.level), read: new(Decoder)}
	}

	k := e.known
	if err := k.parse(dict); err != nil {
		return cairn.Corruptf("zstd dictionary", -1, "%v", err)
	}
	k.find.learn(k.buf, 0)
	e.on = true
	return nil
}

// parse parses a dictionary with a decoder, which checks it.
func (k *known) parse(b []byte) error {
	d := k.read
	if d.own == nil {
		d.own = new(dictionary)
	}
	if err := d.parseDictionary(d.own, b); err != nil {
		return err
	}

	for i, v := range d.own.repeat {
		k.repeat[i] = uint32(v)
	}
	k.buf = append(k.buf[:0], d.own.content...)
	k.size = len(k.buf)
	d.own.content = nil
	if k.tables = d.own.tables; !k.tables {
		return nil
	}

	k.readCodes()
	n, err := d.readHuffman(b, 8)
	if err != nil {
		return err
	}

	at := 8 + n
	for _, t := range []table{offsets, matchLengths, literalLengths} {
		n, err := d.build.readCounts(b[at:], tableKinds[t].maxLog, tableKinds[t].maxCode)
		if err != nil {
			return err
		}
		k.encoder[t].make(&d.build)
		at += n
	}
	return nil
}

// readCodes converts the decoder's Huffman table to codes.
func (k *known) readCodes() {
	var h huffmanEncoder
	for _, e := range k.read.own.codes {
		n := uint8(e)
		h.lengths[e>>8] = n
		h.longest = max(h.longest, int(n))
	}
	h.assign()
	k.lengths = h.lengths
	k.codes = h.codes
}

// know makes the tables of the dictionary those of the previous block.
func (e *blockEncoder) know(k *known) {
	h := &e.huff[e.known]
	h.lengths = k.lengths
	h.codes = k.codes
	e.anyHuff = true
	for t := range e.last {
		e.last[t] = &k.encoder[t]
	}
	e.leastLits = minTreeless
	e.tableGain = 0
}

// minTreeless is the minimum number of literals for which the dictionary's codes are tried.
const minTreeless = 8

// encodeBehind writes the blocks of a frame after its header, with matches in the dictionary.
func (e *Encoder) encodeBehind(dst []byte, at int, src []byte) int {
	if len(src) > maxEpoch {
		return 0
	}

	k := e.known
	k.buf = append(k.buf[:k.size], src...)
	e.repeat = k.repeat
	if k.tables {
		e.block.know(k)
	}

	alone := e.find
	e.find = k.find
	k.find.resume(k.buf, k.size)
	at = e.encodeFrom(dst, at, k.buf, k.size)
	k.find.forget(k.buf, k.size)

	e.find = alone
	return at
}

// BuildDict appends a dictionary of at most size bytes to dst: as much of the end of content as
// fits, and entropy tables from encoding the samples with it. The samples are concatenated in data.
// It returns dst unchanged if size is too small. Afterwards the encoder has no dictionary.
func (e *Encoder) BuildDict(dst, content, data []byte, sizes []int, size int) []byte {
	content = content[max(0, len(content)-max(0, size-dictRoom)):]
	if len(content) < dictRoom/4 || binary.LittleEndian.Uint32(content) == dictionaryMagic || e.SetDict(content) != nil {
		return dst
	}

	var s statistics
	e.survey(&s, data, sizes)
	e.on = false

	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, dictionaryMagic)
	dst = binary.LittleEndian.AppendUint32(dst, dictionaryID(content))
	n := e.appendTables(dst, &s, len(content))
	if n == nil || len(n)-start+12 > dictRoom {
		return dst[:start]
	}

	for _, r := range [3]uint32{1, 4, 8} {
		n = binary.LittleEndian.AppendUint32(n, r)
	}
	return append(n, content...)
}

// dictRoom is the maximum size of a dictionary without its content.
const dictRoom = 320

// dictionaryID computes a dictionary's id from its content, in the range that RFC 8878 leaves to
// private use.
func dictionaryID(content []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range content {
		h = (h ^ uint32(b)) * 16777619
	}
	return 1<<15 + h%(1<<31-1<<15)
}

// survey counts the sequences and literals of the samples, each up to the size of a block.
func (e *Encoder) survey(s *statistics, data []byte, sizes []int) {
	k := e.known
	for _, size := range sizes {
		src := data[:min(size, maxBlock)]
		data = data[size:]
		if len(src) <= endRoom {
			continue
		}

		k.buf = append(k.buf[:k.size], src...)
		e.repeat = k.repeat
		k.find.resume(k.buf, k.size)
		e.seqs = e.seqs[:0]
		k.find.find(e, k.buf, k.size, len(k.buf))
		k.find.forget(k.buf, k.size)

		e.gather(src)
		for _, b := range e.lits[:e.litCount] {
			s.literals[b]++
		}
		for _, q := range e.seqs {
			s.runs[literalCode(q.Literals)]++
			s.lengths[matchCode(q.Length)]++
			s.offsets[highBit(zstdcode.Offset(&e.repeat, q.Distance, q.Literals == 0))]++
		}
	}
}

// appendTables appends the descriptions of tables that contain all possible symbols, most of them
// with a low frequency. It returns nil if the literals cannot have one.
func (e *Encoder) appendTables(dst []byte, s *statistics, size int) []byte {
	for i := range s.literals {
		s.literals[i] = 8*s.literals[i] + 1
	}

	h := &e.block.huff[0]
	h.plan(&s.literals)
	n := h.describe(e.block.table[:])
	if n == 0 { // all codes have the same length, which has no description
		for i := range s.literals {
			s.literals[i] = 2
		}
		s.literals[0] = 4
		s.literals[253] = 1
		s.literals[254] = 1
		h.plan(&s.literals)
		if n = h.describe(e.block.table[:]); n == 0 {
			return nil
		}
	}

	dst = append(dst, e.block.table[:n]...)
	codes := [3][]uint32{literalLengths: s.runs[:], offsets: s.offsets[:highBit(uint32(size+maxBlock+3))+1], matchLengths: s.lengths[:]}
	for _, t := range []table{offsets, matchLengths, literalLengths} {
		total := 0
		for i := range codes[t] {
			codes[t][i] = 8*codes[t][i] + 1
			total += int(codes[t][i])
		}
		var room [160]byte

		b := &e.block.build
		b.normalise(codes[t], total, tableKinds[t].maxLog)
		dst = append(dst, room[:b.writeCounts(room[:])]...)
	}
	return dst
}
