package main

import (
	"bytes"
	"encoding/binary"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
)

// field is the position of a number in a file.
type field struct {
	at, width int
	little    bool
}

// extent is the range of a part of a file.
type extent struct{ from, to int }

// anatomy has the positions of the parts of a sound file (docs/format).
type anatomy struct {
	header  int      // length of the header; 0 if the file does not begin with one
	chunks  []extent // including the index and the values of metalayers
	index   extent   // empty if there is none
	trailer int      // offset of the trailer; 0 if there is none
	big     []field  // of header and trailer
	small   []field  // of chunk headers
	inside  []field  // offsets of blocks, sizes of streams
	root    bool     // it is the root of a frame in a bucket
	sums    []sum    // of an HDF5 file
}

// Offsets in a frame header, and the beginning of a trailer.
const (
	atHeaderLen = 0x0b
	atFrameLen  = 0x10
	atNBytes    = 0x1e
	atCBytes    = 0x27
	headerFixed = 0x57
	trailerTail = 23 // bytes from the marker of the trailer's length to the end
)

// headerFields are the numbers of a frame header, big-endian.
var headerFields = [...]field{
	{0x00, 1, false}, {atHeaderLen, 4, false}, {atFrameLen, 8, false},
	{0x19, 1, false}, {0x1a, 1, false}, {0x1b, 1, false},
	{0x1c, 1, false}, {atNBytes, 8, false},
	{atCBytes, 8, false}, {0x30, 4, false}, {0x35, 4, false}, {0x3a, 4, false}, {0x3f, 2, false}, {0x42, 2, false}, {0x44, 1, false}, {0x46, 1, false},
	{0x47, 1, false}, {0x48, 1, false}, {0x4c, 1, false}, {0x4d, 1, false}, {0x4e, 1, false}, {0x4f, 1, false}, {0x55, 1, false}, {0x56, 1, false},
}

// chunkFields are the numbers of a chunk header, little-endian.
var chunkFields = [...]field{
	{0, 1, true}, {1, 1, true}, {2, 1, true}, {3, 1, true}, {4, 4, true}, {8, 4, true}, {12, 4, true}, {16, 1, true}, {21, 1, true}, {22, 1, true}, {23, 1, true},
	{24, 1, true}, {29, 1, true}, {30, 1, true}, {31, 1, true},
}

// study finds the parts of all files.
func (s *seedFile) study() {
	s.parts = map[string]*anatomy{}
	for name, b := range s.files {
		s.parts[name] = classes[s.class].examine(name, b)
	}
}

func examineChunk(_ string, b []byte) *anatomy {
	a := &anatomy{}
	a.addChunk(b, 0)
	return a
}

// examineFile finds the parts of a file of a frame or store: an archive, a frame or one of its
// chunks.
func examineFile(name string, b []byte) *anatomy {
	switch {
	case name != "" && !bytes.HasPrefix(b[min(2, len(b)):], []byte("b2frame")):
		return examineChunk(name, b)
	case bytes.HasPrefix(b, []byte("PK")):
		return examineArchive(b)
	}
	return examine(b)
}

// examine finds the parts of a frame that are valid.
func examine(b []byte) *anatomy {
	a := &anatomy{}
	if len(b) < headerFixed {
		return a
	}

	a.header = min(len(b), int(binary.BigEndian.Uint32(b[atHeaderLen:])))
	a.big = append(a.big, headerFields[:]...)
	a.addTagged(b, headerFixed, a.header)

	if f, err := frame.FromBytes(b, nil); err == nil {
		for i := range min(f.NumChunks(), 100) {
			if c, err := f.Chunk(i); err == nil && !c.InIndex {
				a.addChunk(b, int(c.Offset))
			}
		}
		f.Close()
	}

	if at := a.header + int(min(uint64(len(b)), binary.BigEndian.Uint64(b[atCBytes:]))); b[0x1a] == 0 {
		a.addIndex(b, at)
	} else {
		a.addIndex(b, a.header) // of a sparse frame
	}

	a.trailer = max(0, bytes.LastIndex(b, []byte{0x94, 0x01, 0x93, 0xcd}))
	if a.trailer > 0 {
		a.addTagged(b, a.trailer, len(b))
	}
	return a
}

// addTagged adds numbers that follow a marker of msgpack. In metalayers, it also adds the chunks
// behind their lengths.
func (a *anatomy) addTagged(b []byte, from, to int) {
	width := map[byte]int{0xd2: 4, 0xd3: 8, 0xc6: 4, 0xcd: 2, 0xde: 2, 0xdc: 2, 0xce: 4, 0xcf: 8, 0xdb: 4}
	for i := from; i < to; i++ {
		if w := width[b[i]]; w > 0 && i+1+w <= len(b) {
			a.big = append(a.big, field{i + 1, w, false})
			if b[i] == 0xc6 && i+5 < len(b) {
				a.addChunk(b, i+5)
			}
		}
	}
}

func (a *anatomy) addIndex(b []byte, at int) {
	if at <= 0 || at+chunk.HeaderSize > len(b) {
		return
	}
	if e, ok := a.addChunk(b, at); ok {
		a.index = e
	}
}

// addChunk adds a chunk, with the fields of its header, its block offsets and the sizes of its
// first streams.
func (a *anatomy) addChunk(b []byte, at int) (extent, bool) {
	if at < 0 || at >= len(b) {
		return extent{}, false
	}
	h, err := chunk.ParseHeader(b[at:])
	if err != nil || int(h.CBytes) > len(b)-at {
		return extent{}, false
	}

	e := extent{at, at + int(h.CBytes)}
	a.chunks = append(a.chunks, e)
	for _, f := range chunkFields {
		if f.at+f.width <= h.Size() {
			a.small = append(a.small, field{at + f.at, f.width, true})
		}
	}

	if h.Memcpyed() || h.Special() != chunk.SpecialNone {
		return e, true
	}

	blocks := h.Layout().NumBlocks
	if h.VLBlocks() {
		blocks = int(h.BlockSize)
	}
	for k := range min(blocks, 64) {
		table := e.from + h.Size() + 4*k
		if table+4 > e.to {
			break
		}
		a.inside = append(a.inside, field{table, 4, true})
		if start := e.from + int(binary.LittleEndian.Uint32(b[table:])); start+4 <= e.to {
			a.inside = append(a.inside, field{start, 4, true})
		}
	}
	return e, true
}

// get reads a field.
func (f field) get(b []byte) uint64 {
	var v uint64
	for i := range f.width {
		k := i
		if f.little {
			k = f.width - 1 - i
		}
		v = v<<8 | uint64(b[f.at+k])
	}
	return v
}

// put writes a field, if it is within b.
func (f field) put(b []byte, v uint64) {
	if f.at+f.width > len(b) {
		return
	}
	for i := range f.width {
		k := f.width - 1 - i
		if f.little {
			k = i
		}
		b[f.at+k] = byte(v >> (8 * i))
	}
}
