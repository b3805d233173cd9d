package main

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/ndarray"
)

// class is the kind of files that an entry point reads.
type class uint8

const (
	frames class = iota
	chunks       // chunks without a frame
	stores
	numpy   // .npy and .npz files
	zarrs   // Zarr stores
	buckets // frames in buckets
	hdf5s   // HDF5 files
	netcdfs // NetCDF files
	pcodecs // numbers in Pcodec
)

// classes are their names for -only, and the functions that find the parts of their files.
var classes = [...]struct {
	name    string
	examine func(name string, b []byte) *anatomy
}{
	frames:  {"frames", examineFile},
	chunks:  {"chunks", examineChunk},
	stores:  {"stores", examineFile},
	numpy:   {"numpy", examineNumPy},
	zarrs:   {"zarr", examineZarr},
	buckets: {"buckets", examineObject},
	hdf5s:   {"hdf5", examineHDF5},
	netcdfs: {"netcdf", examineNetCDF},
	pcodecs: {"pcodec", examinePcodec},
}

// entry is an entry point of the library.
type entry struct {
	name  string
	class class
	opens bool // its successes count as files that open
	share int  // it is called in one of this many cases
	// run returns the bytes that the call may allocate besides the budget: results that were asked
	// for, and scratch memory for blocks, which Limits bounds.
	run func(l *tester, s *subject) (asked uint64, err error)
}

func entries() []entry {
	return append(bucketEntries(), []entry{
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
		{"packed array", frames, false, 1, readPacked},
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

		{"open numpy", numpy, true, 1, numpyFormat().open},
		{"read numpy", numpy, false, 1, numpyFormat().readBoxes},
		{"stream numpy", numpy, false, 2, streamNumPy},
		{"copy numpy", numpy, false, 4, numpyFormat().copyArrays},

		{"open zarr", zarrs, true, 1, zarrFormat().open},
		{"read zarr", zarrs, false, 1, zarrFormat().readBoxes},
		{"copy zarr", zarrs, false, 8, zarrFormat().copyArrays},

		{"open hdf5", hdf5s, true, 1, hdf5Format().open},
		{"read hdf5", hdf5s, false, 1, hdf5Format().readBoxes},
		{"copy hdf5", hdf5s, false, 8, hdf5Format().copyArrays},
		{"append to hdf5", hdf5s, false, 2, appendHDF5},

		{"open netcdf", netcdfs, true, 1, netcdfFormat().open},
		{"read netcdf", netcdfs, false, 1, netcdfFormat().readBoxes},
		{"copy netcdf", netcdfs, false, 8, netcdfFormat().copyArrays},
		{"append to netcdf", netcdfs, false, 2, appendNetCDF},
		{"weights", netcdfs, false, 1, readWeights},
		{"grids", netcdfs, false, 1, readGrids},

		{"decode pcodec", pcodecs, true, 1, decodePcodec},
		{"decode wrapped pcodec", pcodecs, false, 1, decodeWrapped},
	}...)
}

// scratch is the memory for blocks that a decoder may allocate before it finds that a chunk is
// broken: twice a block and its filtered form.
const (
	maxAlloc = 1 << 20
	scratch  = 3 * maxAlloc
)

// limits are stricter than the defaults for memory that callers ask for.
func limits() cairn.Limits { return cairn.Limits{MaxAlloc: maxAlloc, MaxMeta: 1 << 20} }

// frameOptions returns options with the strict limits, and with the codec and the filter of
// [userCodecs] and [userFilters].
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
