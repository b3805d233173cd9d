package job

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/internal/asm/crc32c"
	"github.com/cairn-go/cairn/internal/inside"
)

// A part is the object with what a task made (docs/format/job.md, "Parts"), little-endian:
//
//	 0  8  magic and version
//	 8 16  ID of the plan
//	24  8  number of the task
//	32  8  n, how many chunks follow
//	40  8  bytes of the chunks that are in the part
//	48  4  CRC-32C of the table
//	52  4  CRC-32C of the bytes before
//	56     the table, for each chunk: its number (8), its object (8), its bytes (4), their
//	       CRC-32C (4)
//	       the chunks without an object
type part struct {
	task    int64
	entries []byte // the table
	content []byte
}

const (
	partMagic  = "\xc3\xb2job\x00\x00\x01"
	partHeader = 56
	entrySize  = 24
)

// add appends a chunk of the output, unless it has no bytes.
func (p *part) add(c numbered) {
	if c.bytes == 0 {
		return
	}

	p.entries = binary.LittleEndian.AppendUint64(p.entries, uint64(c.number))
	p.entries = binary.LittleEndian.AppendUint64(p.entries, uint64(c.object))
	p.entries = binary.LittleEndian.AppendUint32(p.entries, c.bytes)
	p.entries = binary.LittleEndian.AppendUint32(p.entries, c.sum)
	if c.object == 0 {
		p.content = append(p.content, c.encoded...)
	}
}

// bytes returns the object.
func (p *part) bytes(id string) []byte {
	b := make([]byte, 0, partHeader+len(p.entries)+len(p.content))
	b = append(b, partMagic...)
	b = append(b, rawID(id)...)
	for _, n := range []int{int(p.task), len(p.entries) / entrySize, len(p.content)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}

	b = binary.LittleEndian.AppendUint32(b, crc32c.Update(0, p.entries))
	b = binary.LittleEndian.AppendUint32(b, crc32c.Update(0, b))
	return append(append(b, p.entries...), p.content...)
}

// rawID returns the 16 bytes of an ID.
func rawID(id string) []byte {
	raw, _ := hex.DecodeString(id) // Parse has compared it with a hash
	return raw
}

// parsePart parses the part of a task. Its memory is that of b.
func parsePart(b []byte, id string, task int64) (*part, error) {
	if len(b) < partHeader || string(b[:len(partMagic)]) != partMagic {
		return nil, cairn.Corruptf(layer, 0, "this is no part")
	}

	if binary.LittleEndian.Uint32(b[52:]) != crc32c.Update(0, b[:52]) {
		return nil, cairn.Corruptf(layer, 52, "the header of the part does not have its checksum")
	}
	if have := hex.EncodeToString(b[8:24]); have != id {
		return nil, cairn.Corruptf(layer, 8, "a part of the plan %s", have)
	}
	if have := binary.LittleEndian.Uint64(b[24:]); have != uint64(task) {
		return nil, cairn.Corruptf(layer, 24, "a part of task %d", have)
	}

	count := binary.LittleEndian.Uint64(b[32:])
	size := binary.LittleEndian.Uint64(b[40:])
	rest := uint64(len(b) - partHeader)
	if count > rest/entrySize || size != rest-count*entrySize {
		return nil, cairn.Corruptf(layer, 32, "%d chunks of %d bytes in a part of %d", count, size, len(b))
	}

	table := partHeader + int(count)*entrySize
	p := &part{task: task, entries: b[partHeader:table], content: b[table:]}
	if binary.LittleEndian.Uint32(b[48:]) != crc32c.Update(0, p.entries) {
		return nil, cairn.Corruptf(layer, 48, "the table of the part does not have its checksum")
	}
	return p, nil
}

// chunks returns the chunks of the part with their numbers.
func (p *part) chunks() ([]numbered, error) {
	all := make([]numbered, 0, len(p.entries)/entrySize)
	rest := p.content

	for e := p.entries; len(e) > 0; e = e[entrySize:] {
		c := numbered{number: int64(binary.LittleEndian.Uint64(e)), object: int64(binary.LittleEndian.Uint64(e[8:])),
			bytes: binary.LittleEndian.Uint32(e[16:]), sum: binary.LittleEndian.Uint32(e[20:])}
		if c.bytes == 0 || c.object < 0 {
			return nil, cairn.Corruptf(layer, -1, "chunk %d has %d bytes in object %d", c.number, c.bytes, c.object)
		}

		if c.object == 0 {
			if uint64(c.bytes) > uint64(len(rest)) {
				return nil, cairn.Corruptf(layer, -1, "chunk %d has %d bytes, the part only %d more", c.number, c.bytes, len(rest))
			}
			c.encoded, rest = rest[:c.bytes], rest[c.bytes:]
			if crc32c.Update(0, c.encoded) != c.sum {
				return nil, cairn.Corruptf(layer, -1, "chunk %d does not have its checksum", c.number)
			}
		}

		all = append(all, c)
	}

	if len(rest) > 0 {
		return nil, cairn.Corruptf(layer, -1, "%d bytes behind the last chunk", len(rest))
	}
	return all, nil
}

// A numbered chunk is an encoded chunk of the output.
type numbered struct {
	number  int64
	object  int64  // number of its object in a bucket; 0 means that encoded has the chunk
	bytes   uint32 // of the encoded chunk
	sum     uint32 // their CRC-32C
	encoded []byte
}

// inPart returns a chunk whose bytes are in the part.
func inPart(number int64, encoded []byte) numbered {
	return numbered{number: number, bytes: uint32(len(encoded)), sum: crc32c.Update(0, encoded), encoded: encoded}
}

// is reports whether a chunk has these bytes.
func (c *numbered) is(encoded []byte) bool {
	return int(c.bytes) == len(encoded) && c.sum == crc32c.Update(0, encoded) &&
		(c.object != 0 || bytes.Equal(c.encoded, encoded))
}

// deposit returns where a chunk with an object is.
func (c *numbered) deposit() inside.Deposit {
	return inside.Deposit{Chunk: c.number, Entry: c.object, Bytes: int64(c.bytes)}
}

// inTask adds the task to an error.
func inTask(task int64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("task %d: %w", task, err)
}
