package main

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/golden"
	"github.com/cairn-go/cairn/ndarray"
)

// class says what an entry point reads.
type class uint8

const (
	frames class = iota
	chunks       // bare ones
	stores
)

// entry is a way into the library.
type entry struct {
	name  string
	class class
	opens bool // the one that counts files that open
	share int  // one of so many cases goes through it
	// run returns the bytes of the results that were asked for, and of scratch memory for blocks,
	// which Limits bounds.
	run func(l *tester, s *subject) (asked uint64, err error)
}

func entries() []entry {
	return []entry{
		{"open bytes", frames, true, 1, openBytes},
		{"open reader", frames, false, 1, openReader},
		{"open path", frames, false, 1, openPath},
		{"open array", frames, false, 1, openArray},
		{"metalayers", frames, false, 1, readLayers},
		{"chunks", frames, false, 1, readChunks},
		{"items", frames, false, 1, readItems},
		{"blocks", frames, false, 1, readBlocks},
		{"single blocks", frames, false, 4, readSingleBlocks},
		{"array", frames, false, 1, readArray},
		{"verify", frames, false, 2, verify},
		{"salvage", frames, false, 2, salvage},
		{"salvage array", frames, false, 8, salvageArray},
		{"copy", frames, false, 4, copyFrame},
		{"copy anew", frames, false, 8, recodeFrame},
		{"copy array", frames, false, 8, copyArray},
		{"change", frames, false, 4, change},
		{"values", frames, false, 4, unpackValues},
		{"list of chunks", frames, false, 8, listChunks},
		{"summary", frames, false, 4, summarize},
		{"pipes", frames, false, 40, readPiped},
		{"decode", chunks, true, 1, decode},
		{"decode items", chunks, false, 1, decodeItems},
		{"decode blocks", chunks, false, 1, decodeBlocks},
		{"decode blocks at", chunks, false, 1, decodeBlocksAt},
		{"decode one block", chunks, false, 1, decodeOneBlock},
		{"open store", stores, true, 1, openStore},
		{"tree", stores, false, 1, readTree},
		{"leaf frames", stores, false, 1, readLeafFrames},
		{"leaf arrays", stores, false, 1, readLeafArrays},
		{"verify leaves", stores, false, 2, verifyLeaves},
		{"walk through all", stores, false, 20, walkAll},
		{"copy store", stores, false, 40, copyStore},
		{"edit store", stores, false, 8, editStore},
		{"edit links", stores, false, 20, editLinked},
		{"pipes in stores", stores, false, 40, readPiped},
	}
}

// class returns what entry points a seed goes through.
func (s *seedFile) class() class {
	switch s.kind {
	case golden.Chunk:
		return chunks
	case treeKind:
		return stores
	}
	return frames
}

// scratch is the memory for blocks that a decoder may take on the word of a chunk that turns out to
// be broken: twice a block and its filtered form.
const (
	maxAlloc = 1 << 20
	scratch  = 3 * maxAlloc
)

// limits are tighter than the defaults where it is about what a caller is ready to spend.
func limits() cairn.Limits { return cairn.Limits{MaxAlloc: maxAlloc, MaxMeta: 1 << 20} }

// frameOptions open frames with the tight limits, and with the codec and the filter of [userCodecs]
// and [userFilters].
func (l *tester) frameOptions(s *subject) *frame.OpenOptions {
	return &frame.OpenOptions{FS: s.fs, Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs, Filters: l.filters}}
}

func (l *tester) arrayOptions(s *subject) *ndarray.OpenOptions {
	return &ndarray.OpenOptions{FS: s.fs, Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs,
		Filters: l.filters}, Workers: 1}
}

func (l *tester) decoder(typeSize int) *chunk.Decoder {
	return chunk.NewDecoder(&chunk.DecodeOptions{Engine: chunk.Engine{Limits: limits(), Codecs: l.codecs,
		Filters: l.filters}, FrameTypeSize: typeSize})
}
